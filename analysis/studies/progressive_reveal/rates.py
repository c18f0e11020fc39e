"""Table III, first attempts, and recognition step by step: averages with intervals."""

from collections.abc import Mapping
from dataclasses import astuple, dataclass
from typing import Annotated, Any, Final

import numpy as np
import pandas as pd

from analysis.report.about import about
from analysis.report.estimates import limits_row, named_row
from analysis.statistics.bootstrap import Resampling
from analysis.statistics.means import (
    estimate_mean,
    estimate_of,
    estimate_shares,
    measure_means,
    measure_shares,
)
from analysis.statistics.proportions import LEVEL, Count, Interval
from analysis.statistics.two_way import cell_weights
from analysis.studies.progressive_reveal.trials import RoundTable

Array = np.ndarray

RECOGNISED: Final = "recognised"
ALL_LAST_STEP: Final = "all_last_step"
READINGS: Final = (RECOGNISED, ALL_LAST_STEP)
"""Which rounds the average of uncovered pixels takes: the recognised ones, or all of them."""
EARLY_STEP, LATE_STEP = 4, 9
"""Between these steps the published users recognise on average (section IV-B)."""


@dataclass(frozen=True, slots=True)
class MethodAverages:
    """A method's row of Table III in one reading."""

    method: Annotated[str, about("The method.")]
    pixels: Annotated[float | None, about("Pixels uncovered on average.")]
    attempts: Annotated[float | None, about("Tries on average.")]
    recognition_rate: Annotated[float | None, about("Share of recognised rounds, 0 to 1.")]
    n: Annotated[int, about("Completed rounds.")]
    reading: Annotated[
        str, about("recognised: rounds that were recognised; all_last_step: all of them.")
    ]
    share: Annotated[float | None, about("Share of the image uncovered on average, 0 to 1.")]
    share_low: Annotated[float | None, about("Its lower 95 % limit.")]
    share_high: Annotated[float | None, about("Its upper 95 % limit.")]
    attempts_low: Annotated[float | None, about("Lower 95 % limit of tries.")]
    attempts_high: Annotated[float | None, about("Upper 95 % limit of tries.")]
    recognition_rate_low: Annotated[float | None, about("Lower 95 % limit of the rate.")]
    recognition_rate_high: Annotated[float | None, about("Upper 95 % limit of the rate.")]
    n_averaged: Annotated[int, about("Rounds that the averages of pixels and share take.")]


