"""Rank tests as counts of ordered differences, so that p and limits always agree.

Mann and Whitney's U counts how many differences between two groups are positive, Wilcoxon's V how
many averages of two of the pairs' differences are (Walsh averages); a difference of zero counts
half. Both are symmetric about half of their number where nothing differs. So one type has p, the
limits of the shift (order statistics of the differences) and those of the rank-biserial
correlation. As in R's ``wilcox.test``, the distribution is exact below 50 values without ties, and
normal, with a correction for continuity, otherwise.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil, floor, sqrt

import numpy as np

from analysis.distributions import normal_above, normal_quantile
from analysis.statistics.proportions import Interval

Array = np.ndarray
SMALL = 50
"""R's: groups below this size, without ties, have the exact distribution."""
TIED = "no limits of the shift: too many values are alike"
"""Why limits aren't given that would fall on one value, or hold a zero that p rejects."""


@dataclass(frozen=True, slots=True)
class Ranks:
    """What a rank test counts, and how the count is distributed where nothing differs.

    Attributes
    ----------
    ordered
        (N,) differences, or Walsh averages, in ascending order.
    of
        What was compared, in words: "3 and 3 values".
    exact
        (N + 1,) probabilities of at most so many, without ties; None for large groups.
    sd
        Standard deviation of the normal approximation, with all ties.
    sd_shifted
        The same without the ties between the groups, which a shift separates; R's limits take it.
    tied
        Whether there are ties: p is normal then.
    """

    ordered: Array
    of: str
    exact: Array | None
    sd: float
    sd_shifted: float
    tied: bool

    @classmethod
    def of_groups(cls, a: Array, b: Array) -> "Ranks":
        """Return U's differences, of (m,) and (n,) finite values; at least one each."""
        m, n = len(a), len(b)
        both, within = _ties(np.concatenate([a, b])), _ties(a) + _ties(b)
        spreads = [
            sqrt(m * n / 12 * (m + n + 1 - ties / ((m + n) * (m + n - 1))))
            for ties in (both, within)
        ]
        exact = _at_most_u(min(m, n), max(m, n)) if max(m, n) < SMALL else None
        between = np.sort((a[:, None] - b).ravel())
        return cls(between, f"{m} and {n} values", exact, *spreads, tied=both > 0)

    @classmethod
    def of_pairs(cls, differences: Array) -> "Ranks":
        """Return V's Walsh averages, of (n,) finite differences.

        Zeros are left out (Wilcoxon's rule, and R's). At least one must not be zero.
        """
        nonzero = differences[differences != 0]
        n = len(nonzero)
        spreads = [
            sqrt(n * (n + 1) * (2 * n + 1) / 24 - ties / 48)
            for ties in (_ties(np.abs(nonzero)), _ties(nonzero))
        ]
        tied = n < len(differences) or _ties(np.abs(nonzero)) > 0
        walsh = np.sort(((nonzero[:, None] + nonzero) / 2)[np.triu_indices(n)])
        exact = _at_most_v(n) if n < SMALL else None
        pairs = "pair that differs" if n == 1 else "pairs that differ"
        return cls(walsh, f"{n} {pairs}", exact, *spreads, tied=tied)

    @property
    def count(self) -> float:
        """U of the first group, or V: how many are above zero; those at zero count half."""
        return float((self.ordered > 0).sum() + 0.5 * (self.ordered == 0).sum())

    @property
    def least_p(self) -> float:
        """The least p that so many values can have, whatever they are."""
        least = 0.0 if self.exact is None else 2 * float(self.exact[0])
        if self.exact is None or self.tied:
            least = max(least, self._normal_p(len(self.ordered) / 2, self.sd_shifted))
        return min(least, 1.0)

    @property
    def p(self) -> float:
        """Two-sided p of no difference; NaN if all values are alike."""
        away = abs(self.count - len(self.ordered) / 2)
        if self.sd == 0:
            return float("nan")
        if self.exact is None or self.tied:
            return max(self._normal_p(away, self.sd), self.least_p)
        return min(1.0, 2 * float(self.exact[int(len(self.ordered) / 2 - away)]))

    def shift(self, level: float) -> Interval:
        """Return Hodges and Lehmann's shift with its limits, NaN where `why_not` says so.

        Where ties put a limit on a zero that p rejects, the next difference that was observed takes
        its place; R gives a number just beside zero.
        """
        number = len(self.ordered)
        middle = float(np.median(self.ordered))
        unknown = Interval(middle, float("nan"), float("nan"))
        if self._unattainable(level) or self.sd == 0:
            return unknown
        place = ceil(number / 2 - self._reach(level, self.sd_shifted))
        within = self.ordered[place - 1 : number - place + 1]
        rejected = self.p < _alpha(level)
        if rejected:
            within = within[within != 0]
        if not len(within) or not within[0] <= middle <= within[-1] or within[0] == within[-1]:
            return unknown
        interval = Interval(middle, float(within[0]), float(within[-1]))
        return unknown if rejected and interval.ci_low < 0 < interval.ci_high else interval

    def effect(self, level: float) -> Interval:
        """Return the rank-biserial correlation, -1 to 1, with limits.

        They are the correlations that the test's own reach doesn't reject. Its variance shrinks
        towards the ends of the scale as that of a share does, so the limits have Wilson's form
        (1927, J. Am. Stat. Assoc. 22). Zero lies outside exactly if p is below 1 - `level`. At the
        ends of the scale they don't collapse.
        """
        number = len(self.ordered)
        correlation = 2 * self.count / number - 1
        if self._unattainable(level) or self.sd == 0:
            return Interval(correlation, float("nan"), float("nan"))
        reach = 2 * self._reach(level, self.sd) / number
        half = reach * sqrt(1 + reach**2 - correlation**2)
        low, high = (correlation - half) / (1 + reach**2), (correlation + half) / (1 + reach**2)
        return Interval(correlation, max(low, -1.0), min(high, 1.0))

    def why_not(self, level: float) -> str:
        """Return why p or limits aren't given, in words; empty if all are."""
        if self.sd == 0:
            return "no p and no limits: all values are alike"
        if self._unattainable(level):
            most = floor(1000 * (1 - self.least_p)) / 10
            return f"no {100 * level:.3g} % limits: with {self.of} at most {most:g} % is attainable"
        return "" if np.isfinite(self.shift(level).ci_low) else TIED

    def _unattainable(self, level: float) -> bool:
        return self.least_p >= _alpha(level)

    def _reach(self, level: float, sd: float) -> float:
        """Return how far from the middle a count may lie without being rejected."""
        if self.exact is None or self.tied:
            return 0.5 + sd * float(normal_quantile(1 - _alpha(level) / 2))
        rejected = int((2 * self.exact < _alpha(level)).sum())
        return len(self.ordered) / 2 - rejected + 0.5

    @staticmethod
    def _normal_p(away: float, sd: float) -> float:
        return min(1.0, 2 * float(normal_above((away - 0.5) / sd)))


