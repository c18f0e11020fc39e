"""Comparisons of groups by what one number a participant shows, with effect sizes.

Every test comes with an estimate and its interval. Each number must be one participant's
(or one item's): trials of one person aren't independent. Participants as the only random
unit is right where everyone sees items of their own or where the items are all there are;
where items stand for others, take a mixed model or the two-way bootstrap.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pingouin
from scipy import stats

from analysis.statistics.proportions import LEVEL, UNKNOWN, Interval

Array = np.ndarray


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
        The test's own.
    p
        Two-sided.
    difference
        First less second on their own scale: of means for t tests, of medians (the
        Hodges-Lehmann estimate) for rank tests.
    effect_name, effect
        Hedges' g, or the rank-biserial correlation, positive where the first is larger.
    """

    test: str
    n: tuple[int, int]
    statistic: float
    p: float
    difference: Interval
    effect_name: str
    effect: Interval


def welch(first: Array, second: Array) -> Comparison:
    """Compare two groups' means without assuming equal variances (Welch 1947)."""
    a, b = _finite(first), _finite(second)
    if min(len(a), len(b)) < 2:
        return _nothing("Welch's t test", (len(a), len(b)), "Hedges' g")
    found = stats.ttest_ind(a, b, equal_var=False)
    limits = found.confidence_interval(LEVEL)
    return Comparison(
        "Welch's t test", (len(a), len(b)), float(found.statistic), float(found.pvalue),
        Interval(float(a.mean() - b.mean()), float(limits.low), float(limits.high)),
        "Hedges' g", _hedges(a, b, paired=False),
    )  # fmt: skip


def paired_t(first: Array, second: Array) -> Comparison:
    """Compare two measures of the same units; pairs with a missing one are left out.

    Hedges' g is in units of the measures' own averaged standard deviation, not of the
    differences', so that it can be set beside that of independent groups.
    """
    a, b = _whole_pairs(first, second)
    if len(a) < 2:
        return _nothing("paired t test", (len(a), len(b)), "Hedges' g")
    found = stats.ttest_rel(a, b)
    limits = found.confidence_interval(LEVEL)
    return Comparison(
        "paired t test", (len(a), len(b)), float(found.statistic), float(found.pvalue),
        Interval(float((a - b).mean()), float(limits.low), float(limits.high)),
        "Hedges' g", _hedges(a, b, paired=True),
    )  # fmt: skip


def mann_whitney(first: Array, second: Array) -> Comparison:
    """Compare two groups by ranks (Mann & Whitney 1947).

    The rank-biserial correlation is P(first > second) - P(first < second); its limits are those of
    the area under the curve (DeLong et al. 1988, Biometrics 44) on the logit scale, and can't be
    given if one group lies wholly above the other. The limits of the Hodges-Lehmann difference are
    those order statistics of all differences between the groups that the normal approximation of U
    picks (Bauer 1972, J. Am. Stat. Assoc. 67).
    """
    a, b = _finite(first), _finite(second)
    name = "Mann-Whitney U test"
    if min(len(a), len(b)) < 1:
        return _nothing(name, (len(a), len(b)), "rank-biserial correlation")
    row = pingouin.mwu(a, b).iloc[0]
    between = np.sort((a[:, None] - b).ravel())
    spread = np.sqrt(len(a) * len(b) * (len(a) + len(b) + 1) / 12)
    shift = _order_limits(between, len(a) * len(b) / 2, spread)
    return Comparison(
        name, (len(a), len(b)), float(row["U_val"]), float(row["p_val"]), shift,
        "rank-biserial correlation", _rank_biserial(a, b),
    )  # fmt: skip


def wilcoxon(first: Array, second: Array) -> Comparison:
    """Compare two measures of the same units by signed ranks (Wilcoxon 1945).

    The matched-pairs rank-biserial correlation is Kerby's (2014, Compr. Psychol. 3);
    its limits are those of a bootstrap of pairs (percentile, 2,000 replicates, seed 1).
    """
    a, b = _whole_pairs(first, second)
    name, effect = "Wilcoxon signed-rank test", "matched-pairs rank-biserial correlation"
    differences = a - b
    if not (differences != 0).any():
        return _nothing(name, (len(a), len(b)), effect)
    row = pingouin.wilcoxon(a, b).iloc[0]
    upper = np.triu_indices(len(differences))
    walsh = np.sort(((differences[:, None] + differences) / 2)[upper])
    n = len(differences)
    shift = _order_limits(walsh, n * (n + 1) / 4, np.sqrt(n * (n + 1) * (2 * n + 1) / 24))
    return Comparison(
        name, (n, n), float(row["W_val"]), float(row["p_val"]), shift, effect,
        _signed_rank_effect(differences),
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


def _hedges(a: Array, b: Array, paired: bool) -> Interval:
    if np.ptp(a) == 0 and np.ptp(b) == 0:
        return UNKNOWN
    g = float(pingouin.compute_effsize(a, b, paired=paired, eftype="hedges"))
    low, high = pingouin.compute_esci(
        g, nx=len(a), ny=len(b), paired=paired, eftype="cohen", confidence=LEVEL, decimals=12
    )
    return Interval(g, float(low), float(high))


def _rank_biserial(a: Array, b: Array) -> Interval:
    wins = (a[:, None] > b) + 0.5 * (a[:, None] == b)
    area = float(wins.mean())
    effect = 2 * area - 1
    if min(len(a), len(b)) < 2 or not 0 < area < 1:
        return Interval(effect, float("nan"), float("nan"))
    variance = wins.mean(axis=1).var(ddof=1) / len(a) + wins.mean(axis=0).var(ddof=1) / len(b)
    half = _z() * np.sqrt(variance) / (area * (1 - area))
    logit = np.log(area / (1 - area))
    low, high = 2 / (1 + np.exp(-np.array([logit - half, logit + half]))) - 1
    return Interval(effect, float(low), float(high))


def _signed_rank_effect(differences: Array) -> Interval:
    def effect(values: Array, axis: int = -1) -> Array:
        kept = np.where(values != 0, np.abs(values), np.nan)
        ranks = stats.rankdata(kept, axis=axis, nan_policy="omit")
        signed = np.where(values != 0, np.sign(values) * ranks, 0.0)
        return np.nansum(signed, axis=axis) / np.nansum(np.abs(ranks), axis=axis)

    rng = np.random.Generator(np.random.PCG64(1))
    drawn = differences[rng.integers(len(differences), size=(2000, len(differences)))]
    drawn = drawn[(drawn != 0).any(axis=1)]
    low, high = np.quantile(effect(drawn), [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(float(effect(differences)), float(low), float(high))


def _order_limits(ordered: Array, middle: float, spread: float) -> Interval:
    """Return the median of ordered differences between two of their order statistics."""
    rank = max(0, int(np.floor(middle - _z() * spread)))
    return Interval(float(np.median(ordered)), float(ordered[rank]), float(ordered[-1 - rank]))


def _nothing(test: str, n: tuple[int, int], effect: str) -> Comparison:
    return Comparison(test, n, float("nan"), float("nan"), UNKNOWN, effect, UNKNOWN)


def _finite(values: Array) -> Array:
    values = np.asarray(values, dtype=float)
    return values[np.isfinite(values)]


def _whole_pairs(first: Array, second: Array) -> tuple[Array, Array]:
    a, b = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    whole = np.isfinite(a) & np.isfinite(b)
    return a[whole], b[whole]


def _z() -> float:
    return float(stats.norm.ppf((1 + LEVEL) / 2))
