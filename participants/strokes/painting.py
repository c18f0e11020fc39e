"""Paintings: what was done with brush and eraser, and the mask that follows from it.

A painting is kept as acts (strokes, undos, clears), never as pixels alone: the mask is a pure
function of them. Places are whole quarter pixels of the mask, and all arithmetic is on whole
numbers, so that every machine makes the same mask of the same acts.
"""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from stimuli.io.canonical import sha256_hex
from stimuli.maps.relevance import REGION_PX, plate_disc

MASK_PX: Final = 256
"""Side of a mask, whose picture is the square around the plate."""
UNITS: Final = 4
"""Parts of a mask's pixel in which places and radii are counted."""
SIDE: Final = MASK_PX * UNITS
RADII: Final = (12, 16, 21, 28, 36, 48, 64, 84)
"""Radii of the brush, each about a third larger than the one before, in quarter pixels."""
FIRST_RADIUS: Final = 36
"""Half a numeral's stroke: about a seventh of the plate's radius."""

Tool = Literal["brush", "eraser"]
ActName = Literal["brush", "eraser", "undo", "clear"]
Mask = NDArray[np.bool_]
Point = tuple[int, int, int]
Box = tuple[slice, slice]
NOWHERE: Final = (slice(0, 0), slice(0, 0))


@dataclass(frozen=True, slots=True)
class Act:
    """Something that was done to a painting.

    Attributes
    ----------
    act
        ``brush`` and ``eraser`` are strokes; ``undo`` takes the last act back that still
        stands, ``clear`` wipes all.
    t_ms
        When it began, whole milliseconds since the plate's onset.
    radius
        Of the stroke, in quarter pixels of the mask; 0 without one.
    points
        Of the stroke: (milliseconds, x, y), quarter pixels from the square's top left corner;
        at least one. Empty without a stroke.
    """

    act: ActName
    t_ms: int
    radius: int = 0
    points: tuple[Point, ...] = ()

    def document(self) -> dict[str, Any]:
        """Return the act as it stands in a journal: its points as one flat list."""
        flat = [value for point in self.points for value in point]
        return {"act": self.act, "t_ms": self.t_ms, "radius": self.radius, "points": flat}


def act_from(document: dict[str, Any]) -> Act:
    """Return the act of a journal's document."""
    flat = [int(value) for value in document["points"]]
    points = tuple(zip(flat[::3], flat[1::3], flat[2::3], strict=True))
    return Act(document["act"], int(document["t_ms"]), int(document["radius"]), points)


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
                stamp(mask, act, start, end)
    return mask


def standing(acts: Iterable[Act]) -> list[Act]:
    """Return the strokes and clears that no undo took back, in order."""
    kept: list[Act] = []
    for act in acts:
        if act.act != "undo":
            kept.append(act)
        elif kept:
            kept.pop()
    return kept


def segments(act: Act) -> list[tuple[Point, Point]]:
    """Return a stroke's pieces from point to point; a dab is one piece from itself to itself."""
    if len(act.points) == 1:
        return [(act.points[0], act.points[0])]
    return list(itertools.pairwise(act.points))


def stamp(mask: Mask, act: Act, start: Point, end: Point) -> Box:
    """Paint or erase one piece of a stroke; return the rows and columns that it may have touched.

    Parameters
    ----------
    mask
        bool (256, 256), changed in place.
    act
        The stroke.
    start, end
        Of the piece.
    """
    (_, x0, y0), (_, x1, y1) = start, end
    rows, columns = _reach(y0, y1, act.radius), _reach(x0, x1, act.radius)
    if rows.start >= rows.stop or columns.start >= columns.stop:
        return NOWHERE
    across = _centres(columns)[None, :] - x0
    down = _centres(rows)[:, None] - y0
    near = _within(across, down, x1 - x0, y1 - y0, act.radius) & plate_disc(MASK_PX)[rows, columns]
    if act.act == "brush":
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


def next_radius(radius: int, steps: int) -> int:
    """Return the radius some steps up (or down) the scale of `RADII`, at most to its end."""
    at = RADII.index(radius) + steps
    return RADII[min(max(at, 0), len(RADII) - 1)]


def stroke_points(t_ms: Sequence[int], xy: Sequence[tuple[int, int]]) -> tuple[Point, ...]:
    """Return a stroke's points without those that stay where the one before is."""
    points: list[Point] = []
    for at_ms, (x, y) in zip(t_ms, xy, strict=True):
        if not points or points[-1][1:] != (x, y):
            points.append((at_ms, x, y))
    return tuple(points)


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
