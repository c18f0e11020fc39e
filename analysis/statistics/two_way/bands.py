"""Bands that hold a whole curve of means at once."""

import numpy as np

from analysis.statistics.proportions import LEVEL
from analysis.statistics.two_way.means import TwoWayMeans

Array = np.ndarray


def band_factor(
    means: TwoWayMeans, contrast: Array, replicates: int, seed: int, level: float = LEVEL
) -> float:
    """Return how many standard errors a simultaneous band reaches to either side.

    The columns of the means are points of the curve. A multiplier bootstrap of participants' and
    items' totals gives the largest studentised deviation over the points (Chernozhukov,
    Chetverikov & Kato 2013, Ann. Stat. 41; of clusters two ways, Menzel 2021, Econometrica 89),
    with Student's t for the normal distribution: the least degrees of freedom of any point.

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
    float
        NaN where no point has a standard error.
    """
    spread = means.spread(contrast)
    totals = [np.einsum("gkm,k->gm", part, contrast) for part in (means.participants, means.items)]
    size = np.sqrt(sum((own**2).sum(axis=0) for own in totals))
    varies = (size > 0) & np.isfinite(spread.se)
    if not varies.any():
        return float("nan")
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))
    drawn = sum(
        rng.standard_normal((replicates, len(own))) @ (own[:, varies] / size[varies])
        for own in totals
    )
    df = float(spread.df[varies].min())
    largest = np.abs(drawn).max(axis=1) * np.sqrt(df / rng.chisquare(df, replicates))
    return float(np.quantile(largest, level))
