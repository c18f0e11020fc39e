"""An estimate whose limits, p and verdict come from one test.

Limits at level L are the values that the test doesn't reject at 1 − L. So limits at different
levels nest, and an interval excludes zero exactly if p says so. Where two tests apply, such as one
over people and one that takes answers as independent because nothing varied, the estimate has the
wider limits and the larger p. `adjusted` corrects a family of estimates, limits and p alike.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite, isnan, nan, sqrt
from typing import Final, Protocol

import numpy as np
from scipy.optimize import brentq

from analysis.distributions import holm, normal_above, t_above, t_quantile
from analysis.statistics.proportions import (
    LEVEL,
    UNKNOWN,
    Count,
    Interval,
    Verdict,
    judge,
    mover,
)

Array = np.ndarray
Ends = tuple[float, float]

ANYWHERE: Final[Ends] = (-inf, inf)
NARROW: Final = 0.90
"""Level of the interval that two one-sided tests at 5 % read."""
_MOST_Z: Final = 7.6  # where 1 less the normal's tail is still a level
_LEAST_P: Final = 1e-300
_SAME_P: Final = 1e-6
"""How near p is to Student's if it is his."""
_ROUNDING: Final = 1e-12
"""What rounding leaves of a standard error that is zero."""


class Procedure(Protocol):
    """A test of every value that a quantity may have."""

    def limits(self, level: float) -> Ends:
        """Return the least and the largest value that aren't rejected at 1 − level."""
        ...

    def p(self, null: float) -> float:
        """Return the two-sided p of a value."""
        ...


@dataclass(frozen=True, slots=True)
class Student:
    """Student's t of an estimate, by its standard error and degrees of freedom."""

    estimate: float
    se: float
    df: float

    def limits(self, level: float) -> Ends:
        """Return limits that lie equally far to both sides."""
        reach = float(t_quantile((1 + level) / 2, self.df)) * self.se
        return self.estimate - reach, self.estimate + reach

    def p(self, null: float) -> float:
        """Return the two-sided p of a value."""
        return float(2 * t_above(abs(self.estimate - null) / self.se, self.df))


@dataclass(frozen=True, slots=True)
class Score:
    """A single share with Wilson's limits, for as many independent answers as would spread alike.

    Dean & Pagano (2015), J. Surv. Stat. Methodol. 3, with Student's t in the place of z.
    """

    share: float
    se: float
    df: float

    def limits(self, level: float) -> Ends:
        """Return Wilson's limits, which lie further away on the side of one half."""
        t = float(t_quantile((1 + level) / 2, self.df))
        below, above = wilson_reach(self.share, t * self.se)
        return float(self.share + below), float(self.share + above)

    def p(self, null: float) -> float:
        """Return the two-sided p of a share, whose own variance decides."""
        inner = null * (1 - null)
        if inner <= 0:
            return 1.0 if null == self.share else 0.0
        answers = self.share * (1 - self.share) / self.se**2
        return float(2 * t_above(abs(self.share - null) / sqrt(inner / answers), self.df))


@dataclass(frozen=True, slots=True)
class Independent:
    """A weighted sum of shares whose answers count as independent (see `mover`)."""

    counts: tuple[Count, ...]
    weights: tuple[float, ...]

    def limits(self, level: float) -> Ends:
        """Return the MOVER limits."""
        part = mover(self.counts, self.weights, level)
        return part.ci_low, part.ci_high

    def p(self, null: float) -> float:
        """Return one minus the highest level at which the limits exclude a value."""
        estimate = mover(self.counts, self.weights).estimate

        def inside(z: float) -> float:
            low, high = self.limits(1 - 2 * float(normal_above(z)))
            return high - null if null > estimate else null - low

        if estimate == null or inside(_MOST_Z) < 0:
            return 1.0 if estimate == null else float(2 * normal_above(_MOST_Z))
        return float(2 * normal_above(brentq(inside, 0.0, _MOST_Z)))


