"""The table of what leads answered at the end of the session."""

from collections.abc import Mapping

from analysis.report.declared import ReportTable, Source, Text, changes, spelled
from analysis.report.parts import Column, cell, limits
from analysis.report.wording import bare_percent, grouped, percent

QUESTION_WORDS: Mapping[str, str] = {
    "source_guess": "Who gave the solutions?",
    "source_which": "Which did a machine give?",
    "noticed_kinds": "Noticed different kinds?",
    "relied_on": "Relied most on",
}
ANSWER_WORDS: Mapping[str, str] = {
    "all_people": "a person gave all of them",
    "some_machine": "a person some, a machine the others",
    "all_machine": "a machine gave all of them",
    "cannot_say": "can’t say",
    "with_line": "mostly those with a contour",
    "without_line": "mostly those without a contour",
    "both_alike": "those with and without alike (true)",
    "none": "none",
    "yes": "yes",
    "no": "no",
    "unsure": "not sure",
    "numeral": "the numeral in the dots",
    "line": "the contour",
    "both": "dots and contour alike",
    "guess": "guessing",
    "other": "something else",
}


def answers_table(source: Source, note: Text = "") -> ReportTable:
    """Return the table of what leads answered at the end.

    Parameters
    ----------
    source
        Where its rows are; see `analysis.studies.accept_reject.blinding.answers_at_the_end`.
    note
        What is true.
    """
    return ReportTable(
        "answers_at_the_end",
        source,
        "Answers at the end of the session.",
        (
            Column("Question", spelled("question", QUESTION_WORDS), once=True),
            Column("Answer", spelled("answer", ANSWER_WORDS)),
            Column(
                "Leads",
                lambda row: f"{grouped(cell(row, 'leads'))} of {grouped(cell(row, 'of'))}",
                str,
            ),
            Column("Share", "share", percent),
            limits(bare_percent),
        ),
        note,
        strong=changes("question"),
        row_headers=2,
    )
