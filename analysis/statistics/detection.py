"""Signal detection: sensitivity and criterion from hits and false alarms.

Type-2 signal detection is here too: how well confidence ratings separate right from wrong answers.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from analysis.distributions import normal_density, normal_quantile
from analysis.statistics.bootstrap import Resampling, Units, bootstrap_weights, percentile_interval
from analysis.statistics.proportions import LEVEL, UNKNOWN, Count, Interval
from analysis.statistics.two_way import TwoWayMeans

Array = np.ndarray

_Z = float(normal_quantile(0.975))

D_PRIME, CRITERION = np.array([1.0, -1.0]), np.array([-0.5, -0.5])
"""What d' and c are of the z of hits and of false alarms: d' = z(H) - z(F), c = -(z(H) + z(F)) / 2.

A positive criterion leans to rejecting.
"""

STEPS: Final = 4
"""Ratings go from a guess (1) to sure (4)."""
MOST_REPLICATES: Final = 1000
"""A curve's area needs more work in each replicate than sums do."""


def z_sum(
    counts: Sequence[Count], weights: Array, means: TwoWayMeans | Array | None = None
) -> Interval:
    """Return a weighted sum of the rates' z with its 95 % interval.

    Half a trial is added to each count and one to each total, whether or not a rate is
    0 or 1 (Hautus 1995, Behav. Res. Methods 27(1)). Standard errors are those of Gourevitch &
    Galanter (1967, Psychometrika 32) at the corrected rates, which take the trials as
    independent; over participants and items, those of the rates by the delta method. At a rate of
    0 or 1 the interval is no narrower than the former.

    Parameters
    ----------
    counts
        Accepted and all trials of every cell.
    weights
        (cells,)
    means
        The cells' means, or (replicates, cells) of a bootstrap; None for one person's trials.
    """
    used = np.flatnonzero(weights)
    if any(counts[cell].n == 0 for cell in used):
        return UNKNOWN
    z, variance = np.zeros(len(counts)), np.zeros(len(counts))
    for cell in used:
        z[cell], variance[cell] = _corrected(counts[cell])
    estimate, reach = float(weights @ z), _Z * float(np.sqrt(weights**2 @ variance))
    low, high = estimate - reach, estimate + reach
    if means is None:
        return Interval(estimate, low, high)
    limits = _by_people_and_items(estimate, counts, weights, z, means)
    if not np.isfinite(limits).all() or any(counts[cell].rate in (0.0, 1.0) for cell in used):
        return Interval(estimate, float(np.fmin(low, limits[0])), float(np.fmax(high, limits[1])))
    return Interval(estimate, *limits)


def _by_people_and_items(
    estimate: float, counts: Sequence[Count], weights: Array, z: Array, means: TwoWayMeans | Array
) -> tuple[float, float]:
    n = np.array([count.n for count in counts], dtype=float)
    if isinstance(means, TwoWayMeans):
        gradient = np.where(weights != 0, weights * n / (n + 1) / normal_density(z), 0.0)
        reach = float(means.spread(gradient).reach(LEVEL)[0])
        return estimate - reach, estimate + reach
    used = weights != 0
    drawn = normal_quantile((means[:, used] * n[used] + 0.5) / (n[used] + 1)) @ weights[used]
    return percentile_interval(drawn, LEVEL)


def _corrected(count: Count) -> tuple[float, float]:
    rate = (count.successes + 0.5) / (count.n + 1)
    z = float(normal_quantile(rate))
    return z, rate * (1 - rate) / ((count.n + 1) * float(normal_density(z)) ** 2)


def calibrated_share(step: int) -> float:
    """Return how often a calibrated person is right at a step: evenly from chance (½) to 1."""
    return 0.5 + 0.5 * (step - 1) / (STEPS - 1)


def rating_worth(
    rating: Array, right: Array, units: Units, plan: Resampling
) -> tuple[float, Interval]:
    """Return the mean distance from calibration, and the area by `type_2_areas`."""
    gaps = [
        len(hits) * abs(int(hits.sum()) / len(hits) - calibrated_share(step))
        for step in range(1, STEPS + 1)
        if len(hits := right[rating == step])
    ]
    drawn = plan.at_most(MOST_REPLICATES)
    area = bootstrap_weights(lambda weights: type_2_areas(rating, right, weights), units, drawn)
    return sum(gaps) / len(rating), area.interval()


def type_2_areas(rating: Array, right: Array, weights: Array) -> Array:
    """Return the area under the type-2 curve for weighted rows, (r,).

    How often a right answer is rated surer than a wrong one (Galvin et al. 2003, Psychon. Bull.
    Rev. 10); ½ if ratings tell nothing.

    Parameters
    ----------
    rating
        (n,) how sure.
    right
        (n,) bool.
    weights
        (r, n).
    """
    step = np.unique(rating, return_inverse=True)[1]
    places = np.eye(step.max() + 1)[step]
    hit, miss = (weights * right) @ places, (weights * ~right) @ places
    below = np.cumsum(miss, axis=1) - miss
    return (hit * (below + miss / 2)).sum(axis=1) / (hit.sum(axis=1) * miss.sum(axis=1))
