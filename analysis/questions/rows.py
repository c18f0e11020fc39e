"""Rows of answers that several questions have."""

from dataclasses import dataclass
from typing import Annotated

from analysis.report.about import about
from analysis.report.estimates import limits_row
from analysis.report.wording import percent
from analysis.statistics.proportions import Count, wilson


@dataclass(frozen=True, slots=True)
class CountedShare:
    """A share, and what it was counted from."""

    count: Annotated[int, about("How many.")]
    n: Annotated[int, about("Of how many.")]
    rate: Annotated[float | None, about("Their share, 0 to 1; null if there are none.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit (Wilson).")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit (Wilson).")]

    @classmethod
    def of(cls, count: int, n: int) -> "CountedShare":
        """Return the share of a count."""
        return cls(count, n, **limits_row(wilson(Count(count, n)), "rate"))

    @property
    def words(self) -> str:
        """The share as ``k of n (p)``; ``none`` where there is nothing to share."""
        return f"{self.count} of {self.n} ({percent(self.rate, 1)})" if self.n else "none"
