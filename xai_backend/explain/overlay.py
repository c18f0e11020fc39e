"""A map laid over its image, to be looked at."""

import numpy as np
from numpy.typing import NDArray
from PIL import Image

SCALE = 2
"""Pixels of an overlay per pixel of the input."""

FOR = np.array([255.0, 150.0, 30.0])
AGAINST = np.array([60.0, 140.0, 255.0])
"""Orange and blue: told apart with every colour vision, and by their lightness from grey."""

QUANTILE = 0.995
"""Of |relevance|, shown at full strength, so that a few extreme pixels don't hide the rest."""
DIMMED = 0.55
"""Lightness of the grey image beneath, so that colours stand out of it."""
STRENGTH = 0.85
"""Opacity of full relevance: the image stays visible through it."""
GAMMA = 0.7
"""Exponent of opacity: lifts the weaker parts of maps that are mostly near zero."""

Codes = NDArray[np.uint8]


def overlay(codes: Codes, relevance: NDArray[np.float32]) -> Codes:
    """Return an image with what speaks for the class in orange and what against it in blue.

    Parameters
    ----------
    codes
        RGB codes (H, W, 3).
    relevance
        (H, W), any range. Zero is clear; opacity grows with |relevance| and is
        full at its ``QUANTILE``.

    Returns
    -------
    uint8 (2 H, 2 W, 3)
    """
    height, width = relevance.shape
    size = (width * SCALE, height * SCALE)
    grey = Image.fromarray(codes).convert("L").resize(size, Image.Resampling.BICUBIC)
    ground = np.asarray(grey, dtype=np.float64)[..., None] * DIMMED
    scaled = Image.fromarray(scaled_relevance(relevance)).resize(size, Image.Resampling.BILINEAR)
    shown = np.asarray(scaled, dtype=np.float64)[..., None]
    colour = np.where(shown > 0, FOR, AGAINST)
    # Shaded by the image, so that its outlines show where colour is strong.
    shaded = colour * (0.5 + 0.5 * ground / (255 * DIMMED))
    opacity = STRENGTH * np.abs(shown) ** GAMMA
    return np.round(ground * (1 - opacity) + shaded * opacity).astype(np.uint8)


def scaled_relevance(relevance: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return relevance divided by the ``QUANTILE`` of its size, cut at −1 and 1."""
    size = np.abs(relevance)
    full = float(np.quantile(size, QUANTILE)) or float(size.max())
    if full == 0:
        return np.zeros_like(relevance)
    return np.clip(relevance / full, -1, 1).astype(np.float32)
