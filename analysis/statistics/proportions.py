"""Intervals for proportions and for sums of independent proportions.

`judge` compares a difference with a margin: worse, like, better or undecided.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from typing import Literal, TypeVar

import numpy as np

from analysis.distributions import normal_quantile

LEVEL = 0.95
DRAWN = 9_999
"""Tables from which the p of more than two groups is found."""
_ROUNDING = 1e-13  # of the probability of a table

Limits = TypeVar("Limits")
Verdict = Literal["worse", "like", "better", "undecided", "unknown"]


@dataclass(frozen=True, slots=True)
class Count:
    """So many successes among n."""

    successes: int
    n: int

    @property
    def rate(self) -> float:
        """Share of successes; NaN without a trial."""
        return self.successes / self.n if self.n else float("nan")


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with its limits; all NaN where it can't be given."""

    estimate: float
    ci_low: float
    ci_high: float

    @property
    def known(self) -> bool:
        """Whether there is an estimate."""
        return bool(np.isfinite(self.estimate))


UNKNOWN = Interval(float("nan"), float("nan"), float("nan"))


@lru_cache(maxsize=100_000)  # thousands of people share few counts
def wilson(count: Count, level: float = LEVEL) -> Interval:
    """Return a share with Wilson's score interval (Wilson 1927)."""
    if count.n == 0:
        return UNKNOWN
    z = float(normal_quantile((1 + level) / 2))
    rate, n, whole = count.rate, count.n, 1 + z**2 / count.n
    middle, half = rate + z**2 / (2 * n), z * sqrt(rate * (1 - rate) / n + z**2 / (4 * n**2))
    # Exact at the ends, where rounding would put the limit beside the estimate.
    low = 0.0 if count.successes == 0 else (middle - half) / whole
    high = 1.0 if count.successes == n else (middle + half) / whole
    return Interval(count.rate, low, high)


def mover(counts: Sequence[Count], weights: Sequence[float], level: float = LEVEL) -> Interval:
    """Return a weighted sum of independent proportions with its MOVER interval.

    The limits recover each proportion's variance from its Wilson limits (Zou & Donner
    2008, Stat. Med. 27, eq. 6). For a difference of two it is Newcombe's (1998) hybrid
    score interval. It never collapses at rates of 0 or 1.

    Parameters
    ----------
    counts
        One a proportion.
    weights
        Their factors; a proportion of weight 0 may be unknown.
    level
        Confidence level.
    """
    used = [(count, weight) for count, weight in zip(counts, weights, strict=True) if weight]
    if len(used) == 1 and used[0][1] == 1:
        return wilson(used[0][0], level)
    if any(count.n == 0 for count, _ in used):
        return UNKNOWN
    estimate, below, above = 0.0, 0.0, 0.0
    for count, weight in used:
        part = wilson(count, level)
        ends = sorted((weight * part.ci_low, weight * part.ci_high))
        value = weight * part.estimate
        estimate += value
        below += (value - ends[0]) ** 2
        above += (ends[1] - value) ** 2
    return Interval(estimate, estimate - below**0.5, estimate + above**0.5)


def equal_rates_p(counts: Sequence[Count]) -> float:
    """Return the p value of the hypothesis that several proportions are equal.

    Fisher's exact test with the generalisation to more than two groups by Freeman & Halton (1951,
    Biometrika 38), whose p value is found by `DRAWN` tables drawn with a fixed seed.

    Parameters
    ----------
    counts
        Of each group; 1.0 with fewer than two groups, or if nobody or everybody succeeded.
    """
    table = np.array([[arm.successes, arm.n - arm.successes] for arm in counts if arm.n])
    if len(table) < 2 or 0 in table.sum(axis=0):
        return 1.0
    # Imported late, since it takes two seconds.
    from scipy.stats import fisher_exact, random_table

    if len(table) == 2:
        return float(np.squeeze(fisher_exact(table).pvalue))
    # scipy's own test of more groups fails if there are more answers than drawn cells.
    rng = np.random.default_rng(1)
    tables = random_table(table.sum(axis=1), table.sum(axis=0), seed=rng)
    likely = tables.pmf(table) * (1 + _ROUNDING)
    return float((1 + np.sum(tables.pmf(tables.rvs(DRAWN)) <= likely)) / (1 + DRAWN))


def judge(wide: Interval, narrow: Interval, margin: float) -> Verdict:
    """Return what a difference of acceptance rates shows.

    Like: the 90 % interval lies within -margin and +margin (two one-sided tests at 5 %, Schuirmann
    1987). Worse or better: the 95 % interval lies wholly beyond the margin. Undecided otherwise,
    and if the difference has no interval of its own (limits at the estimate): a difference that
    didn't vary among those who were asked may vary among others.

    Parameters
    ----------
    wide, narrow
        The difference with its 95 % and its 90 % interval.
    margin
        On the probability scale, greater than 0.
    """
    if not wide.known:
        return "unknown"
    if not wide.ci_low < wide.ci_high:
        return "undecided"
    if narrow.ci_low > -margin and narrow.ci_high < margin:
        return "like"
    if wide.ci_high < -margin:
        return "worse"
    if wide.ci_low > margin:
        return "better"
    return "undecided"


def true_verdict(difference: float, margin: float) -> Verdict:
    """Return the right verdict on a known difference; at the margin no verdict is right."""
    if abs(difference) < margin:
        return "like"
    if abs(difference) == margin:
        return "undecided"
    return "worse" if difference < 0 else "better"


def deciding(verdict: str, wide: Limits, narrow: Limits) -> tuple[int, Limits]:
    """Return the level in per cent, and the interval, by which a verdict was reached.

    A text that gives a verdict gives this interval: beside a 95 % interval that crosses the margin
    "like" would look wrong.
    """
    return (90, narrow) if verdict == "like" else (95, wide)
