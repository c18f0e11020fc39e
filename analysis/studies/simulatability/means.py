"""Change as plain means over participants and items, with design-based two-way intervals."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from analysis.report.about import about
from analysis.statistics.bootstrap import Bootstrap, Resampling
from analysis.statistics.bootstrap.intervals import centred_p
from analysis.statistics.means import Means, mean_interval, measure_means
from analysis.statistics.two_way import cell_weights
from analysis.studies.simulatability.points import PointsTest
from analysis.studies.simulatability.trials import Predictions, conditions, inside, units_of

Array = np.ndarray


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


@dataclass(frozen=True, slots=True)
class ChangeMeans:
    """Change as means over participants and items."""

    change: Annotated[tuple[MeanChange, ...], about("Change of each method, by condition.")]
    differences: Annotated[
        tuple[MeanDifference, ...], about("Change less that of the reference, by condition.")
    ]


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
    change, differences = [], []
    for domain, test in conditions(predictions):
        pairs = predictions.pairs
        own = pairs[inside(pairs, domain, test)].reset_index(drop=True)
        methods = [m for m in predictions.methods if (own["method"] == m).any()]
        cell = own["method"].map({m: place for place, m in enumerate(methods)}).to_numpy()
        moved = 100 * (own["post"] - own["pre"]).to_numpy(dtype=float)
        found = measure_means(moved, cell_weights(cell, len(methods)), units_of(own), plan)
        for place, method in enumerate(methods):
            head = (domain, test, method, int((cell == place).sum()))
            unit = np.eye(len(methods))[place]
            change.append(MeanChange(*head, *_tested(found, unit)))
            reference = predictions.reference
            if reference is not None and reference in methods and method != reference:
                other = np.eye(len(methods))[methods.index(reference)]
                tested = _tested(found, unit - other)
                differences.append(MeanDifference(*head, reference, *tested))
    return ChangeMeans(tuple(change), tuple(differences))


def _tested(found: Means, contrast: Array) -> tuple[float, ...]:
    """Return the values of a `PointsTest`."""
    own = mean_interval(found, contrast)
    return own.estimate, own.ci_low, own.ci_high, *_test(found, contrast, own.estimate)


def _test(found: Means, contrast: Array, estimate: float) -> tuple[float, float, float]:
    """Return standard error, degrees of freedom and p of no difference."""
    if not isinstance(found, Bootstrap):
        spread = found.spread(contrast)
        return float(spread.se[0]), float(spread.df[0]), found.p(contrast)
    used = contrast != 0
    draws = found.replicates[:, used] @ contrast[used]
    return float(np.nanstd(draws, ddof=1)), float("inf"), centred_p(estimate, draws, 0.0)
