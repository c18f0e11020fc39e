"""Worse, like, better, or undecided: a difference against a margin."""

from typing import Literal

from analysis.statistics.proportions import Interval

Verdict = Literal["worse", "like", "better", "undecided", "unknown"]


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
