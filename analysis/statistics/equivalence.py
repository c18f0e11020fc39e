"""Worse, like, better, or undecided: a difference against a margin."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from analysis.statistics.bootstrap import percentile_interval
from analysis.statistics.proportions import Interval

Array = np.ndarray
Verdict = Literal["worse", "like", "better", "undecided", "unknown"]

_WIDE, _NARROW = 0.95, 0.90


@dataclass(frozen=True, slots=True)
class Equivalence:
    """A difference of probabilities judged against a margin.

    Attributes
    ----------
    wide, narrow
        The difference with its 95 % and its 90 % interval.
    margin
        On the probability scale.
    p_above, p_below
        One-sided p of "the difference lies at or below -margin" and of "it lies at or above
        +margin".
    verdict
        See `judge`.
    """

    wide: Interval
    narrow: Interval
    margin: float
    p_above: float
    p_below: float
    verdict: Verdict

    @property
    def p(self) -> float:
        """Return p of the two one-sided tests together, their larger (Schuirmann 1987)."""
        return max(self.p_above, self.p_below)


def judge(wide: Interval, narrow: Interval, margin: float) -> Verdict:
    """Return what a difference of acceptance rates shows.

    Like: the 90 % interval lies within -margin and +margin (two one-sided tests at 5 %,
    Schuirmann 1987). Worse or better: the 95 % interval lies wholly beyond the margin.
    Undecided otherwise.

    Parameters
    ----------
    wide, narrow
        The difference with its 95 % and its 90 % interval.
    margin
        On the probability scale, greater than 0.
    """
    if not wide.known:
        return "unknown"
    if narrow.ci_low > -margin and narrow.ci_high < margin:
        return "like"
    if wide.ci_high < -margin:
        return "worse"
    if wide.ci_low > margin:
        return "better"
    return "undecided"


def by_replicates(estimate: float, replicates: Array, margin: float) -> Equivalence:
    """Judge a difference by its bootstrap replicates, percentile intervals.

    Parameters
    ----------
    estimate
        The difference in the data.
    replicates
        (B,) NaN ones are left out.
    margin
        Greater than 0.
    """
    _check(margin)
    draws = replicates[np.isfinite(replicates)]
    wide = Interval(estimate, *percentile_interval(draws, _WIDE))
    narrow = Interval(estimate, *percentile_interval(draws, _NARROW))
    above, below = (
        float((1 + beyond.sum()) / (1 + len(draws))) if len(draws) else float("nan")
        for beyond in (draws <= -margin, draws >= margin)
    )
    return Equivalence(wide, narrow, margin, above, below, judge(wide, narrow, margin))


def _check(margin: float) -> None:
    if not margin > 0:
        raise ValueError(f"margin is {margin}, must be above 0")
