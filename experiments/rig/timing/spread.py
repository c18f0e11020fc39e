"""Errors in figures: mean, spread and extremes, and ratios of spreads with their intervals."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal

import numpy as np

from experiments.rig.grades import LATE_S, Grade, grade_of
from experiments.rig.timing.errors import Errors, Sample
from experiments.rig.timing.exclusions import REASONS

Measure = Literal["onset", "duration", "key", "button"]
MEASURES: tuple[Measure, ...] = ("onset", "duration", "key", "button")
COUNTS = tuple(field.name for field in fields(Errors) if field.name not in MEASURES)
COVERAGE = 0.95


@dataclass(frozen=True, slots=True)
class Spread:
    """Errors in milliseconds.

    Attributes
    ----------
    mean
        Of the signed errors: the constant lag.
    sd
        Within runs: from the variances of the runs, weighted by their degrees of freedom.
    p95, max
        Of the errors without their sign.
    n
        How many.
    """

    mean: float
    sd: float
    p95: float
    max: float
    n: int


def spread(runs: Sequence[Sequence[float]]) -> Spread | None:
    """Return the spread of errors (seconds) from one or more runs; None where there are none."""
    runs_ms = [np.asarray(run) * 1000 for run in runs if len(run)]
    if not runs_ms:
        return None
    every_ms = np.concatenate(runs_ms)
    freedom = sum(len(run) - 1 for run in runs_ms)
    squares = sum(float(((run - run.mean()) ** 2).sum()) for run in runs_ms)
    size_ms = np.abs(every_ms)
    return Spread(
        mean=float(every_ms.mean()),
        sd=math.sqrt(squares / freedom) if freedom else 0.0,
        p95=float(np.quantile(size_ms, 0.95)),
        max=float(size_ms.max()),
        n=len(every_ms),
    )


def trusted(samples: Iterable[Sample]) -> list[float]:
    """Return the errors of samples that nothing speaks against, in seconds."""
    return [sample.error_s for sample in samples if not sample.why]


def summary(runs: Sequence[Errors]) -> dict[str, Any]:
    """Return the figures of one program's runs, as plain JSON values.

    Spreads are of trusted samples; the others are told beside them under ``apart``.
    """
    spreads = {
        f"{measure}_error_ms": _spread_figures(
            spread([trusted(getattr(run, measure)) for run in runs])
        )
        for measure in MEASURES
    }
    counts = {name: sum(getattr(run, name) for run in runs) for name in COUNTS}
    apart = {measure: _apart(runs, measure) for measure in MEASURES}
    return {**spreads, **counts, "apart": apart}


def _apart(runs: Sequence[Errors], measure: Measure) -> dict[str, Any]:
    samples = [sample for run in runs for sample in getattr(run, measure)]
    why = [sample.why for sample in samples]
    left_out = [sample.error_s for sample in samples if sample.why]
    told = _spread_figures(spread([left_out]))
    return {reason: why.count(reason) for reason in REASONS} | {"error_ms": told}


def _spread_figures(found: Spread | None) -> dict[str, float] | None:
    return None if found is None else asdict(found)


@dataclass(frozen=True, slots=True)
class Ratio:
    """The suite's SD by the plain script's, over interleaved pairs of runs.

    Attributes
    ----------
    estimate
        Geometric mean of the pairs' ratios.
    ci_low, ci_high
        95 % interval: Student's t on the logarithms of the pairs' ratios. None from one pair.
    pairs
        How many.
    each
        Of each pair, in the order of the runs.
    """

    estimate: float
    ci_low: float | None
    ci_high: float | None
    pairs: int
    each: tuple[float, ...]


def ratio(pairs: Iterable[tuple[float, float]]) -> Ratio | None:
    """Return the ratio of paired spreads (first by second); None where no pair has both."""
    each = tuple(first / second for first, second in pairs if first and second)
    if not each:
        return None
    logs = np.log(each)
    middle = float(logs.mean())
    if len(logs) == 1:
        return Ratio(math.exp(middle), None, None, 1, each)
    from scipy import stats

    error = float(logs.std(ddof=1)) / math.sqrt(len(logs))
    reach = float(stats.t.ppf((1 + COVERAGE) / 2, len(logs) - 1)) * error
    low, high = math.exp(middle - reach), math.exp(middle + reach)
    return Ratio(math.exp(middle), low, high, len(logs), each)


def ratios(suite: Sequence[Errors], plain: Sequence[Errors]) -> dict[str, Any]:
    """Return the ratio of each measure's SD over interleaved pairs of runs, as JSON values."""
    found: dict[str, Any] = {}
    for measure in MEASURES:
        pairs = [
            (_sd(getattr(ours, measure)), _sd(getattr(theirs, measure)))
            for ours, theirs in zip(suite, plain, strict=True)
        ]
        by = ratio(pairs)
        found[f"{measure}_error_ms"] = None if by is None else asdict(by)
    return found


def _sd(samples: Sequence[Sample]) -> float:
    found = spread([trusted(samples)])
    return 0.0 if found is None else found.sd


def graded(runs: Sequence[Errors]) -> Grade | Literal[""]:
    """Return the grade of a program's runs on a rig; empty where the photodiode saw nothing.

    It is that of onsets or durations, whichever has the larger SD, and of the share of
    durations that are wrong by more than .5 ms.
    """
    onset = spread([trusted(run.onset) for run in runs])
    duration = spread([trusted(run.duration) for run in runs])
    if onset is None or duration is None:
        return ""
    sizes_s = [abs(error_s) for run in runs for error_s in trusted(run.duration)]
    late = sum(size_s > LATE_S for size_s in sizes_s) / len(sizes_s)
    return grade_of(max(onset.sd, duration.sd), late)


def missing(told: Mapping[str, Any]) -> list[str]:
    """Return the measures of a summary of which there is no trusted sample."""
    return [measure for measure in MEASURES if told[f"{measure}_error_ms"] is None]
