"""What leads noticed and guessed of who solved the tasks, and results split by suspicion."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from analysis.report.estimates import limits_row
from analysis.statistics.blinding import Guesses, bang_index, james_index
from analysis.statistics.bootstrap import Bootstrap, Resampling, Units, bootstrap_sums
from analysis.statistics.proportions import Count, Interval, wilson
from analysis.studies.accept_reject.trials import ScoredTrials

ASKED: Mapping[str, tuple[str, ...]] = {
    "source_guess": ("all_people", "some_machine", "all_machine", "cannot_say"),
    "source_which": ("with_line", "without_line", "both_alike", "none", "cannot_say"),
    "noticed_kinds": ("yes", "no", "unsure"),
    "relied_on": ("numeral", "line", "both", "guess", "other"),
}
"""Questions that a lead is asked once, with their answers; the true one of the first is
``some_machine``."""
READING = (
    "Bang’s index (Bang et al. 2004) for each source: (right − wrong) / n, 0 by lot, 1 where every "
    "guess is right. James’s index (James et al. 1996): 1 where everybody can’t say, 0.5 by lot, "
    "0 where every guess is right"
)
SUSPICIOUS = ("some_machine", "all_machine")
_ANSWERS = ("machine", "person", "cannot_say")
_SOLVERS = ("S", "E")

Repeat = Callable[[str, ScoredTrials], dict[str, Any]]


def blinding_results(judged: ScoredTrials, plan: Resampling, repeat: Repeat) -> dict[str, Any]:
    """Return answers at the session's end, guesses of sources, and results by suspicion.

    Parameters
    ----------
    judged
        All trials.
    plan
        Of the resampling.
    repeat
        Gives the main results of some of the trials, under a label.

    Returns
    -------
    dict
        ``answers`` (leads by question and answer), ``guesses`` (accuracy, Bang's index for S
        and for E, James's for both; None where no source was guessed), ``split``.
    """
    leads = _leads(judged.frame)
    return {
        "answers": lead_answers(judged.frame),
        "guesses": _guesses(judged.frame, plan),
        "split": _split(judged, leads, repeat),
    }


def _leads(frame: pd.DataFrame) -> pd.DataFrame:
    """Return one row for each lead with what was answered, by code."""
    names = [name for name in ASKED if name in frame]
    if not names:
        return pd.DataFrame(index=frame["participant"].unique())
    return frame.groupby("participant")[names].first()


def lead_answers(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return how many leads gave each answer to the questions of `ASKED`, by question."""
    leads = _leads(frame)
    rows = []
    for question, answers in ASKED.items():
        given = leads[question].dropna() if question in leads else pd.Series(dtype=object)
        for answer in answers if len(given) else ():
            part = wilson(Count(int((given == answer).sum()), len(given)))
            rows.append(
                {
                    "question": question,
                    "answer": answer,
                    "leads": int((given == answer).sum()),
                    "of": len(given),
                    **limits_row(part, "share"),
                }
            )
    return rows


def _guesses(frame: pd.DataFrame, plan: Resampling) -> dict[str, Any] | None:
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
    return {
        "n": len(own),
        "leads": int(own["participant"].nunique()),
        "counts": [
            {"solver": solver, **dict(zip(_ANSWERS, map(int, row), strict=True))}
            for solver, row in zip(_SOLVERS, counts, strict=True)
        ],
        "accuracy": {**limits_row(_either(wilson(accuracy), found, 2)), "n": accuracy.n},
        "bang": [
            {"solver": solver, **limits_row(part), "n": int(counts[place].sum())}
            for place, (solver, part) in enumerate(zip(_SOLVERS, bang, strict=True))
        ],
        "james": {**limits_row(_either(of_james, found, 3)), "n": len(own)},
        "resampled": found is not None,
        "reading": READING,
    }


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


def _split(judged: ScoredTrials, leads: pd.DataFrame, repeat: Repeat) -> list[dict[str, Any]]:
    """Return the main results of leads who suspected a machine, who noticed kinds, and not."""
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
    return rows if any(row["participants"] for row in rows) else []
