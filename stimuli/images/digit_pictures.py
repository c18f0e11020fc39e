"""Embedded digits as pictures: light ink on slate, which is never the black of what is hidden."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from stimuli.colour.spaces import Floats
from stimuli.images.digits import Digits
from stimuli.io.canonical import seed_of

GROUND_SRGB: Final = (70, 84, 104)
INK_SRGB: Final = (244, 238, 222)
SPANS: Final = (0.55, 0.75)
"""Smallest and largest share of the picture's side over which a digit's own image is spread."""
MARGIN: Final = 0.04
"""Share of the side that is kept free all round."""
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
DIGIT_WORDS: Mapping[tuple[str, str], str] = MappingProxyType(
    {key: names.partition("|")[0] for key, names in DIGIT_NAMES.items()}
)
"""Only the words, by label and language: for studies in which a label has one name."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a digit lies in its picture.

    Attributes
    ----------
    span
        Share of the picture's side over which the digit's own image is spread.
    across, down
        0 at the left or on top, 1 at the right or the bottom, 0.5 in the middle.
    """

    span: float = SPANS[1]
    across: float = 0.5
    down: float = 0.5


def digit_name(digits: Digits, index: int) -> str:
    """Return a digit's name, by which its place in its picture is drawn too."""
    return f"{digits.source}-{index:05d}"


def place_by(key: str) -> Place:
    """Return a place drawn by a key: who knows one digit's place doesn't know another's.

    Neither does a network, which could otherwise tell digits by the ground around them.
    """
    rng = np.random.Generator(np.random.PCG64(seed_of("digit's place", key)))
    span, across, down = rng.random(3)
    return Place(SPANS[0] + span * (SPANS[1] - SPANS[0]), across, down)


def digit_picture(
    grey: NDArray[np.floating], size_px: int, place: Place = Place()
) -> NDArray[np.uint8]:
    """Return a digit as a picture, uint8 (size_px, size_px, 3), sRGB codes.

    Parameters
    ----------
    grey
        The digit's image (h, w), 0 paper … 1 ink.
    size_px
        Side of the picture.
    place
        Where in it the digit lies.

    Raises
    ------
    ValueError
        If the image isn't two-dimensional or has no ink.
    """
    low, high = EDGE
    ink = np.clip((_enlarged(grey, size_px, place) - low) / (high - low), 0, 1)[..., None]
    blended = ink * np.array(INK_SRGB) + (1 - ink) * np.array(GROUND_SRGB)
    return np.rint(blended).astype(np.uint8)


def digit_figure(
    grey: NDArray[np.floating], size_px: int, place: Place = Place()
) -> NDArray[np.bool_]:
    """Return which pixels of a digit's picture are the digit, bool (size_px, size_px)."""
    return _enlarged(grey, size_px, place) >= sum(EDGE) / 2


def _enlarged(grey: NDArray[np.floating], size_px: int, place: Place) -> Floats:
    """Return ink as a share of the darkest, float64 (size_px, size_px)."""
    values = np.asarray(grey, dtype=np.float32)
    if values.ndim != 2:
        raise ValueError(f"a digit's image has two dimensions, not {values.ndim}")
    if not values.size or not values.max() > 0:
        raise ValueError("the image has no ink")
    cell_px = place.span * size_px / max(values.shape)
    # A paper border, so that ink at the image's edge ends as softly as it does elsewhere.
    bordered = np.pad(values / values.max(), 1)
    height, width = (max(1, round(side * cell_px)) for side in bordered.shape)
    large = Image.fromarray(bordered).resize((width, height), Image.Resampling.BICUBIC)
    canvas = Image.new("F", (size_px, size_px), 0.0)
    corner = [
        round(MARGIN * size_px + at * ((1 - 2 * MARGIN) * size_px - side * cell_px) - cell_px)
        for at, side in zip((place.across, place.down), values.shape[::-1], strict=True)
    ]
    canvas.paste(large, (corner[0], corner[1]))
    return np.asarray(canvas, dtype=np.float64)