@dataclass(frozen=True, slots=True)
class Dropping:
    """What leaving unrecognised rounds out does to a method's average share."""

    method: Annotated[str, about("The method.")]
    estimate: Annotated[float | None, about("Average of recognised rounds less that of all.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]


@dataclass(frozen=True, slots=True)
class Averages:
    """Averages over completed rounds, as published (Table III)."""

    rows: Annotated[tuple[MethodAverages, ...], about("Averages by method and reading.")]
    dropping: Annotated[
        tuple[Dropping, ...], about("What leaving unrecognised rounds out does, by method.")
    ]
    attempts_known: Annotated[bool, about("Whether the table has tries.")]

    def of(self, reading: str) -> dict[str, MethodAverages]:
        """Return the rows of a reading by method."""
        return {row.method: row for row in self.rows if row.reading == reading}


@dataclass(frozen=True, slots=True)
class FirstAnswer:
    """How often a method's first answers are right."""

    method: Annotated[str, about("The method.")]
    n: Annotated[int, about("Completed rounds.")]
    rate: Annotated[float | None, about("Share of rounds whose first answer is right, 0 to 1.")]
    rate_low: Annotated[float | None, about("Its lower 95 % limit.")]
    rate_high: Annotated[float | None, about("Its upper 95 % limit.")]
    guess_rate: Annotated[float | None, about("What blind choice among the classes gives.")]
    estimate: Annotated[float | None, about("The share corrected for guessing.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]


@dataclass(frozen=True, slots=True)
class StepCounts:
    """How many rounds of a method were recognised at each step."""

    method: Annotated[str, about("The method.")]
    counts: Annotated[tuple[int, ...], about("Recognised rounds by step, the first step first.")]


@dataclass(frozen=True, slots=True)
class StepDistribution:
    """At which steps rounds were recognised."""

    low: Annotated[int, about("The first step of the published range.")]
    high: Annotated[int, about("The last step of it.")]
    counts: Annotated[tuple[StepCounts, ...], about("Recognised rounds by method and step.")]
    people: Annotated[int, about("Participants with a recognised round.")]
    people_between: Annotated[
        float | None, about("Share of them whose average step is in the range.")
    ]
    rounds_between: Annotated[float | None, about("Share of recognised rounds in the range.")]
    median_step: Annotated[float | None, about("Median step of recognition.")]
    mean_step: Annotated[float | None, about("Mean step of recognition.")]


def table3(table: RoundTable, plan: Resampling) -> Averages:
    """Return Table III over all completed rounds, in both readings, and how they differ."""
    done = table.completed
    frame, methods = done.frame, done.methods
    code = done.method_codes
    attempts = _attempts(frame)
    recognised = frame["recognised"].to_numpy(dtype=float)
    share, pixels = frame["share"].to_numpy(dtype=float), frame["pixels"].to_numpy(dtype=float)
    answered = np.isfinite(attempts)
    every, number_of = np.eye(len(methods)), len(methods)
    weights = cell_weights(code, number_of)
    both = np.column_stack([weights * recognised[:, None], weights])
    of_rate = measure_shares(recognised, code, number_of, done.units, plan)
    of_share, of_pixels = (measure_means(v, both, done.units, plan) for v in (share, pixels))
    of_attempts = measure_means(
        np.nan_to_num(attempts), weights * answered[:, None], done.units, plan
    )
    counted = [
        Count(int(recognised[code == number].sum()), int((code == number).sum()))
        for number in range(number_of)
    ]
    rows, dropping = [], []
    for number, method in enumerate(methods):
        own = every[number]
        seen, whole = np.append(own, 0 * own), np.append(0 * own, own)
        counts = counted[number]
        parts = {
            "rate": estimate_shares(counted, own, of_rate),
            "attempts": estimate_mean(of_attempts, own),
            "share_recognised": estimate_mean(of_share, seen),
            "share_all_last_step": estimate_mean(of_share, whole),
            "pixels_recognised": estimate_of(of_pixels, seen),
            "pixels_all_last_step": estimate_of(of_pixels, whole),
        }
        for reading in READINGS:
            rows.append(_row(method, reading, parts, counts))
        dropping.append(Dropping(method, **limits_row(estimate_mean(of_share, seen - whole))))
    return Averages(tuple(rows), tuple(dropping), bool(answered.any()))


def _row(method: str, reading: str, parts: Mapping[str, Any], counts: Count) -> MethodAverages:
    return MethodAverages(
        method=method,
        pixels=parts[f"pixels_{reading}"],
        n=counts.n,
        reading=reading,
        n_averaged=counts.successes if reading == RECOGNISED else counts.n,
        **named_row(parts[f"share_{reading}"], "share"),
        **named_row(parts["attempts"], "attempts"),
        **named_row(parts["rate"], "recognition_rate"),
    )


def _attempts(frame: pd.DataFrame) -> Array:
    if "attempts" not in frame:
        return np.full(len(frame), np.nan)
    return frame["attempts"].to_numpy(dtype=float, na_value=np.nan)


def first_answers(table: RoundTable, plan: Resampling) -> tuple[FirstAnswer, ...]:
    """Return how often the first answer was right, raw and corrected for guessing.

    Corrected: (rate - g) / (1 - g) with g = ``guess_rate``, what blind choice among the
    classes gives (Abbott 1925, J. Econ. Entomol. 18). Rounds without an answer count as not
    right. Empty without the columns.
    """
    frame = table.completed.frame
    if "first_attempt_right" not in frame or "guess_rate" not in frame:
        return ()
    done = table.completed
    right = frame["first_attempt_right"].fillna(False).to_numpy(dtype=float)
    guess = frame["guess_rate"].to_numpy(dtype=float, na_value=np.nan)
    code, methods = done.method_codes, len(done.methods)
    found = measure_shares(right, code, methods, done.units, plan)
    own = [done.method_codes == number for number in range(methods)]
    rows = []
    for number, method in enumerate(done.methods):
        counts = [Count(int(right[rows_].sum()), int(rows_.sum())) for rows_ in own]
        raw = estimate_shares(counts, np.eye(methods)[number], found)
        chance = float(guess[own[number]].mean())
        corrected = [(limit - chance) / (1 - chance) for limit in astuple(raw.at(LEVEL))]
        rows.append(
            FirstAnswer(
                method=method,
                n=int(own[number].sum()),
                **named_row(raw, "rate"),
                guess_rate=chance,
                **limits_row(Interval(*corrected)),
            )
        )
    return tuple(rows)


def step_distribution(table: RoundTable) -> StepDistribution:
    """Return at which steps rounds were recognised, and where people's average steps lie."""
    own = table.frame[table.frame["recognised"]]
    by_person = own.groupby("participant")["step"].mean()
    counts = []
    for method in table.methods:
        steps = own.loc[own["method"] == method, "step"]
        numbers = np.bincount(steps, minlength=table.steps + 1)[1:]
        counts.append(StepCounts(method, tuple(map(int, numbers))))
    within = by_person.between(EARLY_STEP, LATE_STEP)
    return StepDistribution(
        low=EARLY_STEP,
        high=LATE_STEP,
        counts=tuple(counts),
        people=len(by_person),
        people_between=float(within.mean()) if len(by_person) else None,
        rounds_between=(
            float(own["step"].between(EARLY_STEP, LATE_STEP).mean()) if len(own) else None
        ),
        median_step=float(own["step"].median()) if len(own) else None,
        mean_step=float(own["step"].mean()) if len(own) else None,
    )
