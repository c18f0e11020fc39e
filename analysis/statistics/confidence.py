"""What ratings of confidence tell of right and wrong answers."""

from typing import Final

import numpy as np
from scipy.stats import rankdata

from analysis.statistics.bootstrap import Resampling, Units, bootstrap_weights
from analysis.statistics.proportions import Interval

Array = np.ndarray

STEPS: Final = 4
"""Ratings go from a guess (1) to sure (4)."""
MOST_REPLICATES: Final = 1000
"""A curve's area needs more work in each replicate than sums do."""


def calibrated_share(step: int) -> float:
    """Return how often a calibrated person is right at a step: evenly from chance (½) to 1."""
    return 0.5 + 0.5 * (step - 1) / (STEPS - 1)


def rating_worth(
    rating: Array, right: Array, units: Units, plan: Resampling
) -> tuple[float, Interval]:
    """Return the mean distance from calibration, and the area by `type_2_areas`."""
    gaps = [
        len(own) * abs(int(own.sum()) / len(own) - calibrated_share(step))
        for step in range(1, STEPS + 1)
        if len(own := right[rating == step])
    ]
    drawn = plan.at_most(MOST_REPLICATES)
    area = bootstrap_weights(lambda weights: type_2_areas(rating, right, weights), units, drawn)
    return sum(gaps) / len(rating), area.interval()


def type_2_areas(rating: Array, right: Array, weights: Array) -> Array:
    """Return the area under the type-2 curve for rows that weigh so much, (r,).

    How often a right answer is rated surer than a wrong one (Galvin et al. 2003, Psychon. Bull.
    Rev. 10); ½ where ratings tell nothing.

    Parameters
    ----------
    rating
        (n,) how sure.
    right
        (n,) bool.
    weights
        (r, n).
    """
    step = rankdata(rating, "dense").astype(int) - 1
    places = np.eye(step.max() + 1)[step]
    hit, miss = (weights * right) @ places, (weights * ~right) @ places
    below = np.cumsum(miss, axis=1) - miss
    return (hit * (below + miss / 2)).sum(axis=1) / (hit.sum(axis=1) * miss.sum(axis=1))
