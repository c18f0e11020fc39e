"""Methods' means in a table beside their differences to the reference."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from analysis.report.parts import Column
from analysis.report.wording import NOTHING, interval, p_value
from analysis.studies.progressive_reveal.life_tables import MeanSteps
from analysis.studies.progressive_reveal.pairs import Difference
from analysis.studies.progressive_reveal.restricted import RestrictedMean

Mean = TypeVar("Mean", RestrictedMean, MeanSteps)


@dataclass(frozen=True, slots=True)
class WithGap(Generic[Mean]):
    """A method's mean, and its difference to the reference; None for the reference."""

    mean: Mean
    gap: Difference | None

    @property
    def method(self) -> str:
        """The method."""
        return self.mean.method


def with_gaps(means: Iterable[Mean], differences: Iterable[Difference]) -> list[WithGap[Mean]]:
    """Return each method's mean with its difference to the reference."""
    gaps = {row.method: row for row in differences}
    return [WithGap(row, gaps.get(row.method)) for row in means]


def mean_columns(
    heading: str, write: Callable[[float | None], str], unit: str = ""
) -> tuple[Column, ...]:
    """Return the columns of a mean and its limits."""
    return (
        Column(heading, lambda row: row.mean.estimate, write, unit),
        Column("95 % interval", lambda row: _limits(row.mean, write), str),
    )


def gap_columns(write: Callable[[float | None], str], unit: str) -> tuple[Column, ...]:
    """Return the columns of a difference to the reference; empty for the reference."""
    return (
        Column("Less the reference", _of_gap(lambda gap: write(gap.estimate)), str, unit),
        Column("95 % interval", _of_gap(lambda gap: _limits(gap, write)), str),
        Column("p", _of_gap(lambda gap: p_value(gap.p)), str),
    )


def _of_gap(write: Callable[[Difference], str]) -> Callable[[WithGap[Any]], str]:
    return lambda row: write(row.gap) if row.gap else NOTHING


def _limits(row: Any, write: Callable[[float | None], str]) -> str:
    return interval(row.ci_low, row.ci_high, write)
