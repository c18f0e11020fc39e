"""What a person paints or marks by hand: acts, the canvas that they produce, and paintings.

A painting is kept as acts (strokes, undos, clears), as in a journal, never as pixels alone: the
pixels are a pure function of the acts. Positions are whole quarter pixels of a grid of 256 × 256
over the picture. A canvas takes acts as they come, and updates what is marked. All arithmetic on
masks uses whole numbers, so that every machine makes the same mask from the same acts.
"""

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from stimuli.io.canonical import sha256_hex
from stimuli.maps.relevance import REGION_PX, plate_disc

MASK_PX: Final = 256
"""Side of the grid over the square around the picture."""
UNITS: Final = 4
"""Parts of a pixel of the grid in which places and radii are counted."""
SIDE: Final = MASK_PX * UNITS

Tool = Literal["brush", "eraser"]
ActName = Literal["brush", "eraser", "undo", "clear"]
Point = tuple[int, int, int]
Box = tuple[slice, slice]
NOWHERE: Final = (slice(0, 0), slice(0, 0))


@dataclass(frozen=True, slots=True)
class Act:
    """Something that was done to a picture.

    Attributes
    ----------
    act
        ``brush`` and ``eraser`` are strokes; ``undo`` takes back the last act that still stands,
        ``clear`` erases everything.
    t_ms
        When it began, whole milliseconds since the picture's onset.
    radius
        Of the stroke, in quarter pixels of the grid; 0 without one.
    points
        Of the stroke: (milliseconds, x, y), quarter pixels from the square's top left corner;
        at least one. Empty without a stroke.
    """

    act: ActName
    t_ms: int
    radius: int = 0
    points: tuple[Point, ...] = ()

    def document(self) -> dict[str, Any]:
        """Return the act as a journal holds it, with its points as one flat list."""
        flat = [value for point in self.points for value in point]
        return {"act": self.act, "t_ms": self.t_ms, "radius": self.radius, "points": flat}


def act_from(document: dict[str, Any]) -> Act:
    """Return the act of a journal's document."""
    flat = [int(value) for value in document["points"]]
    points = tuple(zip(flat[::3], flat[1::3], flat[2::3], strict=True))
    return Act(document["act"], int(document["t_ms"]), int(document["radius"]), points)


def standing(acts: Iterable[Act]) -> list[Act]:
    """Return the strokes and clears that weren't undone, in order."""
    kept: list[Act] = []
    for act in acts:
        if act.act != "undo":
            kept.append(act)
        elif kept:
            kept.pop()
    return kept


Values = NDArray[Any]
Draw = Callable[[Values, Sequence[Point]], Box | None]
"""Draws what a stroke's newest point adds, in place; returns the rows and columns that may have
changed, or None if nothing changed."""


@dataclass(frozen=True, slots=True)
class Brush:
    """How strokes mark a canvas.

    Attributes
    ----------
    dtype
        Of the canvas's values.
    tools
        Tools for strokes.
    radii, first_radius
        Sizes to choose from, ascending, in quarter pixels, and the first size.
    begin
        Returns the function that draws a stroke of a tool and a radius.
    keeps_still
        Whether a stroke keeps the points at which the pointer rests.
    """

    dtype: type[np.generic]
    tools: tuple[Tool, ...]
    radii: tuple[int, ...]
    first_radius: int
    begin: Callable[[Tool, int], Draw]
    keeps_still: bool

    def resized(self, radius: int, steps: int) -> int:
        """Return the radius some steps up (or down) the scale, no further than its end."""
        at = self.radii.index(radius) + steps
        return self.radii[min(max(at, 0), len(self.radii) - 1)]


