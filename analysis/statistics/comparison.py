"""Comparisons of groups by what one number a participant shows, with effect sizes.

Every test comes with an estimate and its interval. The limits of both follow from the test that p
comes from: zero lies outside them exactly if p is below .05. Each number must be one participant's
(or one item's): trials of one person aren't independent. Participants as the only random
unit is right where everyone sees items of their own or where the items are all there are;
where items stand for others, take a mixed model or the two-way bootstrap.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log10
from typing import Final

import numpy as np
import pingouin
from scipy import special, stats

from analysis.statistics.order_statistics import Ranks
from analysis.statistics.proportions import LEVEL, UNKNOWN, Interval

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
    p
        Two-sided.
    difference
        First less second on their own scale: of means for t tests, of medians (the
        Hodges-Lehmann estimate) for rank tests.
    effect_name, effect
        Hedges' g, or the rank-biserial correlation, positive where the first is larger.
    note
        Why p or limits are NaN, in words; empty if none is.
    """

    test: str
    n: tuple[int, int]
    statistic: float
    p: float
    difference: Interval
    effect_name: str
    effect: Interval
    note: str = ""


def welch(first: Array, second: Array, level: float = LEVEL) -> Comparison:
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
    return _by_means(name, sizes, difference, float(np.sqrt(errors.sum())), df, pooled, level)


def paired_t(first: Array, second: Array, level: float = LEVEL) -> Comparison:
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
    return _by_means(name, sizes, difference, error, len(a) - 1, averaged, level)


def mann_whitney(first: Array, second: Array, level: float = LEVEL) -> Comparison:
    """Compare two groups by ranks (Mann & Whitney 1947).

    The limits of the Hodges-Lehmann difference are order statistics of all differences between the
    groups, those that R's ``wilcox.test`` takes (Bauer 1972, J. Am. Stat. Assoc. 67). The
    rank-biserial correlation is P(first > second) - P(first < second).
    """
    a, b = _finite(first), _finite(second)
    sizes = (len(a), len(b))
    if min(sizes) < 1:
        return _nothing(U_TEST, sizes, U_EFFECT, FEW)
    return _by_ranks(U_TEST, sizes, Ranks.of_groups(a, b), U_EFFECT, level)


def wilcoxon(first: Array, second: Array, level: float = LEVEL) -> Comparison:
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
    return _by_ranks(V_TEST, sizes, Ranks.of_pairs(differences), V_EFFECT, level)


def _by_ranks(
    test: str, sizes: tuple[int, int], ranks: Ranks, effect: str, level: float
) -> Comparison:
    return Comparison(
        test, sizes, ranks.count, ranks.p, ranks.shift(level), effect, ranks.effect(level),
        ranks.why_not(level),
    )  # fmt: skip


def holm(p_values: Sequence[float | None]) -> list[float]:
    """Return p values adjusted by Holm (1979, Scand. J. Stat. 6).

    Those that aren't known (None or NaN) are NaN, and don't count.
    """
    p = np.asarray(p_values, dtype=float)
    known = np.isfinite(p)
    adjusted = np.full(len(p), np.nan)
    if known.any():
        adjusted[known] = pingouin.multicomp(p[known], method="holm")[1]
    return adjusted.tolist()


def _by_means(
    name: str,
    sizes: tuple[int, int],
    difference: float,
    error: float,
    df: float,
    unit: float,
    level: float,
) -> Comparison:
    """Return a t test of a difference with its standard error, and Hedges' g in a unit.

    Limits of g are those of the noncentral t whose own quantile is the t that was found (Algina &
    Keselman 2003, Educ. Psychol. Meas. 63), so that they agree with p.
    """
    t, scale = difference / error, error / unit * (1 - 3 / (4 * sum(sizes) - 9))
    tails = np.array([1 + level, 1 - level]) / 2
    low, high = scale * special.nctdtrinc(df, tails, t)
    reach = error * float(stats.t.ppf((1 + level) / 2, df))
    return Comparison(
        name, sizes, t, 2 * float(stats.t.sf(abs(t), df)),
        Interval(difference, difference - reach, difference + reach),
        G, Interval(t * scale, float(low), float(high)),
    )  # fmt: skip


def _nothing(
    test: str, n: tuple[int, int], effect: str, note: str, difference: float = float("nan")
) -> Comparison:
    nan = float("nan")
    only = Interval(float(difference), nan, nan)
    return Comparison(test, n, nan, nan, only, effect, UNKNOWN, note)


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
