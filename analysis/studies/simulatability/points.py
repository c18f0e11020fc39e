"""Estimates in percentage points, as answers hold them.

A row of an answer is made of one of these and of what it is about. Its fields stand in the order of
its bases from the last to the first, so that a table begins with what its rows are about.
"""

from dataclasses import dataclass
from math import nan
from typing import Annotated

from scipy.stats import t as student

from analysis.report.about import about
from analysis.statistics.proportions import LEVEL


# Without slots: a class of two bases with slots of their own can't be made.
@dataclass(frozen=True)
class PointsBrief:
    """An estimate with its interval and its test."""

    estimate: Annotated[float | None, about("Estimate, percentage points.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]
    p: Annotated[float | None, about("p of no difference from zero, two-sided.")]


@dataclass(frozen=True)
class PointsTest:
    """An estimate with its interval, and all that its test rests on."""

    estimate: Annotated[float | None, about("Estimate, percentage points.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]
    se: Annotated[float | None, about("Its standard error, percentage points.")]
    df: Annotated[float | None, about("Degrees of freedom; null if unlimited.")]
    p: Annotated[float | None, about("p of no difference from zero, two-sided.")]

    @property
    def numbers(self) -> tuple[float, float, float, float, float]:
        """Estimate, limits, standard error and degrees of freedom; NaN where one isn't known."""
        own = (self.estimate, self.ci_low, self.ci_high, self.se, self.df)
        estimate, low, high, se, df = (nan if value is None else value for value in own)
        return estimate, low, high, se, df

    def brief(self) -> PointsBrief:
        """Return the estimate without its standard error."""
        return PointsBrief(self.estimate, self.ci_low, self.ci_high, self.p)


def tested_points(estimate: float, se: float, df: float) -> tuple[float, ...]:
    """Return the values of a `PointsTest` by Student's t; NaN where nothing is known."""
    if not (df > 0 and se >= 0):
        return estimate, nan, nan, se, df, nan
    reach = float(student.ppf((1 + LEVEL) / 2, df)) * se
    p = float(2 * student.sf(abs(estimate) / se, df)) if se > 0 else nan
    return estimate, estimate - reach, estimate + reach, se, df, p
