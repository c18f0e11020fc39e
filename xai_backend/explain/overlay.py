"""A map laid over its image, to be looked at."""

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy.ndimage import gaussian_filter

SCALE = 2
"""Pixels of an overlay per pixel of the input."""

FOR = np.array([255.0, 150.0, 30.0])
AGAINST = np.array([60.0, 140.0, 255.0])
BOTH = np.array([235.0, 105.0, 215.0])
"""Orange and blue: told apart with every colour vision, and by their lightness from grey;
pink between them, where both stand close together."""

SMOOTHING = 1 / 112
"""Standard deviation, as a share of the side, within which an eye would take dots together:
maps of gradients change their sign from pixel to pixel, and would look like nothing at all."""
QUANTILE = 0.995
"""Of the strength, shown in full, so that a few extreme pixels don't hide the rest."""
DIMMED = 0.55
"""Lightness of the grey image beneath, so that colours stand out of it."""
STRENGTH = 0.85
"""Opacity of full relevance: the image stays visible through it."""

Codes = NDArray[np.uint8]
Floats = NDArray[np.float64]


def overlay(codes: Codes, relevance: NDArray[np.float32]) -> Codes:
    """Return an image with what speaks for the class in orange and what against it in blue.

    Opacity tells how much relevance there is around a pixel, of either sign; the colour, how
    far one sign prevails.

    Parameters
    ----------
    codes
        RGB codes (H, W, 3).
    relevance
        (H, W), any range. Zero is clear; opacity grows in proportion to the strength and
        is full at its ``QUANTILE``.

    Returns
    -------
    uint8 (2 H, 2 W, 3)
    """
    height, width = relevance.shape
    size = (width * SCALE, height * SCALE)
    grey = Image.fromarray(codes).convert("L").resize(size, Image.Resampling.BICUBIC)
    ground = np.asarray(grey, dtype=np.float64)[..., None] * DIMMED
    strength, balance = (_enlarged(part, size) for part in strength_and_balance(relevance))
    colour = np.where(balance > 0, FOR, AGAINST) * np.abs(balance) + BOTH * (1 - np.abs(balance))
    # Shaded by the image, so that its outlines show where colour is strong.
    shaded = colour * (0.5 + 0.5 * ground / (255 * DIMMED))
    opacity = STRENGTH * strength
    return np.round(ground * (1 - opacity) + shaded * opacity).astype(np.uint8)


def strength_and_balance(relevance: NDArray[np.float32]) -> tuple[Floats, Floats]:
    """Return how much relevance is around each pixel, 0…1, and which sign prevails, −1…1.

    Strength is the smoothed |relevance|, divided by its ``QUANTILE`` and cut at 1; balance
    is the smoothed relevance as a share of that.
    """
    plain = relevance.astype(np.float64)
    spread = SMOOTHING * min(relevance.shape)
    size = gaussian_filter(np.abs(plain), spread, mode="nearest")
    net = gaussian_filter(plain, spread, mode="nearest")
    balance = np.divide(net, size, out=np.zeros_like(net), where=size > 0)
    full = float(np.quantile(size, QUANTILE)) or float(size.max())
    strength = np.clip(size / full, 0, 1) if full > 0 else np.zeros_like(size)
    return strength, np.clip(balance, -1, 1)


def _enlarged(values: Floats, size: tuple[int, int]) -> Floats:
    picture = Image.fromarray(values.astype(np.float32))
    enlarged = picture.resize(size, Image.Resampling.BILINEAR)
    return np.asarray(enlarged, dtype=np.float64)[..., None]
