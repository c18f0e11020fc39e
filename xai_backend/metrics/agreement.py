"""Do two maps rank the pixels alike?"""

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata


def spearman(
    maps: NDArray[np.floating],
    others: NDArray[np.floating],
    masks: NDArray[np.bool_] | None = None,
) -> NDArray[np.float64]:
    """Return Spearman's rank correlation of each map with the other, −1…1 (n,).

    Parameters
    ----------
    maps, others
        (n, H, W).
    masks
        bool (n, H, W): the pixels to compare, such as those revealed so far (Dawoud et
        al. 2023, section IV-B); all without it.

    Returns
    -------
    float64 (n,)
        Ties get mean ranks. NaN where a map is constant or fewer than two pixels are left.
    """
    if maps.shape != others.shape or maps.ndim != 3:
        raise ValueError(f"maps {maps.shape} and {others.shape} differ")
    if masks is None:
        return _correlation(maps.reshape(len(maps), -1), others.reshape(len(maps), -1))
    if masks.shape != maps.shape:
        raise ValueError(f"maps {maps.shape} and masks {masks.shape} differ")
    pairs = zip(maps, others, masks, strict=True)
    return np.array([_correlation(a[m][None], b[m][None])[0] for a, b, m in pairs])


def _correlation(one: NDArray[np.floating], other: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return Pearson's correlation of the rows' ranks."""
    if one.shape[1] < 2:
        return np.full(len(one), np.nan)
    first, second = (rankdata(rows, axis=1) for rows in (one, other))
    first -= first.mean(axis=1, keepdims=True)
    second -= second.mean(axis=1, keepdims=True)
    size = np.sqrt((first**2).sum(axis=1) * (second**2).sum(axis=1))
    product = (first * second).sum(axis=1)
    return np.divide(product, size, out=np.full(len(one), np.nan), where=size > 0)
