"""Comparisons of groups by what one number a participant shows, with effect sizes.

Every test comes with an estimate and its interval. The limits of both follow from the test that p
comes from: zero lies outside them exactly if p is below .05. Each number must be one participant's
(or one item's): trials of one person aren't independent. Participants as the only random
unit is right where everyone sees items of their own or where the items are all there are;
where items stand for others, take a mixed model or the two-way bootstrap.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, log10
from typing import Final

import numpy as np
from scipy import special

from analysis.statistics.estimate import NOTHING, Ends, Estimate, by_student
from analysis.statistics.order_statistics import Biserial, Ranks, Shift
from analysis.statistics.proportions import LEVEL

Array = np.ndarray
U_TEST, U_EFFECT = "Mann-Whitney U test", "rank-biserial correlation"
V_TEST, V_EFFECT = "Wilcoxon signed-rank test", "matched-pairs rank-biserial correlation"
G: Final = "Hedges' g"
FEW: Final = "too few values"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two groups, or two measures of one group, compared.

    Attributes
    ----------
    test
        What was computed, in words.
    n
        Size of each group; for paired measures the number of pairs, twice.
    statistic
        The test's own; U or V of the first for rank tests.
    difference
        First less second on their own scale: of means for t tests, of medians (the
        Hodges-Lehmann estimate) for rank tests.
    effect_name, effect
        Hedges' g, or the rank-biserial correlation, positive where the first is larger.
    why_not
        Returns why p or limits at a level are NaN, in words; empty if none is.
    """

    test: str
    n: tuple[int, int]
    statistic: float
    difference: Estimate
    effect_name: str
    effect: Estimate
    why_not: Callable[[float], str] = lambda _: ""

    @property
    def p(self) -> float:
        """Two-sided p of no difference; NaN where `why_not` says why."""
        return self.difference.p

    @property
    def note(self) -> str:
        """Why p or 95 % limits are NaN."""
        return self.why_not(LEVEL)


def welch(first: Array, second: Array) -> Comparison:
    """Compare two groups' means without assuming equal variances (Welch 1947).

    Hedges' g is in units of the pooled standard deviation.
    """
    a, b = _finite(first), _finite(second)
    name, sizes = "Welch's t test", (len(a), len(b))
    if min(sizes) < 2:
        return _nothing(name, sizes, G, FEW)
    if np.ptp(a) == 0 and np.ptp(b) == 0:
        why = "the values of each arm are all alike"
        return _nothing(name, sizes, G, why, a.mean() - b.mean())
    parts = np.array([a.var(ddof=1), b.var(ddof=1)])
    pooled = np.sqrt(parts @ (np.array(sizes) - 1) / (sum(sizes) - 2))
    errors = parts / sizes
    df = float(errors.sum() ** 2 / (errors**2 / (np.array(sizes) - 1)).sum())
    difference = float(a.mean() - b.mean())
    return _by_means(name, sizes, difference, float(np.sqrt(errors.sum())), df, pooled)


def paired_t(first: Array, second: Array) -> Comparison:
    """Compare two measures of the same units; pairs with a missing one are left out.

    Hedges' g is in units of the measures' own averaged standard deviation, not of the
    differences', so that it can be set beside that of independent groups.
    """
    a, b = _whole_pairs(first, second)
    name, sizes = "paired t test", (len(a), len(b))
    if len(a) < 2:
        return _nothing(name, sizes, G, FEW)
    differences = _without_noise(a, b)
    if np.ptp(differences) == 0:
        return _nothing(name, sizes, G, "all pairs differ alike", differences[0])
    averaged = np.sqrt((a.var(ddof=1) + b.var(ddof=1)) / 2)
    error = float(differences.std(ddof=1) / np.sqrt(len(a)))
    difference = float(differences.mean())
    return _by_means(name, sizes, difference, error, len(a) - 1, averaged)


