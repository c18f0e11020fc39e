"""Embedded digits as pictures: light ink on slate, which is never the black of what is hidden."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from stimuli.colour.spaces import Floats

GROUND_SRGB: Final = (70, 84, 104)
INK_SRGB: Final = (244, 238, 222)
SPAN: Final = 0.8
"""Share of the picture's side over which the digit's own image is spread."""
EDGE: Final = (0.4, 0.6)
"""Interpolated shares of the darkest ink between which ink blends into the ground."""

_WORDS: Final = {
    "": ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"),
    "de": ("null", "eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun"),
}
DIGIT_NAMES: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        (str(digit), language): f"{word}|{digit}"
        for language, words in _WORDS.items()
        for digit, word in enumerate(words)
    }
)
"""What the ten classes are called, as `classes.class_rows` takes it: the word, or the digit."""


def digit_picture(grey: NDArray[np.floating], size_px: int) -> NDArray[np.uint8]:
    """Return a digit as a picture, uint8 (size_px, size_px, 3), sRGB codes.

    Parameters
    ----------
    grey
        The digit's image (h, w), 0 paper … 1 ink.
    size_px
        Side of the picture.

    Raises
    ------
    ValueError
        If the image isn't two-dimensional or has no ink.
    """
    low, high = EDGE
    ink = np.clip((_enlarged(grey, size_px) - low) / (high - low), 0, 1)[..., None]
    blended = ink * np.array(INK_SRGB) + (1 - ink) * np.array(GROUND_SRGB)
    return np.rint(blended).astype(np.uint8)


def digit_figure(grey: NDArray[np.floating], size_px: int) -> NDArray[np.bool_]:
    """Return which pixels of a digit's picture are the digit, bool (size_px, size_px)."""
    return _enlarged(grey, size_px) >= sum(EDGE) / 2


def _enlarged(grey: NDArray[np.floating], size_px: int) -> Floats:
    """Return ink as a share of the darkest, float64 (size_px, size_px)."""
    values = np.asarray(grey, dtype=np.float32)
    if values.ndim != 2:
        raise ValueError(f"a digit's image has two dimensions, not {values.ndim}")
    if not values.size or not values.max() > 0:
        raise ValueError("the image has no ink")
    scale = SPAN * size_px / max(values.shape)
    height, width = (max(1, round(side * scale)) for side in values.shape)
    # A paper border, so that ink at the image's edge ends as softly as it does elsewhere.
    bordered = np.pad(values / values.max(), 1)
    cell_y, cell_x = height / values.shape[0], width / values.shape[1]
    whole = (round(height + 2 * cell_y), round(width + 2 * cell_x))
    large = Image.fromarray(bordered).resize(whole[::-1], Image.Resampling.BICUBIC)
    canvas = Image.new("F", (size_px, size_px), 0.0)
    canvas.paste(large, ((size_px - whole[1]) // 2, (size_px - whole[0]) // 2))
    return np.asarray(canvas, dtype=np.float64)