@dataclass(frozen=True, slots=True)
class Shift:
    """The rank test of a shift between two groups or measures (see `Ranks.shift`)."""

    ranks: Ranks

    def limits(self, level: float) -> tuple[float, float]:
        """Return the limits of Hodges and Lehmann's shift; NaN where there are none."""
        interval = self.ranks.shift(level)
        return interval.ci_low, interval.ci_high

    def p(self, null: float) -> float:
        """Return the two-sided p of a shift; of zero it is the test's own."""
        return replace(self.ranks, ordered=self.ranks.ordered - null).p


@dataclass(frozen=True, slots=True)
class Biserial:
    """The same test, with limits of the rank-biserial correlation (see `Ranks.effect`)."""

    ranks: Ranks

    def limits(self, level: float) -> tuple[float, float]:
        """Return the limits of the correlation; NaN where there are none."""
        interval = self.ranks.effect(level)
        return interval.ci_low, interval.ci_high

    def p(self, null: float) -> float:
        """Return the test's p of no correlation; NaN for other values."""
        return self.ranks.p if null == 0 else float("nan")


def _alpha(level: float) -> float:
    return round(1 - level, 12)


def _ties(values: Array) -> int:
    """Return the sum of t³ − t over the sizes t of groups of equal values."""
    sizes = np.unique(values, return_counts=True)[1]
    return int((sizes**3 - sizes).sum())


@lru_cache(maxsize=256)
def _at_most_u(m: int, n: int) -> Array:
    """Return the distribution of U for groups of m <= n without ties: (mn + 1,) cumulated.

    U is the sum of m different ranks out of m + n, less the least such sum. One rank after the
    other is taken or not; the k-th that is taken adds itself less k.
    """
    ways = np.zeros((m + 1, m * n + 1))
    ways[0, 0] = 1
    for rank in range(1, m + n + 1):
        for k in range(min(rank, m), max(0, rank - n - 1), -1):
            more = rank - k
            ways[k, more:] += ways[k - 1, : m * n + 1 - more]
    return np.cumsum(ways[m]) / ways[m].sum()


@lru_cache(maxsize=256)
def _at_most_v(n: int) -> Array:
    """Return the distribution of V for n pairs without ties: (n (n + 1) / 2 + 1,) cumulated."""
    chance = np.ones(1)
    for rank in range(1, n + 1):
        none = np.zeros(rank)
        chance = (np.concatenate([chance, none]) + np.concatenate([none, chance])) / 2
    return np.cumsum(chance)
