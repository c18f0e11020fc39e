"""Measures of the maps alone: whether two rank the pixels alike, and how complex one is."""

import io
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy.stats import rankdata

from xai_backend.metrics.localisation import binarised


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
        al. 2023, section IV-B); None for all.

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


def _correlation(maps: NDArray[np.floating], other: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return Pearson's correlation of the rows' ranks."""
    if maps.shape[1] < 2:
        return np.full(len(maps), np.nan)
    first, second = (rankdata(rows, axis=1) for rows in (maps, other))
    first -= first.mean(axis=1, keepdims=True)
    second -= second.mean(axis=1, keepdims=True)
    size = np.sqrt((first**2).sum(axis=1) * (second**2).sum(axis=1))
    product = (first * second).sum(axis=1)
    return np.divide(product, size, out=np.full(len(maps), np.nan), where=size > 0)


THRESHOLD = 0.05
JPEG_QUALITY = 75


def covered_area(maps: NDArray[np.floating], threshold: float = THRESHOLD) -> NDArray[np.float64]:
    """Return the share of pixels with more than a share of the map's maximum, 0…1 (n,)."""
    return binarised(maps, threshold).mean(axis=(1, 2))


def gini(maps: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return how unevenly relevance is spread, by Gini's index of |relevance|, 0…1 (n,).

    0 if all pixels have the same relevance, near 1 if one pixel has all: the sparseness of
    Chalasani et al. 2020 (equation 12, after Hurley and Rickard 2009). NaN if a map is zero.
    """
    sizes = np.sort(np.abs(maps).reshape(len(maps), -1).astype(np.float64), axis=1)
    count = sizes.shape[1]
    total = sizes.sum(axis=1)
    ranked = sizes @ (2 * np.arange(1, count + 1) - count - 1)
    return np.divide(ranked, count * total, out=np.full(len(maps), np.nan), where=total > 0)


def compressed_size(
    maps: NDArray[np.floating], codec: Literal["png", "jpeg"] = "png"
) -> NDArray[np.float64]:
    """Return the size of each map as a compressed grey picture, in bytes (n,).

    It is a measure of complexity. Samek et al. 2021 report it for occlusion and LRP (in Dawoud et
    al. 2023, table I); neither states the format. Here the map is divided by the
    largest |relevance|, −1…1 becomes 8-bit codes 0…255, and the picture is compressed
    without loss (png) or at quality 75 (jpeg).
    """
    return np.array([float(len(_picture(values, codec))) for values in maps])


def _picture(values: NDArray[np.floating], codec: str) -> bytes:
    size = float(np.abs(values).max())
    scaled = values / size if size > 0 else np.zeros_like(values)
    picture = Image.fromarray(np.round((scaled + 1) * 127.5).astype(np.uint8))
    stream = io.BytesIO()
    if codec == "png":
        picture.save(stream, format="PNG", optimize=True)
    else:
        picture.save(stream, format="JPEG", quality=JPEG_QUALITY)
    return stream.getvalue()