@dataclass(frozen=True, slots=True)
class Alike:
    """The mean of answers that are all alike, with exact limits (Clopper & Pearson 1934).

    None of n answers differs. At level L a share u = 1 − ((1 − L) / 2)^(1 / n) of all answers may.
    If those lie anywhere between `ends`, the mean lies between value − u (value − low) and value +
    u (high − value). Half-way to the end, p is that of a sign test of n answers.

    Attributes
    ----------
    value, n
        What all answers are, and how many count as independent: if people and items count as
        random, the smaller of their numbers is the safe choice.
    ends
        The least and the most that an answer can be.
    """

    value: float
    n: int
    ends: Ends

    def limits(self, level: float) -> Ends:
        """Return the exact limits."""
        share = 1 - ((1 - level) / 2) ** (1 / self.n)
        low, high = self.ends
        return self.value - share * (self.value - low), self.value + share * (high - self.value)

    def p(self, null: float) -> float:
        """Return the two-sided p of a value."""
        end = self.ends[0] if null < self.value else self.ends[1]
        if null == self.value or end == self.value:
            return 1.0 if null == self.value else 0.0
        away = min((self.value - null) / (self.value - end), 1.0)
        return min(1.0, 2 * (1 - away) ** self.n)


@dataclass(frozen=True, slots=True)
class Percentile:
    """A statistic with the replicates of a bootstrap: percentile limits and the p that they give.

    Attributes
    ----------
    draws
        (B,) finite replicates.
    """

    draws: Array

    def limits(self, level: float) -> Ends:
        """Return the percentile limits."""
        low, high = np.quantile(self.draws, [(1 - level) / 2, (1 + level) / 2])
        return float(low), float(high)

    def p(self, null: float) -> float:
        """Return one minus the highest level at which the limits exclude a value."""
        ordered, last = np.sort(self.draws), len(self.draws) - 1
        above = int(np.searchsorted(ordered, null, side="right"))
        below = int(np.searchsorted(ordered, null, side="left"))
        least = _place(ordered, above, null) / last if last else 0.0
        most = _place(ordered, below, null) / last if last else 1.0
        return float(min(1.0, max(2 * min(least, 1 - most), 1 / (2 + last))))


def _place(ordered: Array, after: int, value: float) -> float:
    """Return where a value lies among ordered ones, between the `after`-th and the one before."""
    if after in (0, len(ordered)):
        return float(min(after, len(ordered) - 1))
    low, high = ordered[after - 1], ordered[after]
    return after - 1 + float((value - low) / (high - low))


def wilson_reach(share: Array | float, reach: Array | float) -> Array:
    """Return (2, ...) how far Wilson's limits lie below and above a share.

    Parameters
    ----------
    share
        Shares, 0 to 1; at 0 and 1 the limits collapse.
    reach
        The quantile times the standard error of each.
    """
    inner = np.asarray(share * (1 - share), dtype=float)
    widening = np.square(reach) / np.where(inner > 1e-12, inner, np.inf)
    shift = widening * (0.5 - share) / (1 + widening)
    half = np.sqrt(np.square(reach) + widening**2 / 4) / (1 + widening)
    return np.stack([shift - half, shift + half])


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimate with what tests it.

    Attributes
    ----------
    estimate
        NaN where it isn't known.
    tests
        One or more; none where the estimate has no limits.
    ends
        The least and the most that the quantity can be: limits are cut there.
    se, df
        Standard error and degrees of freedom over people and items; NaN where there are none.
    """

    estimate: float
    tests: tuple[Procedure, ...] = ()
    ends: Ends = ANYWHERE
    se: float = nan
    df: float = nan

    @property
    def known(self) -> bool:
        """Whether there is an estimate."""
        return isfinite(self.estimate)

    @property
    def ci_low(self) -> float:
        """The lower 95 % limit."""
        return self.at(LEVEL).ci_low

    @property
    def ci_high(self) -> float:
        """The upper 95 % limit."""
        return self.at(LEVEL).ci_high

    def at(self, level: float) -> Interval:
        """Return the estimate with its limits at a level."""
        if not self.known:
            return UNKNOWN
        if not self.tests:
            return Interval(self.estimate, nan, nan)
        lows, highs = zip(*(test.limits(level) for test in self.tests), strict=True)
        low, high = self.ends
        return Interval(self.estimate, max(min(lows), low), min(max(highs), high))

    @property
    def p(self) -> float:
        """The two-sided p of zero; NaN without a test."""
        return self.p_of(0.0)

    def p_of(self, null: float) -> float:
        """Return the two-sided p of a value; NaN without a test."""
        if not (self.known and self.tests):
            return nan
        return max(test.p(null) for test in self.tests)

    def no_narrower(self, other: "Estimate") -> "Estimate":
        """Return the estimate with the tests of another, too: the wider limits, the larger p.

        What is said of people in general includes these people. With few answers a person their
        variance may come out smaller than that about these people alone.
        """
        return replace(self, tests=(*self.tests, *other.tests)) if self.tests else self

    def verdict(self, margin: float) -> Verdict:
        """Return what the estimate shows against a margin; see `judge`."""
        return judge(self.at(LEVEL), self.at(NARROW), margin)


NOTHING: Final = Estimate(nan)
"""What can't be estimated."""


