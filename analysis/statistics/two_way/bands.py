"""Bands that hold for a whole curve of means at once."""

from collections.abc import Sequence

import numpy as np

from analysis.distributions import normal_above, t_quantile
from analysis.statistics.proportions import LEVEL
from analysis.statistics.two_way.means import TwoWayMeans

Array = np.ndarray

MOST_AT_ONCE = 4_000_000  # deviates, 32 MB; the result doesn't depend on it


def largest_deviations(
    means: TwoWayMeans, contrasts: Sequence[Array], replicates: int, seed: int
) -> list[Array]:
    """Return the largest deviations of curves from their estimates, in standard deviations.

    The columns of the means are points of the curves. Participants' and items' totals are
    multiplied by normal deviates (multiplier bootstrap: Chernozhukov, Chetverikov & Kato 2013,
    Ann. Stat. 41; of clusters two ways, Menzel 2021, Econometrica 89), the same for all curves.

    Parameters
    ----------
    means
        One column a point.
    contrasts
        (cells,) each: the weighted sum that a curve shows.
    replicates, seed
        Of the multipliers.

    Returns
    -------
    list of ndarray
        (replicates,) of each curve; empty if no point of it varies.
    """
    curves = [_studentised(means, contrast) for contrast in contrasts]
    units = sum(len(part) for part in means.totals(contrasts[0]).values())
    largest: list[list[Array]] = [[] for _ in curves]
    rng = np.random.Generator(np.random.PCG64(seed))
    step = max(1, MOST_AT_ONCE // units)
    for at in range(0, replicates, step):
        deviates = rng.standard_normal((min(step, replicates - at), units))
        for of_curve, curve in zip(largest, curves, strict=True):
            if curve.size:
                of_curve.append(np.abs(deviates @ curve).max(axis=1))
    return [np.concatenate([np.zeros(0), *of_curve]) for of_curve in largest]


def _studentised(means: TwoWayMeans, contrast: Array) -> Array:
    """Return the units' totals over their standard deviation, of the points that vary."""
    totals = list(means.totals(contrast).values())
    size = np.sqrt(sum((total**2).sum(axis=0) for total in totals))
    varies = size > 0
    return np.concatenate(totals)[:, varies] / size[varies]


def band_factors(largest: Array, df: Array, level: float = LEVEL) -> Array:
    """Return (m,) how many standard errors a band reaches to either side of each point.

    Normal deviates give the level at which each point must hold, so that all of them hold at once;
    Student's t gives each point's factor at this level, by its own degrees of freedom. A band whose
    every point had the fewest degrees of freedom of all would be too wide (docs/statistics.md).

    Parameters
    ----------
    largest
        From `largest_deviations`, or the larger of several curves' replicate by replicate.
    df
        (m,) the standard errors' degrees of freedom; infinite for none.
    """
    return -t_quantile(normal_above(np.quantile(largest, level)), df)