def mann_whitney(first: Array, second: Array) -> Comparison:
    """Compare two groups by ranks (Mann & Whitney 1947).

    The limits of the Hodges-Lehmann difference are order statistics of all differences between the
    groups, those that R's ``wilcox.test`` takes (Bauer 1972, J. Am. Stat. Assoc. 67). The
    rank-biserial correlation is P(first > second) - P(first < second).
    """
    a, b = _finite(first), _finite(second)
    sizes = (len(a), len(b))
    if min(sizes) < 1:
        return _nothing(U_TEST, sizes, U_EFFECT, FEW)
    return _by_ranks(U_TEST, sizes, Ranks.of_groups(a, b), U_EFFECT)


def wilcoxon(first: Array, second: Array) -> Comparison:
    """Compare two measures of the same units by signed ranks (Wilcoxon 1945).

    Pairs that don't differ are left out of p, of the difference and of the matched-pairs
    rank-biserial correlation (Kerby 2014, Compr. Psychol. 3). The limits of the Hodges-Lehmann
    difference are order statistics of the averages of two pairs' differences, as R's.
    """
    a, b = _whole_pairs(first, second)
    sizes = (len(a), len(b))
    differences = _without_noise(a, b)
    if not len(differences):
        return _nothing(V_TEST, sizes, V_EFFECT, FEW)
    if not differences.any():
        return _nothing(V_TEST, sizes, V_EFFECT, "no pair differs", 0.0)
    return _by_ranks(V_TEST, sizes, Ranks.of_pairs(differences), V_EFFECT)


def _by_ranks(test: str, sizes: tuple[int, int], ranks: Ranks, effect: str) -> Comparison:
    shift = Estimate(ranks.shift(LEVEL).estimate, (Shift(ranks),))
    correlation = Estimate(ranks.effect(LEVEL).estimate, (Biserial(ranks),), (-1.0, 1.0))
    return Comparison(test, sizes, ranks.count, shift, effect, correlation, ranks.why_not)


@dataclass(frozen=True, slots=True)
class Standardised:
    """The t test of a difference in units of a standard deviation (Hedges' g).

    Limits are those of the noncentral t whose own quantile is the t that was found (Algina &
    Keselman 2003, Educ. Psychol. Meas. 63), so that they agree with p.

    Attributes
    ----------
    t, df
        The test's.
    scale
        The difference in these units, by t.
    """

    t: float
    df: float
    scale: float

    def limits(self, level: float) -> Ends:
        """Return the limits of the standardised difference."""
        tails = np.array([1 + level, 1 - level]) / 2
        low, high = self.scale * special.nctdtrinc(self.df, tails, self.t)
        return float(low), float(high)

    def p(self, null: float) -> float:
        """Return the two-sided p of a standardised difference."""
        below = float(special.nctdtr(self.df, null / self.scale, np.array(self.t)))
        return 2 * min(below, 1 - below)


def _by_means(
    name: str, sizes: tuple[int, int], difference: float, error: float, df: float, unit: float
) -> Comparison:
    """Return a t test of a difference with its standard error, and Hedges' g in a unit."""
    t, scale = difference / error, error / unit * (1 - 3 / (4 * sum(sizes) - 9))
    g = Estimate(t * scale, (Standardised(t, df, scale),))
    return Comparison(name, sizes, t, by_student(difference, error, df), G, g)


def _nothing(
    test: str, n: tuple[int, int], effect: str, note: str, difference: float = float("nan")
) -> Comparison:
    only = Estimate(float(difference))
    return Comparison(test, n, float("nan"), only, effect, NOTHING, lambda _: note)


def _finite(values: Array) -> Array:
    values = np.asarray(values, dtype=float)
    return values[np.isfinite(values)]


def _whole_pairs(first: Array, second: Array) -> tuple[Array, Array]:
    a, b = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    whole = np.isfinite(a) & np.isfinite(b)
    return a[whole], b[whole]


def _without_noise(a: Array, b: Array) -> Array:
    """Return a less b to 12 digits, so that only rounding can't make differences unequal."""
    largest = np.abs([a, b]).max(initial=0.0)
    return np.round(a - b, 12 - ceil(log10(largest))) if largest else a - b
