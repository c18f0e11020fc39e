"""What ratings of confidence tell of right and wrong answers."""

import numpy as np
from scipy.stats import rankdata

Array = np.ndarray


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
