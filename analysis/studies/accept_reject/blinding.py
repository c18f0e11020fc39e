"""What leads noticed and guessed about who solved the tasks.

The table of the answers at the end of the session is here too. The assessment of accuracy also
shows it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Final

import numpy as np
import pandas as pd

from analysis.questions.estimates import EstimateRow, Quantity, estimate_row, share_row
from analysis.questions.pivot import Wide, level_of, limits_of, pivot, value_of
from analysis.report.about import about
from analysis.report.declared import ReportTable, Text, changes
from analysis.report.parts import Column
from analysis.report.wording import bare_percent, grouped, number, percent
from analysis.statistics.blinding import Guesses, bang_index
from analysis.statistics.bootstrap import Bootstrap, Resampling, Units, bootstrap_sums
from analysis.statistics.proportions import Count, Interval, wilson

ASKED: Mapping[str, tuple[str, ...]] = {
    "source_guess": ("all_people", "some_machine", "all_machine", "cannot_say"),
    "source_which": ("with_line", "without_line", "both_alike", "none", "cannot_say"),
    "noticed_kinds": ("yes", "no", "unsure"),
    "relied_on": ("numeral", "line", "both", "guess", "other"),
}
"""Questions that a lead is asked once, with their answers. The true answer to the first question is
``some_machine``."""
READING = (
    "Bang’s index (Bang et al. 2004) for each source: (right − wrong) / n, 0 by chance, 1 where "
    "every guess is right"
)
ANSWERS: Final = ("machine", "person", "cannot_say")
_SOLVERS: Final = ("S", "E")

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


GIVEN: Final = Quantity(
    "answer_given", "Share", "Share of leads who gave an answer at the end of the session.", percent
)
GUESSED: Final = Quantity(
    "guessed", "Guesses", "Answers of a kind about who gave a solver's solutions.", grouped, "n"
)
RIGHT: Final = Quantity(
    "guessed_right", "Right", "Share of right guesses; answers “can’t say” are left out.",
    lambda share: percent(share, 1),
)  # fmt: skip
BANG: Final = Quantity("bang_index", "Index", "Bang's index of a solver, −1 to 1.", number)


@dataclass(frozen=True, slots=True)
class SourceGuesses:
    """How single solutions' sources were guessed."""

    n: Annotated[int, about("Solutions that were guessed.")]
    leads: Annotated[int, about("Leads who guessed.")]
    resampled: Annotated[bool, about("Whether limits come from the bootstrap.")]
    reading: Annotated[str, about("How to read the indices.")] = READING


def _leads(frame: pd.DataFrame) -> pd.DataFrame:
    """Return one row for each lead with what was answered, by code."""
    names = [name for name in ASKED if name in frame]
    if not names:
        return pd.DataFrame(index=frame["participant"].unique())
    return frame.groupby("participant")[names].first()


def answers_at_the_end(frame: pd.DataFrame) -> tuple[EstimateRow, ...]:
    """Return how many leads gave each answer to the questions of `ASKED`, by question."""
    leads = _leads(frame)
    rows = []
    for question, answers in ASKED.items():
        chosen = leads[question].dropna() if question in leads else pd.Series(dtype=object)
        for answer in answers if len(chosen) else ():
            count = Count(int((chosen == answer).sum()), len(chosen))
            rows.append(share_row(GIVEN, {"asked": question, "answer": answer}, count))
    return tuple(rows)


def guess_sources(
    frame: pd.DataFrame, plan: Resampling
) -> tuple[SourceGuesses | None, tuple[EstimateRow, ...]]:
    """Return how well leads guessed who gave solutions; None, without rows, if nobody guessed."""
    if "guessed_source" not in frame:
        return None, ()
    guesses = frame[frame["solver"].isin(_SOLVERS) & frame["guessed_source"].isin(ANSWERS)]
    if guesses.empty:
        return None, ()
    counts = np.array(
        [
            [((guesses["solver"] == s) & (guesses["guessed_source"] == a)).sum() for a in ANSWERS]
            for s in _SOLVERS
        ]
    )
    leads = int(guesses["participant"].nunique())
    drawn = _resampled(guesses, plan) if leads > 1 else None
    right = Count(int(counts[0, 0] + counts[1, 1]), int(counts[:, :2].sum()))
    rows = [
        estimate_row(GUESSED, {"solver": solver, "guess": answer}, int(counts[place, column]))
        for place, solver in enumerate(_SOLVERS)
        for column, answer in enumerate(ANSWERS)
    ]
    for place, solver in enumerate(_SOLVERS):
        bang = bang_index(Guesses(*_right_wrong(counts, place)))
        limits = _either(bang, drawn, place)
        rows.append(estimate_row(BANG, {"solver": solver}, limits, int(counts[place].sum())))
    rows.append(estimate_row(RIGHT, {}, _either(wilson(right), drawn, 2), right.n))
    return SourceGuesses(len(guesses), leads, drawn is not None), tuple(rows)


def _right_wrong(counts: np.ndarray, place: int) -> tuple[int, int, int]:
    """Return right, wrong and unsure guesses about one source; the first is the machine."""
    return int(counts[place, place]), int(counts[place, 1 - place]), int(counts[place, 2])


def _resampled(guesses: pd.DataFrame, plan: Resampling) -> Bootstrap:
    """Resample both Bang indices and accuracy: a lead guesses often."""
    columns = np.column_stack(
        [
            ((guesses["solver"] == solver) & (guesses["guessed_source"] == answer)).to_numpy(
                dtype=float
            )
            for solver in _SOLVERS
            for answer in ANSWERS
        ]
    )
    units = Units.of(guesses["participant"], guesses["item"])
    return bootstrap_sums(columns, _indices, units, plan)


def _indices(sums: np.ndarray) -> np.ndarray:
    table = sums.reshape(*sums.shape[:-1], 2, 3)
    n = table.sum(axis=-1)
    bang = np.stack(
        [
            (table[..., 0, 0] - table[..., 0, 1]) / n[..., 0],
            (table[..., 1, 1] - table[..., 1, 0]) / n[..., 1],
        ],
        axis=-1,
    )
    guessed = table[..., :2].sum(axis=(-1, -2))
    accuracy = (table[..., 0, 0] + table[..., 1, 1]) / guessed
    return np.concatenate([bang, accuracy[..., None]], axis=-1)


def _either(plain: Interval, resampled: Bootstrap | None, place: int) -> Interval:
    """Return the resampled interval, at least as wide as that of independent guesses."""
    if resampled is None or not plain.known:
        return plain
    drawn = resampled.interval(place)
    return Interval(
        plain.estimate,
        float(np.fmin(drawn.ci_low, plain.ci_low)),
        float(np.fmax(drawn.ci_high, plain.ci_high)),
    )


def answers_table(note: Text = "") -> ReportTable:
    """Return the table of what leads answered at the end.

    Parameters
    ----------
    note
        What the true answer is.
    """
    return pivot(
        "Answers at the end of the session.",
        (
            level_of("asked", "Question", QUESTION_WORDS.__getitem__, once=True),
            level_of("answer", "Answer", ANSWER_WORDS.__getitem__),
            Column("Leads", _count_of_all, str),
            value_of(GIVEN),
            limits_of(GIVEN, write=bare_percent),
        ),
        by=("asked", "answer"),
        of=lambda here: getattr(here, "answer", here).rows(GIVEN),
        note=note,
        strong=changes("asked"),
        row_headers=2,
    )


def _count_of_all(row: Wide) -> str:
    of = row[f"{GIVEN.id}.n"]
    return f"{grouped(round(row[GIVEN.id] * of))} of {grouped(of)}"
