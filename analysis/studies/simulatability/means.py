"""Change as plain means over participants and items, with design-based two-way intervals.

Estimates are in percentage points, as answers hold them. A row of an answer combines an estimate
with what it is about. A dataclass with several bases has the fields of its last base first, so a
table begins with what its rows are about.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import nan
from typing import Annotated, Any, Final

import numpy as np
import pandas as pd

from analysis.report.about import about
from analysis.report.estimates import HolmRow, holm_row
from analysis.statistics.bootstrap import Resampling
from analysis.statistics.estimate import Ends, Estimate, adjusted
from analysis.statistics.means import Means, estimate_mean, measure_means
from analysis.statistics.two_way import cell_weights
from analysis.studies.simulatability.trials import Predictions, conditions, inside, units_of

Array = np.ndarray

POINTS: Final[Ends] = (-100.0, 100.0)
"""The least and the most that Change of an answer can be, percentage points."""


# Without slots: a class can't have two bases with slots of their own.
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
        """Estimate, limits, standard error and degrees of freedom; NaN for unknown ones."""
        own = (self.estimate, self.ci_low, self.ci_high, self.se, self.df)
        estimate, low, high, se, df = (nan if value is None else value for value in own)
        return estimate, low, high, se, df

    def brief(self) -> PointsBrief:
        """Return the estimate without its standard error."""
        return PointsBrief(self.estimate, self.ci_low, self.ci_high, self.p)


@dataclass(frozen=True)
class FamilyTest(HolmRow, PointsTest):
    """An estimate with its test; p_holm is over the methods of the condition."""


def points_test(part: Estimate) -> tuple[float, ...]:
    """Return the values of a `PointsTest`; NaN where nothing is known."""
    return part.estimate, part.ci_low, part.ci_high, part.se, part.df, part.p


def family_tests(family: Sequence[Estimate]) -> Iterator[tuple[tuple[float, ...], Any]]:
    """Yield the values and keywords of the `FamilyTest` of each estimate of a family."""
    for part in adjusted(family):
        yield points_test(part.of), holm_row(part)


@dataclass(frozen=True)
class MethodItems:
    """A method in a condition."""

    domain: Annotated[str, about("Domain; all: both.")]
    test: Annotated[str, about("Test; all: both.")]
    method: Annotated[str, about("The method.")]
    n: Annotated[int, about("Items × participants, answered in both phases.")]


@dataclass(frozen=True)
class ComparedItems(MethodItems):
    """A method in a condition, and the one that it is compared with."""

    reference: Annotated[str, about("The method that it is compared with.")]


@dataclass(frozen=True)
class MeanChange(FamilyTest, MethodItems):
    """Change of a method as a mean over participants and items."""


@dataclass(frozen=True)
class MeanDifference(FamilyTest, ComparedItems):
    """Change of a method less that of the reference, as means."""


@dataclass(frozen=True)
class MethodsOf:
    """All methods of a condition together, and the one that they are compared with."""

    domain: Annotated[str, about("Domain; all: both.")]
    test: Annotated[str, about("Test; all: both.")]
    reference: Annotated[str, about("The method that they are compared with.")]
    methods: Annotated[int, about("Methods with explanations, each of the same weight.")]


@dataclass(frozen=True)
class PooledDifference(PointsTest, MethodsOf):
    """Change with explanations, of whatever method, less that of the reference, as means."""


@dataclass(frozen=True, slots=True)
class ChangeMeans:
    """Change as means over participants and items."""

    change: Annotated[tuple[MeanChange, ...], about("Change of each method, by condition.")]
    differences: Annotated[
        tuple[MeanDifference, ...], about("Change less that of the reference, by condition.")
    ]
    pooled: Annotated[
        tuple[PooledDifference, ...],
        about("Change of all methods together less that of the reference, by condition."),
    ] = ()


def change_means(predictions: Predictions, plan: Resampling) -> ChangeMeans:
    """Return Change of each method as a plain mean, and its difference to the reference's.

    Every item that a person predicted in both phases counts once. People and items stand for
    others; the same person in two domains or tests is one participant.

    Parameters
    ----------
    predictions
        Who predicted what.
    plan
        Whether intervals are two-way ones or come from replicates.
    """
    change: list[MeanChange] = []
    differences: list[MeanDifference] = []
    pooled: list[PooledDifference] = []
    for domain, test in conditions(predictions):
        pairs = predictions.pairs
        own = _Condition.of(
            pairs[inside(pairs, domain, test)].reset_index(drop=True), predictions.methods, plan
        )
        each = dict(zip(own.methods, np.eye(len(own.methods)), strict=True))
        values = family_tests([own.tested(unit) for unit in each.values()])
        change += [
            MeanChange(domain, test, method, own.rows(method), *row, **after)
            for method, (row, after) in zip(each, values, strict=True)
        ]
        reference = predictions.reference
        if reference not in each or len(each) < 2:
            continue
        base = each.pop(reference)
        values = family_tests([own.tested(unit - base) for unit in each.values()])
        differences += [
            MeanDifference(domain, test, method, own.rows(method), reference, *row, **after)
            for method, (row, after) in zip(each, values, strict=True)
        ]
        mean = sum(each.values()) / len(each) - base
        head = (domain, test, reference, len(each))
        pooled.append(PooledDifference(*head, *points_test(own.tested(mean))))
    return ChangeMeans(tuple(change), tuple(differences), tuple(pooled))


@dataclass(frozen=True, slots=True)
class _Condition:
    """The pairs of a condition, and the means of Change by method."""

    pairs: pd.DataFrame
    methods: tuple[str, ...]
    means: Means

    @classmethod
    def of(cls, pairs: pd.DataFrame, methods: Sequence[str], plan: Resampling) -> "_Condition":
        there = tuple(m for m in methods if (pairs["method"] == m).any())
        cell = pairs["method"].map({m: place for place, m in enumerate(there)}).to_numpy()
        moved = 100 * (pairs["post"] - pairs["pre"]).to_numpy(dtype=float)
        found = measure_means(moved, cell_weights(cell, len(there)), units_of(pairs), plan)
        return cls(pairs, there, found)

    def rows(self, method: str) -> int:
        return int((self.pairs["method"] == method).sum())

    def tested(self, contrast: Array) -> Estimate:
        """Return a difference of the methods' Change."""
        return estimate_mean(self.means, contrast, POINTS)


def design_freedom(pairs: pd.DataFrame) -> float:
    """Return the most degrees of freedom that people of these methods and their items give.

    People less their methods, or items less one if these are fewer; with one person or one item,
    those of the other factor.
    """
    people = pairs["participant"].nunique() - pairs["method"].nunique()
    known = [left for left in (people, pairs["item"].nunique() - 1) if left > 0]
    return float(min(known, default=0))
