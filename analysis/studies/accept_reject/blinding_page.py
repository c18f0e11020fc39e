"""The report's section on blinding: what leads noticed and guessed."""

from collections.abc import Mapping
from typing import Any

from analysis.report.declared import ReportTable, Results, Source, Text, changes, some, spelled
from analysis.report.parts import Column, Paragraph, limits
from analysis.report.plan import SectionPlan
from analysis.report.wording import bare_percent, count, grouped, interval, number, percent
from analysis.studies.accept_reject.page_tables import repeated
from analysis.studies.accept_reject.words import solver_words
from stimuli.maps.origin import RESPONSE_MODEL

Row = Mapping[str, Any]

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


def said(results: Results) -> Paragraph | None:
    """Return how well leads guessed the source; None where nobody guessed."""
    guesses = results["blinding"]["guesses"]
    if guesses is None:
        return None
    right = guesses["accuracy"]
    text = (
        f"At the end {count(guesses['leads'], 'lead')} saw "
        f"{count(guesses['n'], 'explained solution')} of S and E again and guessed who gave each. "
    )
    if right["n"]:
        text += (
            f"Of the {count(right['n'], 'guess', 'guesses')}, {percent(right['estimate'], 1)} "
            f"were right {interval(right['ci_low'], right['ci_high'], bare_percent)}; by lot it "
            "would be half. "
        )
    else:
        text += "Everybody said “can’t say”. "
    return Paragraph(text + _verdict(guesses, solver_words(results["data"])))


def _verdict(guesses: Row, words: Mapping[str, str]) -> str:
    """Say whether guesses are better than chance, or only prefer one answer.

    A lead who always says "machine" is right on every solution of S and wrong on every one of E.
    So an index above zero for one source shows knowledge only if guesses are right over both.
    """
    above = [row["solver"] for row in guesses["bang"] if (row["ci_low"] or 0) > 0]
    names = " and ".join(words[name] for name in above)
    if not above:
        return (
            "The guesses don’t show that leads could distinguish the sources; the intervals say "
            "how well they might have."
        )
    if (guesses["accuracy"]["ci_low"] or 0) > 0.5:
        return f"The guesses are better than chance for {names}: blinding failed there."
    return (
        f"The index lies above zero for {names}, but over both sources the guesses are no better "
        "than chance: leads prefer one answer, which is no knowledge of the source."
    )


def _by_source(results: Results) -> list[dict[str, Any]] | None:
    """Return the guesses by source with Bang's index; None where nobody guessed."""
    guesses = results["blinding"]["guesses"]
    if guesses is None:
        return None
    return [
        {**counts, "bang": row["estimate"], "ci_low": row["ci_low"], "ci_high": row["ci_high"]}
        for counts, row in zip(guesses["counts"], guesses["bang"], strict=True)
    ]


def _with_james(results: Results) -> list[dict[str, Any]]:
    """Return the page's rows: those by source, and James's index over both."""
    rows = _by_source(results)
    if rows is None:
        return []
    james = results["blinding"]["guesses"]["james"]
    unknown = dict.fromkeys(("machine", "person", "cannot_say"))
    return [*rows, {"solver": "both", **unknown, "bang": james["estimate"], **james}]


def _reading(results: Results) -> str:
    guesses = results["blinding"]["guesses"]
    said = (
        "limits by the two-way bootstrap, at least as wide as those of independent guesses"
        if guesses["resampled"]
        else "limits take one lead’s guesses as independent; James’s index has none then"
    )
    return f"{guesses['reading']}; {said}."


_GUESSES = ReportTable(
    "source_guesses",
    _by_source,
    "Guesses of the source, and blinding indices.",
    lambda results: (
        Column(
            "Solutions of",
            spelled("solver", {**solver_words(results["data"]), "both": "both (James’s index)"}),
        ),
        Column("“Machine”", "machine", grouped, "n"),
        Column("“Person”", "person", grouped, "n"),
        Column("“Can’t say”", "cannot_say", grouped, "n"),
        Column("Index", "bang", number),
        limits(),
    ),
    _reading,
    shown=_with_james,
    strong=lambda _: (2,),
)


def answers_table(source: Source, note: Text = "") -> ReportTable:
    """Return the table of what leads answered at the end.

    Parameters
    ----------
    source
        Where its rows are.
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
            Column("Leads", lambda row: f"{grouped(row['leads'])} of {grouped(row['of'])}", str),
            Column("Share", "share", percent),
            limits(bare_percent),
        ),
        note,
        strong=changes("question"),
        row_headers=2,
    )


def _truth(results: Results) -> str:
    simulated = results["data"]["expert_origins"] == [RESPONSE_MODEL]
    gave = "all_machine" if simulated else "some_machine"
    return f"What is true: {ANSWER_WORDS[gave]}."


def _caution(results: Results) -> Paragraph | None:
    if not results["blinding"]["split"]:
        return None
    return Paragraph(
        "Suspicion and notice were asked after the runs; the question itself names a machine, so "
        "its answers overstate what was suspected before. Leads weren’t assigned to suspicion: a "
        "difference between the groups may have other causes.",
        "quiet",
    )


BLINDING = SectionPlan(
    "Blinding",
    (
        said,
        _GUESSES,
        answers_table(some("blinding.answers"), _truth),
        repeated(
            "usefulness_by_suspicion",
            "blinding.split",
            "Leads",
            "Usefulness, raw, split by suspicion and notice.",
            strong=lambda _: (2,),
        ),
        _caution,
    ),
)
"""What leads made of the source, where they were asked."""
