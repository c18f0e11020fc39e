"""What leads noticed and guessed about who solved the tasks, and results split by suspicion.

The table of the answers at the end of the session is here too. The assessment of accuracy also
shows it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Final

import numpy as np
import pandas as pd

from analysis.report.about import about
from analysis.report.declared import ReportTable, Source, Text, changes, spelled
from analysis.report.estimates import limits_row
from analysis.report.parts import Column, cell, limits
from analysis.report.wording import bare_percent, grouped, percent
from analysis.statistics.blinding import Guesses, bang_index, james_index
from analysis.statistics.bootstrap import Bootstrap, Resampling, Units, bootstrap_sums
from analysis.statistics.proportions import Count, Interval, wilson
from analysis.studies.accept_reject.repeated import Repeated
from analysis.studies.accept_reject.trials import ScoredTrials

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
    "every guess is right. James’s index (James et al. 1996): 1 where everybody can’t say, 0.5 by "
    "chance, 0 where every guess is right"
)
SUSPICIOUS = ("some_machine", "all_machine")
_ANSWERS: Final = ("machine", "person", "cannot_say")
_SOLVERS: Final = ("S", "E")

Repeat = Callable[[str, ScoredTrials], Repeated]

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


@dataclass(frozen=True, slots=True)
class LeadAnswers:
    """How many leads gave an answer at the end of the session."""

    question: Annotated[str, about("The question, by its column of the trial table.")]
    answer: Annotated[str, about("The answer.")]
    leads: Annotated[int, about("Leads who gave it.")]
    of: Annotated[int, about("Leads who answered the question.")]
    share: Annotated[float | None, about("Their share, 0 to 1.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit (Wilson).")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit (Wilson).")]


@dataclass(frozen=True, slots=True)
class SourceCounts:
    """Guesses of who gave a solver's solutions."""

    solver: Annotated[str, about("Whose solutions: S or E.")]
    machine: Annotated[int, about("Guesses “machine”.")]
    person: Annotated[int, about("Guesses “person”.")]
    cannot_say: Annotated[int, about("Answers “can’t say”.")]


