"""Edges of an image, by Canny's detector (Canny 1986, IEEE PAMI 8:679-698)."""

from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

SMOOTHING_SHARE: Final = 1 / 160
"""SD of the Gaussian before it, as a share of the image's side: 1.4 pixels of 224."""
WEAK, STRONG = 100.0, 200.0
"""Gradients of grey values 0…255 under Sobel's filter, as usual in OpenCV."""
ACROSS: Final = ((0, 1), (1, 1), (1, 0), (1, -1))
"""Steps (row, column) across an edge, by the gradient's direction in eighths of a circle."""


def edges(pixels: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return where an image has edges, one pixel wide.

    Parameters
    ----------
    pixels
        uint8 (height, width, 3).

    Returns
    -------
    bool (height, width)
    """
    grey = pixels @ np.array([0.299, 0.587, 0.114])
    return canny(ndimage.gaussian_filter(grey, SMOOTHING_SHARE * len(grey)))


def canny(grey: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return the edges of grey values 0…255 that need no more smoothing.

    An edge is where the gradient is largest across its own direction, is above `WEAK`, and hangs
    together with a place where it is above `STRONG`.
    """
    down, right = (ndimage.sobel(grey, axis=axis, mode="nearest") for axis in (0, 1))
    strength = np.hypot(down, right)
    thin = _is_ridge(strength, down, right)
    weak = thin & (strength > WEAK)
    parts, count = ndimage.label(weak, structure=np.ones((3, 3)))
    kept = np.zeros(count + 1, dtype=bool)
    kept[parts[weak & (strength > STRONG)]] = True
    kept[0] = False
    return kept[parts]


def _is_ridge(
    strength: NDArray[np.float64], down: NDArray[np.float64], right: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Return where the gradient isn't weaker than its neighbours along its own direction."""
    eighth = np.round(np.arctan2(down, right) / (np.pi / 4)).astype(int) % 4
    high, wide = strength.shape
    padded = np.pad(strength, 1)
    ridge = np.zeros(strength.shape, dtype=bool)
    for number, (row, column) in enumerate(ACROSS):
        before = padded[1 - row : 1 - row + high, 1 - column : 1 - column + wide]
        behind = padded[1 + row : 1 + row + high, 1 + column : 1 + column + wide]
        # One of two equal neighbours, so that a line is one pixel wide.
        ridge |= (eighth == number) & (strength > before) & (strength >= behind)
    return ridge
