"""The report's section on blinding: what leads noticed and guessed."""

from collections.abc import Mapping
from typing import Any

from analysis.report.parts import Paragraph, Part, Section, Table, table
from analysis.report.wording import NOTHING, count, grouped, interval, number, percent
from analysis.studies.accept_reject.page_tables import repeated_rows
from analysis.studies.accept_reject.words import (
    INTERVAL_COLUMN,
    bare_percent,
)

Results = Mapping[str, Any]
Row = Mapping[str, Any]

QUESTION_WORDS: Mapping[str, str] = {
    "source_guess": "Who gave the solutions?",
    "source_which": "Which did a machine give?",
    "noticed_kinds": "Noticed different kinds?",
    "relied_on": "Relied most on",
}
ANSWER_WORDS: Mapping[str, str] = {
    "all_people": "people all of them",
    "some_machine": "people some, a machine the others (true)",
    "all_machine": "a machine all of them",
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
SOLVER_WORDS: Mapping[str, str] = {"S": "system (S)", "E": "experts (E)"}


def blinding_section(results: Results) -> Section:
    """Return what leads made of the source; empty where nobody was asked."""
    found = results["blinding"]
    parts: list[Part] = []
    if found["guesses"] is not None:
        parts += [Paragraph(_said(found["guesses"])), guesses_table(found["guesses"])]
    if found["answers"]:
        parts.append(answers_table(found["answers"]))
    if found["split"]:
        parts.append(split_table(found["split"]))
        parts.append(
            Paragraph(
                "Suspicion and notice were asked after the runs; the question itself names a "
                "machine, so its answers overstate what was suspected before. Leads weren’t "
                "assigned to suspicion: a difference between the groups may have other causes.",
                "quiet",
            )
        )
    return Section("Blinding", tuple(parts))


def _said(guesses: Row) -> str:
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
    return text + _told_apart(guesses)


def _told_apart(guesses: Row) -> str:
    """Say whether guesses beat the lot, or only lean to one answer.

    Who always says "machine" is right on every solution of S and wrong on every one of E: an
    index above nought for one source is knowledge only where guesses are right over both.
    """
    above = [row["solver"] for row in guesses["bang"] if (row["ci_low"] or 0) > 0]
    names = " and ".join(SOLVER_WORDS[name] for name in above)
    if not above:
        return (
            "Nothing here shows that leads could tell the sources apart; the intervals say how "
            "far they might have."
        )
    if (guesses["accuracy"]["ci_low"] or 0) > 0.5:
        return f"The guesses beat the lot for {names}: blinding did not hold there."
    return (
        f"The index lies above nought for {names}, but over both sources guesses do not beat the "
        "lot: leads lean to one answer, which is no knowledge of the source."
    )


def guesses_table(guesses: Row) -> Table:
    """Guesses by source with Bang's index, and James's over both."""
    counts = {row["solver"]: row for row in guesses["counts"]}
    rows = [
        (
            SOLVER_WORDS[row["solver"]],
            *(grouped(counts[row["solver"]][name]) for name in ("machine", "person", "cannot_say")),
            number(row["estimate"]),
            interval(row["ci_low"], row["ci_high"]),
        )
        for row in guesses["bang"]
    ]
    james = guesses["james"]
    rows.append(
        (
            "both (James’s index)",
            NOTHING,
            NOTHING,
            NOTHING,
            number(james["estimate"]),
            interval(james["ci_low"], james["ci_high"]),
        )
    )
    columns = [
        ("Solutions of", "", False),
        ("“Machine”", "n", True),
        ("“Person”", "n", True),
        ("“Can’t say”", "n", True),
        ("Index", "", True),
        INTERVAL_COLUMN,
    ]
    limits = (
        "limits by the two-way bootstrap, at least as wide as those of independent guesses"
        if guesses["resampled"]
        else "limits take one lead’s guesses as independent; James’s index has none then"
    )
    return table(
        "Guesses of the source, and blinding indices.",
        columns,
        rows,
        f"{guesses['reading']}; {limits}.",
        strong=[2],
    )


def answers_table(answers: list[Row]) -> Table:
    """What leads answered at the end."""
    rows, strong = [], []
    for place, row in enumerate(answers):
        new = not place or answers[place - 1]["question"] != row["question"]
        if new and place:
            strong.append(place)
        rows.append(
            (
                QUESTION_WORDS[row["question"]] if new else "",
                ANSWER_WORDS[row["answer"]],
                f"{grouped(row['leads'])} of {grouped(row['of'])}",
                percent(row["share"]),
                interval(row["ci_low"], row["ci_high"], bare_percent),
            )
        )
    columns = [
        ("Question", "", False),
        ("Answer", "", False),
        ("Leads", "", True),
        ("Share", "", True),
        INTERVAL_COLUMN,
    ]
    return table("Answers at the end of the session.", columns, rows, strong=strong, row_headers=2)


def split_table(split: list[Row]) -> Table:
    """Usefulness of leads who suspected or noticed something, and of the others."""
    rows = repeated_rows(split)
    columns = [
        ("Leads", "", False),
        ("n", "leads", True),
        ("S", "points", True),
        ("E", "points", True),
        ("S less E", "points", True),
        ("S against E", "", False),
    ]
    return table("Usefulness, raw, split by suspicion and notice.", columns, rows, strong=[2])
