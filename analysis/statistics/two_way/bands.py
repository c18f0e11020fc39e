"""Bands that hold a whole curve of means at once."""

import numpy as np

from analysis.statistics.proportions import LEVEL
from analysis.statistics.two_way.means import TwoWayMeans

Array = np.ndarray

MOST_AT_ONCE = 4_000_000  # deviates, 32 MB; the result doesn't depend on it


def largest_deviations(means: TwoWayMeans, contrast: Array, replicates: int, seed: int) -> Array:
    """Return how far a curve strays from its estimate at most, in standard deviations.

    The columns of the means are points of the curve. Participants' and items' totals are
    multiplied by normal deviates (multiplier bootstrap: Chernozhukov, Chetverikov & Kato 2013,
    Ann. Stat. 41; of clusters two ways, Menzel 2021, Econometrica 89).

    Parameters
    ----------
    means
        One column a point.
    contrast
        (cells,) of which weighted sum the curve is.
    replicates, seed
        Of the multipliers.

    Returns
    -------
    ndarray
        (replicates,); empty where no point varies.
    """
    totals = [np.einsum("gkm,k->gm", part, contrast) for part in (means.participants, means.items)]
    size = np.sqrt(sum((own**2).sum(axis=0) for own in totals))
    varies = size > 0
    if not varies.any():
        return np.zeros(0)
    scaled = np.concatenate(totals)[:, varies] / size[varies]
    rng = np.random.Generator(np.random.PCG64(seed))
    step = max(1, MOST_AT_ONCE // len(scaled))
    parts = [
        np.abs(rng.standard_normal((min(step, replicates - at), len(scaled))) @ scaled).max(axis=1)
        for at in range(0, replicates, step)
    ]
    return np.concatenate(parts)


def band_factor(largest: Array, df: float, seed: int, level: float = LEVEL) -> float:
    """Return how many standard errors a band reaches to either side.

    Parameters
    ----------
    largest
        From `largest_deviations`, or the larger of several curves' replicate by replicate.
    df
        The standard errors' degrees of freedom; infinite for none.
    seed
        Of the standard errors' own error.
    """
    if not np.isfinite(df):
        return float(np.quantile(largest, level))
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(1,))))
    return float(np.quantile(largest * np.sqrt(df / rng.chisquare(df, len(largest))), level))
