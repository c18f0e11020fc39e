"""Who took part: sessions finished and taken up again, and the optional questions' answers."""

import re
from typing import Any

import pandas as pd

from analysis.report.declared import ReportTable, Results, changes
from analysis.report.parts import Column, Paragraph
from analysis.report.wording import count, grouped
from analysis.studies.progressive_reveal.trials import RoundTable
from participants.studies.progressive_reveal.columns import SURVEY_COLUMNS
from stimuli.io.tables import Column as DataColumn

SKIP = "skip"


def sample_results(people: pd.DataFrame | None, rounds: RoundTable) -> dict[str, Any] | None:
    """Return what the table of people says of those analysed; None without the table.

    Returns
    -------
    dict
        ``sessions, complete, resumed``: how many came to their end, and took several visits;
        ``survey``: by question the answers that were given, with ``asked`` and ``skipped``.
    """
    if people is None:
        return None
    own = people[people["participant"].isin(rounds.frame["participant"])]
    visits = own["visits"] if "visits" in own else pd.Series(dtype=float)
    return {
        "sessions": len(own),
        "complete": int(own["complete"].fillna(False).sum()) if "complete" in own else None,
        "resumed": int((visits > 1).sum()) if len(visits) else None,
        "survey": [
            row for row in (_question(own, c) for c in SURVEY_COLUMNS.values()) if row["asked"]
        ],
    }


def _question(people: pd.DataFrame, column: DataColumn) -> dict[str, Any]:
    given = people[column.name].dropna() if column.name in people else pd.Series(dtype=object)
    counts = given.value_counts()
    words = {} if column.levels is None else dict(column.levels)
    return {
        "question": column.description.rstrip("."),
        "asked": len(given),
        "skipped": int(counts.get(SKIP, 0)),
        "answers": [
            {"answer": _spoken(key, words[key]), "n": int(counts[key])}
            for key in words
            if key != SKIP and key in counts
        ],
    }


def _spoken(key: str, meaning: str) -> str:
    """Return a level's meaning; of one that means itself its name as words."""
    if meaning != key:
        return meaning
    spoken = re.sub(r"(?<=\d)_up$", " or older", key)
    return re.sub(r"(?<=\d)_(?=\d)", " to ", spoken).replace("_", " ")


def sample_sentence(results: Results) -> Paragraph | None:
    """Return who finished, and who came more than once; None without a table of people."""
    sample = results["sample"]
    if sample is None:
        return None
    parts = [count(sample["sessions"], "session")]
    if sample["complete"] is not None:
        parts.append(f"{grouped(sample['complete'])} came to the end")
    if sample["resumed"] is not None:
        parts.append(f"{grouped(sample['resumed'])} were spread over several visits")
    return Paragraph(", ".join(parts) + ".")


def _answers(results: Results) -> list[dict[str, Any]]:
    return [
        {"question": row["question"], "asked": row["asked"], "skipped": row["skipped"], **answer}
        for row in (results["sample"]["survey"] if results["sample"] else ())
        for answer in row["answers"]
    ]


def _with_skipped(results: Results) -> list[dict[str, Any]]:
    """Return the answers, each question's followed by how many skipped it."""
    return [
        {"question": row["question"], **answer}
        for row in (results["sample"]["survey"] if results["sample"] else ())
        for answer in (*row["answers"], {"answer": "skipped", "n": row["skipped"]})
        if answer["n"] or not row["answers"]
    ]


SURVEY = ReportTable(
    "survey",
    _answers,
    "The optional survey.",
    (
        Column("Question", "question", once=True),
        Column("Answer", "answer"),
        Column("Participants", "n", grouped, "n"),
    ),
    "Optional questions; each could be skipped.",
    shown=_with_skipped,
    strong=changes("question"),
    row_headers=2,
)