def by_student(estimate: float, se: float, df: float, ends: Ends = ANYWHERE) -> Estimate:
    """Return an estimate tested by Student's t; without limits where its error isn't known."""
    if not isfinite(estimate):
        return NOTHING
    se = 0.0 if se < _ROUNDING * max(1.0, abs(estimate)) else se
    known = se > 0 and df > 0
    return Estimate(estimate, (Student(estimate, se, df),) if known else (), ends, se, df)


def bayes_factor(estimate: float, se: float | None, df: float | None, p: float) -> float | None:
    """Return how many times better a difference than none explains a t test (BF10).

    The JZS Bayes factor with a Cauchy prior of scale .707 on the standardised difference (Rouder et
    al. 2009, Psychon. Bull. Rev. 16), by pingouin. The test counts as one of df + 1 differences.

    Parameters
    ----------
    estimate, se, df
        The difference, its standard error and degrees of freedom; unknown or unlimited ones have
        no Bayes factor.
    p
        Two-sided p of no difference. Where it isn't Student's, there is none either.
    """
    if not se or df is None or not isfinite(df):
        return None
    t = estimate / se
    if abs(2 * t_above(abs(t), df) - p) > _SAME_P:
        return None
    import pingouin  # takes seconds, and few reports need it

    factor = float(pingouin.bayesfactor_ttest(t, df + 1))
    return factor if isfinite(factor) else None


def holm_level(p: float | None, p_adjusted: float, level: float = LEVEL) -> float:
    """Return the level at which limits agree with an adjusted p.

    Holm's procedure compares p with a share of 1 − level, and the limits have the level of that
    share (Serlin 1993, J. Exp. Educ. 61(4)): they exclude zero exactly if the adjusted p is below 1
    − level.
    """
    if p is None or isnan(p) or isnan(p_adjusted):
        return level
    return 1 - (1 - level) * max(p, _LEAST_P) / max(p_adjusted, _LEAST_P)


@dataclass(frozen=True, slots=True)
class Adjusted:
    """One of several estimates, with p after Holm's correction.

    Attributes
    ----------
    of, p
        The estimate, and its p after the correction.
    level
        Of the limits that agree with it.
    tests
        How many tests the correction is over.
    """

    of: Estimate
    p: float
    level: float
    tests: int

    @property
    def wide(self) -> Interval:
        """The estimate with limits that agree with the corrected p."""
        return self.of.at(self.level)


def adjusted(family: Sequence[Estimate]) -> tuple[Adjusted, ...]:
    """Return the estimates of a family with p after Holm's correction and limits adjusted alike."""
    raw = [estimate.p for estimate in family]
    tests = sum(not isnan(after) for after in holm(raw))
    return tuple(
        Adjusted(estimate, after, holm_level(before, after), tests)
        for estimate, before, after in zip(family, raw, holm(raw), strict=True)
    )
