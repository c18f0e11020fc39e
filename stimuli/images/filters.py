"""Resampling and Gaussian smoothing of maps and pictures, with the same bits on every machine."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def resampled(values: NDArray[np.floating], size_px: int) -> Floats:
    """Return a map (H, W) as a square of another size, float64 (size_px, size_px).

    Bilinear if it grows, an average under a triangle if it shrinks; centres of pixels lie half a
    pixel from the edge, and the outermost values continue beyond them. Sums run in a fixed order
    (no BLAS): any number of threads gives the same bits.
    """
    source = np.asarray(values, dtype=np.float64)
    if source.shape == (size_px, size_px):
        return source.copy()
    down, across = (_triangle(n, size_px) for n in source.shape)
    return np.einsum("ij,jk->ik", np.einsum("ij,jk->ik", down, source), across.T)


@lru_cache(maxsize=32)
def _triangle(source: int, target: int) -> Floats:
    """Return the (target, source) weights: linear when enlarging, averaging when reducing."""
    centre = (np.arange(target) + 0.5) * source / target - 0.5
    width = max(1.0, source / target)
    weights = np.maximum(0.0, 1 - np.abs(centre[:, None] - np.arange(source)) / width)
    return weights / weights.sum(axis=1, keepdims=True)


def smooth(values: NDArray[np.floating] | NDArray[np.bool_], sigma_px: float) -> Floats:
    """Return the values (H, W) smoothed by a Gaussian; outside the picture they are zero.

    The Gaussian isn't truncated, so that a small patch still ranks distant pixels.
    Sums run in a fixed order (no BLAS): any number of threads gives the same bits.
    """
    source = np.asarray(values, dtype=np.float64)
    if sigma_px <= 0:
        return source.copy()
    down, across = (_gaussian(n, float(sigma_px)) for n in source.shape)
    return np.einsum("ij,jk->ik", np.einsum("ij,jk->ik", down, source), across)


@lru_cache(maxsize=32)
def _gaussian(count: int, sigma_px: float) -> Floats:
    offset = np.arange(count)[:, None] - np.arange(count)
    reach = np.arange(-8 * max(1, round(sigma_px)), 8 * max(1, round(sigma_px)) + 1)
    total = np.exp(-0.5 * (reach / sigma_px) ** 2).sum()
    return np.exp(-0.5 * (offset / sigma_px) ** 2) / total
