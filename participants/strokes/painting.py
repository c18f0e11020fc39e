"""Paintings: masks that follow from what was done with brush and eraser.

All arithmetic is on whole numbers, so that every machine makes the same mask of the same acts.
"""

import itertools
from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from participants.strokes.acts import (
    MASK_PX,
    NOWHERE,
    UNITS,
    Act,
    ActName,
    Box,
    Point,
    Tool,
    standing,
)
from participants.strokes.canvas import Brush, Draw
from stimuli.io.canonical import sha256_hex
from stimuli.maps.relevance import REGION_PX, plate_disc

RADII: Final = (12, 16, 21, 28, 36, 48, 64, 84)
"""Radii of the brush, each about a third larger than the one before, in quarter pixels."""
FIRST_RADIUS: Final = 36
"""Half a numeral's stroke: about a seventh of the plate's radius."""

Mask = NDArray[np.bool_]


def mask_of(acts: Iterable[Act]) -> Mask:
    """Return what acts leave painted.

    A stroke touches the pixels whose centres lie within its radius of its line; a later stroke
    overrules an earlier one. Nothing beyond the plate's disc is ever painted.

    Returns
    -------
    bool (256, 256)
        Picture of the square around the plate, row 0 on top.
    """
    mask = np.zeros((MASK_PX, MASK_PX), dtype=np.bool_)
    for act in standing(acts):
        if act.act == "clear":
            mask[:] = False
        else:
            for start, end in segments(act):
                stamp(mask, act.act, act.radius, start, end)
    return mask


def segments(act: Act) -> list[tuple[Point, Point]]:
    """Return a stroke's pieces from point to point; a dab is one piece from itself to itself."""
    if len(act.points) == 1:
        return [(act.points[0], act.points[0])]
    return list(itertools.pairwise(act.points))


def stamp(mask: Mask, tool: ActName, radius: int, start: Point, end: Point) -> Box:
    """Paint or erase one piece of a stroke; return the rows and columns that it may have touched.

    Parameters
    ----------
    mask
        bool (256, 256), changed in place.
    tool, radius
        Of the stroke.
    start, end
        Of the piece.
    """
    (_, x0, y0), (_, x1, y1) = start, end
    rows, columns = _reach(y0, y1, radius), _reach(x0, x1, radius)
    if rows.start >= rows.stop or columns.start >= columns.stop:
        return NOWHERE
    across = _centres(columns)[None, :] - x0
    down = _centres(rows)[:, None] - y0
    near = _within(across, down, x1 - x0, y1 - y0, radius) & plate_disc(MASK_PX)[rows, columns]
    if tool == "brush":
        mask[rows, columns] |= near
    else:
        mask[rows, columns] &= ~near
    return rows, columns


def mask_sha256(mask: Mask) -> str:
    """Return the SHA-256 of a mask's packed bits, row by row."""
    return sha256_hex(np.packbits(mask, axis=None).tobytes())


def map_of(mask: Mask) -> NDArray[np.float32]:
    """Return a mask as a map: the painted share of each pixel, float32 (128, 128)."""
    step = MASK_PX // REGION_PX
    blocks = mask.reshape(REGION_PX, step, REGION_PX, step)
    return blocks.mean(axis=(1, 3)).astype(np.float32)


def painted_area(mask: Mask) -> float:
    """Return the painted share of the plate's disc, 0…1."""
    return float(mask.sum() / plate_disc(MASK_PX).sum())


def _reach(one: int, other: int, radius: int) -> slice:
    """Return the pixels of an axis whose centres may lie within reach of a piece."""
    first = (min(one, other) - radius) // UNITS
    last = (max(one, other) + radius) // UNITS
    return slice(max(first, 0), min(last + 1, MASK_PX))


def _centres(pixels: slice) -> NDArray[np.int64]:
    return np.arange(pixels.start, pixels.stop, dtype=np.int64) * UNITS + UNITS // 2


def _within(
    across: NDArray[np.int64], down: NDArray[np.int64], dx: int, dy: int, radius: int
) -> Mask:
    """Return which places, counted from a piece's start, lie within a radius of the piece."""
    reach = radius * radius
    from_start = across**2 + down**2
    length = dx * dx + dy * dy
    if length == 0:
        return from_start <= reach
    along = across * dx + down * dy
    aside = (across * dy - down * dx) ** 2 <= reach * length
    from_end = (across - dx) ** 2 + (down - dy) ** 2
    return np.where(
        along <= 0, from_start <= reach, np.where(along >= length, from_end <= reach, aside)
    )


def _begin_stroke(tool: Tool, radius: int) -> Draw:
    """Return what paints or erases a stroke, from its last point but one to its last."""
    return lambda mask, path: stamp(mask, tool, radius, path[-2:][0], path[-1])


PAINT_BRUSH: Final = Brush(
    dtype=np.bool_,
    tools=("brush", "eraser"),
    radii=RADII,
    first_radius=FIRST_RADIUS,
    begin=_begin_stroke,
    keeps_still=False,
)
