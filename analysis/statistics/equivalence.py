"""Worse, like, better, or undecided: a difference against a margin."""

from typing import Literal, TypeVar

from analysis.statistics.proportions import Interval

Limits = TypeVar("Limits")
Verdict = Literal["worse", "like", "better", "undecided", "unknown"]


def judge(wide: Interval, narrow: Interval, margin: float) -> Verdict:
    """Return what a difference of acceptance rates shows.

    Like: the 90 % interval lies within -margin and +margin (two one-sided tests at 5 %,
    Schuirmann 1987). Worse or better: the 95 % interval lies wholly beyond the margin.
    Undecided otherwise, and where the difference has no interval of its own (limits at the
    estimate): a difference that didn't vary among those who were asked may vary among others.

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
    """Return what is right to say of a difference that is known; at the margin nothing is."""
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
