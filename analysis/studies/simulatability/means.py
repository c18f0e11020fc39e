"""Change as plain means over participants and items, with design-based two-way intervals.

Estimates are in percentage points, as answers hold them. A row of an answer combines an estimate
with what it is about. A dataclass with several bases has the fields of its last base first, so a
table begins with what its rows are about.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import Annotated

import numpy as np
import pandas as pd
from scipy.stats import t as student

from analysis.report.about import about
from analysis.statistics.bootstrap import Bootstrap, Resampling
from analysis.statistics.bootstrap.resample import centred_p
from analysis.statistics.means import Means, mean_interval, measure_means
from analysis.statistics.proportions import LEVEL
from analysis.statistics.two_way import cell_weights
from analysis.studies.simulatability.trials import Predictions, conditions, inside, units_of

Array = np.ndarray


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


def tested_points(estimate: float, se: float, df: float) -> tuple[float, ...]:
    """Return the values of a `PointsTest` by Student's t; NaN where nothing is known."""
    if not (df > 0 and se >= 0):
        return estimate, nan, nan, se, df, nan
    reach = float(student.ppf((1 + LEVEL) / 2, df)) * se
    p = float(2 * student.sf(abs(estimate) / se, df)) if se > 0 else nan
    return estimate, estimate - reach, estimate + reach, se, df, p


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
class MeanChange(PointsTest, MethodItems):
    """Change of a method as a mean over participants and items."""


@dataclass(frozen=True)
class MeanDifference(PointsTest, ComparedItems):
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
        for method, unit in each.items():
            change.append(MeanChange(domain, test, method, own.rows(method), *own.tested(unit)))
        reference = predictions.reference
        if reference not in each or len(each) < 2:
            continue
        base = each.pop(reference)
        for method, unit in each.items():
            head = (domain, test, method, own.rows(method), reference)
            differences.append(MeanDifference(*head, *own.tested(unit - base)))
        mean = sum(each.values()) / len(each) - base
        head = (domain, test, reference, len(each))
        pooled.append(PooledDifference(*head, *own.tested(mean)))
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

    def tested(self, contrast: Array) -> tuple[float, ...]:
        """Return the values of a `PointsTest`, with no more degrees of freedom than the design's.

        Satterthwaite's grow without limit if the variance between people is estimated as zero.
        """
        own = mean_interval(self.means, contrast)
        used = [name for name, weight in zip(self.methods, contrast, strict=True) if weight]
        most = design_freedom(self.pairs[self.pairs["method"].isin(used)])
        if isinstance(self.means, Bootstrap):
            draws = self.means.replicates[:, contrast != 0] @ contrast[contrast != 0]
            p = centred_p(own.estimate, draws, 0.0)
            return own.estimate, own.ci_low, own.ci_high, float(np.nanstd(draws, ddof=1)), most, p
        spread = self.means.spread(contrast)
        return tested_points(own.estimate, float(spread.se[0]), min(float(spread.df[0]), most))


def design_freedom(pairs: pd.DataFrame) -> float:
    """Return the most degrees of freedom that people of these methods and their items give.

    People less their methods, or items less one if these are fewer; with one person or one item,
    those of the other factor.
    """
    people = pairs["participant"].nunique() - pairs["method"].nunique()
    known = [left for left in (people, pairs["item"].nunique() - 1) if left > 0]
    return float(min(known, default=0))