@dataclass(frozen=True, slots=True)
class GuessIndex:
    """A share of guesses, or an index made of them."""

    estimate: Annotated[float | None, about("The share or index.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]
    n: Annotated[int, about("Guesses that it is computed from.")]


@dataclass(frozen=True, slots=True)
class BangIndex:
    """Bang's index of a solver, −1 to 1."""

    solver: Annotated[str, about("Whose solutions: S or E.")]
    estimate: Annotated[float | None, about("The index.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]
    n: Annotated[int, about("Guesses.")]


@dataclass(frozen=True, slots=True)
class SourceGuesses:
    """Guesses of single solutions' sources, and blinding indices."""

    n: Annotated[int, about("Solutions that were guessed.")]
    leads: Annotated[int, about("Leads who guessed.")]
    counts: Annotated[tuple[SourceCounts, ...], about("Guesses by solver.")]
    accuracy: Annotated[
        GuessIndex, about("Share of right guesses; answers “can’t say” are left out.")
    ]
    bang: Annotated[tuple[BangIndex, ...], about("Bang's index by solver.")]
    james: Annotated[GuessIndex, about("James's index over both, 0 to 1.")]
    resampled: Annotated[bool, about("Whether limits come from the bootstrap.")]
    reading: Annotated[str, about("How to read the indices.")]


def _leads(frame: pd.DataFrame) -> pd.DataFrame:
    """Return one row for each lead with what was answered, by code."""
    names = [name for name in ASKED if name in frame]
    if not names:
        return pd.DataFrame(index=frame["participant"].unique())
    return frame.groupby("participant")[names].first()


def answers_at_the_end(frame: pd.DataFrame) -> tuple[LeadAnswers, ...]:
    """Return how many leads gave each answer to the questions of `ASKED`, by question."""
    leads = _leads(frame)
    rows = []
    for question, answers in ASKED.items():
        given = leads[question].dropna() if question in leads else pd.Series(dtype=object)
        for answer in answers if len(given) else ():
            number = int((given == answer).sum())
            share = limits_row(wilson(Count(number, len(given))), "share")
            rows.append(LeadAnswers(question, answer, number, len(given), **share))
    return tuple(rows)


def guess_sources(frame: pd.DataFrame, plan: Resampling) -> SourceGuesses | None:
    """Return how well leads guessed who gave solutions; None if nobody guessed."""
    if "guessed_source" not in frame:
        return None
    own = frame[frame["solver"].isin(_SOLVERS) & frame["guessed_source"].isin(_ANSWERS)]
    if own.empty:
        return None
    counts = np.array(
        [
            [((own["solver"] == s) & (own["guessed_source"] == a)).sum() for a in _ANSWERS]
            for s in _SOLVERS
        ]
    )
    found = _resampled(own, plan) if own["participant"].nunique() > 1 else None
    accuracy = Count(int(counts[0, 0] + counts[1, 1]), int(counts[:, :2].sum()))
    bang = [
        _either(bang_index(Guesses(*_right_wrong(counts, place))), found, place)
        for place in range(2)
    ]
    james = float(james_index(counts))
    of_james = Interval(james, *([float("nan")] * 2))
    return SourceGuesses(
        n=len(own),
        leads=int(own["participant"].nunique()),
        counts=tuple(
            SourceCounts(solver, *map(int, row))
            for solver, row in zip(_SOLVERS, counts, strict=True)
        ),
        accuracy=GuessIndex(**limits_row(_either(wilson(accuracy), found, 2)), n=accuracy.n),
        bang=tuple(
            BangIndex(solver, **limits_row(part), n=int(counts[place].sum()))
            for place, (solver, part) in enumerate(zip(_SOLVERS, bang, strict=True))
        ),
        james=GuessIndex(**limits_row(_either(of_james, found, 3)), n=len(own)),
        resampled=found is not None,
        reading=READING,
    )


def _right_wrong(counts: np.ndarray, place: int) -> tuple[int, int, int]:
    """Return right, wrong and unsure guesses about one source; the first is the machine."""
    return int(counts[place, place]), int(counts[place, 1 - place]), int(counts[place, 2])


def _resampled(own: pd.DataFrame, plan: Resampling) -> Bootstrap:
    """Resample both Bang indices, accuracy and James's: a lead guesses often."""
    columns = np.column_stack(
        [
            ((own["solver"] == solver) & (own["guessed_source"] == answer)).to_numpy(dtype=float)
            for solver in _SOLVERS
            for answer in _ANSWERS
        ]
    )
    units = Units.of(own["participant"], own["item"])
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
    return np.concatenate([bang, accuracy[..., None], james_index(table)[..., None]], axis=-1)


def _either(plain: Interval, found: Bootstrap | None, place: int) -> Interval:
    """Return the resampled interval, at least as wide as that of independent guesses."""
    if found is None or not plain.known:
        return plain
    drawn = found.interval(place)
    return Interval(
        plain.estimate,
        float(np.fmin(drawn.ci_low, plain.ci_low)),
        float(np.fmax(drawn.ci_high, plain.ci_high)),
    )


def split_by_suspicion(judged: ScoredTrials, repeat: Repeat) -> tuple[Repeated, ...]:
    """Return the main results of leads who suspected a machine, who noticed kinds, and not.

    Parameters
    ----------
    judged
        All trials.
    repeat
        Returns the main results of some of the trials, under a label.
    """
    leads = _leads(judged.frame)
    groups = []
    if "source_guess" in leads:
        answered = leads["source_guess"].notna()
        suspects = leads["source_guess"].isin(SUSPICIOUS)
        groups += [
            ("leads who suspect a machine", answered & suspects),
            ("leads who don’t", answered & ~suspects),
        ]
    if "noticed_kinds" in leads:
        noticed = leads["noticed_kinds"]
        groups += [
            ("leads who noticed different kinds of solutions", noticed == "yes"),
            ("leads who didn’t, or weren’t sure", noticed.isin(["no", "unsure"])),
        ]
    rows = []
    for label, chosen in groups:
        codes = leads.index[chosen.fillna(False).astype(bool)]
        rows.append(repeat(label, judged.measured(judged.frame["participant"].isin(codes))))
    return tuple(rows) if any(row.participants for row in rows) else ()


def answers_table(source: Source, note: Text = "") -> ReportTable:
    """Return the table of what leads answered at the end.

    Parameters
    ----------
    source
        Where its rows are; see `answers_at_the_end`.
    note
        What the true answer is.
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
