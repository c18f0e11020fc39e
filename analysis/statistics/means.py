"""Means of any numbers over participants and items, with intervals by the way that a plan names."""

import numpy as np

from analysis.statistics.bootstrap import (
    Bootstrap,
    Resampling,
    Units,
    bootstrap_sums,
    percentile_interval,
)
from analysis.statistics.proportions import LEVEL, UNKNOWN, Interval
from analysis.statistics.two_way import TwoWayMeans, two_way_means

Array = np.ndarray
Means = TwoWayMeans | Bootstrap


def measure_means(values: Array, weights: Array, units: Units, plan: Resampling) -> Means:
    """Return weighted means of cells, by the two-way variance or with replicates.

    Parameters
    ----------
    values
        (n,)
    weights
        (n, cells) what a row weighs in each mean; as in `two_way_means`.
    units, plan
        Participant and item of each row; which way.
    """
    if plan.means == "two_way":
        return two_way_means(values, weights, plan.units(units))
    cells = weights.shape[1]

    def means(sums: Array) -> Array:
        return sums[:, :cells] / sums[:, cells:]

    columns = np.column_stack([values[:, None] * weights, weights])
    return bootstrap_sums(columns, means, units, plan)


def estimate_of(found: Means, contrast: Array) -> float:
    """Return a weighted sum of the means; NaN where one of them isn't known."""
    used = contrast != 0
    means = found.estimate if isinstance(found, Bootstrap) else found.means[:, 0]
    return float(contrast[used] @ means[used])


def mean_interval(found: Means, contrast: Array, level: float = LEVEL) -> Interval:
    """Return a weighted sum of the means with its interval."""
    if not isinstance(found, Bootstrap):
        return found.interval(contrast, level=level)
    estimate = estimate_of(found, contrast)
    if not np.isfinite(estimate):
        return UNKNOWN
    used = contrast != 0
    return Interval(
        estimate, *percentile_interval(found.replicates[:, used] @ contrast[used], level)
    )


def share_limits(found: Means, contrast: Array, level: float = LEVEL) -> tuple[float, float]:
    """Return the limits of a weighted sum of means that are shares, such as means over people."""
    if isinstance(found, Bootstrap):
        part = mean_interval(found, contrast, level)
        return part.ci_low, part.ci_high
    _, low, high = found.rates(contrast, level)
    return float(low[0]), float(high[0])