class Canvas:
    """Takes strokes, undos and clears; without an open stroke its values follow from its acts.

    Every method that changes the values returns the rows and columns that may have changed, or None
    if nothing changed.

    Parameters
    ----------
    brush
        How strokes mark it.
    radius
        Of the first stroke; None for the brush's first.

    Attributes
    ----------
    values
        (256, 256) of the brush's dtype: the marks; 0 where nothing is marked.
    radius
        Of the next stroke.
    """

    def __init__(self, brush: Brush, radius: int | None = None) -> None:
        self.values: Values = np.zeros((MASK_PX, MASK_PX), dtype=brush.dtype)
        self.radius = brush.first_radius if radius is None else radius
        self._brush = brush
        self._acts: list[Act] = []
        self._before: list[Values] = []
        self._stroke: list[Point] = []
        self._tool: Tool = "brush"
        self._draw: Draw

    @property
    def acts(self) -> tuple[Act, ...]:
        """All acts in order, without a stroke that hasn't ended."""
        return tuple(self._acts)

    @property
    def marked(self) -> bool:
        """Whether anything is marked."""
        return bool(self.values.any())

    def begin(self, tool: Tool, t_ms: int, x: int, y: int) -> Box | None:
        """Begin a stroke at a place (quarter pixels); ends an open one."""
        self.end()
        self._before.append(self.values.copy())
        self._tool, self._draw = tool, self._brush.begin(tool, self.radius)
        return self._go(t_ms, x, y)

    def move(self, t_ms: int, x: int, y: int) -> Box | None:
        """Move the stroke to a place; do nothing without an open stroke."""
        rests = bool(self._stroke) and self._stroke[-1][1:] == (x, y)
        if not self._stroke or (rests and not self._brush.keeps_still):
            return None
        return self._go(t_ms, x, y)

    def end(self) -> None:
        """End a stroke; a stroke that changed nothing isn't kept."""
        if not self._stroke:
            return
        if np.array_equal(self.values, self._before[-1]):
            self._before.pop()
        else:
            stroke = tuple(self._stroke)
            self._acts.append(Act(self._tool, stroke[0][0], self.radius, stroke))
        self._stroke = []

    def undo(self, t_ms: int) -> Box | None:
        """Take back the last stroke or clear, if there is one."""
        self.end()
        if not self._before:
            return None
        self._acts.append(Act("undo", t_ms))
        undone = self.values.copy()
        self.values[:] = self._before.pop()
        return _changed(undone, self.values)

    def clear(self, t_ms: int) -> Box | None:
        """Erase everything that is marked."""
        self.end()
        if not self.marked:
            return None
        self._before.append(self.values.copy())
        self._acts.append(Act("clear", t_ms))
        self.values[:] = 0
        return _changed(self._before[-1], self.values)

    def resize(self, steps: int) -> None:
        """Make the brush larger or smaller; ends an open stroke, which keeps its own size."""
        self.end()
        self.radius = self._brush.resized(self.radius, steps)

    def _go(self, t_ms: int, x: int, y: int) -> Box | None:
        self._stroke.append((t_ms, x, y))
        return self._draw(self.values, self._stroke)


def _changed(before: Values, after: Values) -> Box:
    """Return the smallest box around all differences between two pictures of one shape."""
    differs = before != after
    rows, columns = (np.flatnonzero(differs.any(axis=axis)) for axis in (1, 0))
    if not len(rows):
        return NOWHERE
    return slice(int(rows[0]), int(rows[-1]) + 1), slice(int(columns[0]), int(columns[-1]) + 1)


RADII: Final = (12, 16, 21, 28, 36, 48, 64, 84)
"""Radii of the brush, each about a third larger than the one before, in quarter pixels."""
FIRST_RADIUS: Final = 36
"""Half the width of a numeral's stroke: about a seventh of the plate's radius."""

Mask = NDArray[np.bool_]


def mask_of(acts: Iterable[Act]) -> Mask:
    """Return the area that is painted after some acts.

    A stroke changes the pixels whose centres lie within its radius of its line; a later stroke
    overrides an earlier one. Nothing beyond the plate's disc is ever painted.

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
    """Return a stroke's segments from point to point; a dab is a segment from a point to itself."""
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


def _reach(start: int, end: int, radius: int) -> slice:
    """Return the pixels of an axis whose centres may lie within reach of a piece."""
    first = (min(start, end) - radius) // UNITS
    last = (max(start, end) + radius) // UNITS
    return slice(max(first, 0), min(last + 1, MASK_PX))


def _centres(pixels: slice) -> NDArray[np.int64]:
    return np.arange(pixels.start, pixels.stop, dtype=np.int64) * UNITS + UNITS // 2


def _within(
    across: NDArray[np.int64], down: NDArray[np.int64], dx: int, dy: int, radius: int
) -> Mask:
    """Return which places, relative to a piece's start, lie within a radius of the piece."""
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
    """Return the function that paints or erases a stroke's last segment."""
    return lambda mask, path: stamp(mask, tool, radius, path[-2:][0], path[-1])


PAINT_BRUSH: Final = Brush(
    dtype=np.bool_,
    tools=("brush", "eraser"),
    radii=RADII,
    first_radius=FIRST_RADIUS,
    begin=_begin_stroke,
    keeps_still=False,
)
