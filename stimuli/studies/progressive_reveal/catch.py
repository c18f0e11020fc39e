"""Catch rounds: rounds that no method's map uncovers, and whose answer tells of the person alone.

Of one kind the image can't be recognised until the last step: a small spot grows in a place where
there is little to see, and the last step shows all the rest. Who names it before has guessed. Of
the other kind the whole image is shown at once, and anybody who looks names it.
"""

from math import pi, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from stimuli.images.smoothing import smooth
from stimuli.studies.progressive_reveal.material import Picture
from stimuli.studies.progressive_reveal.protocol import NO_METHOD
from stimuli.studies.progressive_reveal.reveal import Schedule, counts
from stimuli.studies.progressive_reveal.tables import CATCH_KINDS

HIDDEN: Final = "hidden"
WHOLE: Final = "whole"
SPOT_SHARE: Final = 0.02
"""Share of the image that a hidden one has uncovered before the last step."""
EDGE_SHARE: Final = 0.25
"""The spot's centre is at most this part of the image's side away from the edge."""
FIGURE_WEIGHT: Final = 255.0
"""How much a pixel of the object counts against a place, in steps of contrast."""


def catch_method(kind: str) -> str:
    """Return what stands in the method's place in the tables of a catch round's pack."""
    return f"{NO_METHOD}{kind}"


def catch_kind(method: str) -> str | None:
    """Return the kind of catch round by what stands in the method's place; None for a method."""
    kind = method.removeprefix(NO_METHOD)
    return kind if method.startswith(NO_METHOD) and kind in CATCH_KINDS else None


def catch_schedule(picture: Picture, kind: str, steps: int) -> Schedule:
    """Return when each pixel of a catch round's image is uncovered.

    Parameters
    ----------
    picture
        The image; its figure, where that is known, is kept covered as far as can be.
    kind
        One of `CATCH_KINDS`.
    steps
        Number of steps; 2 or more for a hidden one.
    """
    shape = picture.image.shape[:2]
    if kind == WHOLE:
        return Schedule(np.ones(shape, np.uint8), (picture.image[..., 0].size,) * steps, False)
    size = shape[0] * shape[1]
    pixels = (*counts(max(1, int(SPOT_SHARE * size)), steps - 1).tolist(), size)
    step_of = np.full(size, steps, np.uint8)
    spot = _outwards(shape, _flat_place(picture))[: pixels[-2]]
    step_of[spot] = 1 + np.searchsorted(pixels, np.arange(len(spot)), side="right")
    return Schedule(step_of.reshape(shape), pixels, False)


def _outwards(shape: tuple[int, int], centre: tuple[int, int]) -> NDArray[np.intp]:
    """Return all places of a flattened image, those near a centre first."""
    row, column = np.indices(shape)
    away = (row - centre[0]) ** 2 + (column - centre[1]) ** 2
    return np.argsort(away.ravel(), kind="stable")


def _flat_place(picture: Picture) -> tuple[int, int]:
    """Return where, not far from the edge, the image has least contrast and nothing of the object.

    Row and column of the pixel round which a spot of `SPOT_SHARE` of the image shows least.
    """
    height, width = picture.image.shape[:2]
    radius_px = sqrt(SPOT_SHARE * height * width / pi)
    down, across = np.gradient(picture.image.mean(axis=2))
    seen = np.hypot(down, across)
    if picture.figure is not None:
        seen = seen + FIGURE_WEIGHT * picture.figure
    row, column = np.indices((height, width))
    inside_px = np.minimum.reduce([row, column, height - 1 - row, width - 1 - column])
    allowed = (inside_px >= radius_px) & (inside_px <= EDGE_SHARE * min(height, width))
    place = np.where(allowed, smooth(seen, radius_px), np.inf).argmin()
    return int(place) // width, int(place) % width
