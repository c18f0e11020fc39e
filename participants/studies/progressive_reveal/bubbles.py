"""Bubbles on an image: acts in, counts out.

A bubble is a small square. While the button is held a new one comes at a steady rate where the
pointer is by then, as long as it moves; so a slow hand leaves more of them than a fast one, and
what many of them cover counts as most relevant. After ClickMe (Linsley et al. 2019), as Dawoud et
al. (2023, section II) describe it. Places are whole quarters of a pixel on a grid of 256 × 256
pixels over the image, from its top left corner; all arithmetic is on whole numbers, so that the
same acts give the same bubbles everywhere.
"""

from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from participants.strokes import MASK_PX, UNITS, Act, Box, Brush, Draw, Point, Tool, standing
from stimuli.io.canonical import sha256_hex

BUBBLE_PX: Final = 18
"""Side of a bubble, pixels of an image of 256 × 256."""
HALF_BUBBLE: Final = BUBBLE_PX * UNITS // 2
BUBBLE_MS: Final = 50
"""Time between bubbles: 20 a second. The published texts give no rate; this one is ours."""

Counts = NDArray[np.float32]
Place = tuple[int, int]


def bubble_counts(acts: Iterable[Act]) -> Counts:
    """Return how many bubbles lie on each pixel.

    Parameters
    ----------
    acts
        Strokes (``brush``), undos and clears, in order.

    Returns
    -------
    float32 (256, 256)
        Whole numbers; 0 where no bubble lies. Picture of the image, row 0 on top.

    Raises
    ------
    ValueError
        If an act is an eraser's: a bubble is only removed by an undo of its stroke.
    """
    counts = np.zeros((MASK_PX, MASK_PX), dtype=np.float32)
    for act in standing(acts):
        if act.act == "clear":
            counts[:] = 0
        elif act.act == "brush":
            for place in bubbles(act.points):
                counts[covered(place)] += 1
        else:
            raise ValueError(f"{act.act} is no act of bubbling")
    return counts


def counts_sha256(counts: Counts) -> str:
    """Return the SHA-256 of counts as whole numbers of two bytes, row by row."""
    return sha256_hex(counts.astype("<u2").tobytes())


def bubbles(path: Iterable[Point]) -> Iterator[Place]:
    """Yield where the bubbles of a stroke lie, in order.

    There is one where the button went down, and one at the end of each `BUBBLE_MS` in which the
    pointer has moved. Between two samples the pointer is taken to move straight and evenly.

    Parameters
    ----------
    path
        (milliseconds, x, y) of the pointer, at least one, in order of time.
    """
    clock = Bubbler()
    for point in path:
        yield from clock.moved(point)


class Bubbler:
    """Sets the bubbles of one stroke while it is made.

    The bubbles don't depend on how the samples are bundled: `bubbles` of the finished stroke yields
    the same ones.
    """

    def __init__(self) -> None:
        self._at: Point | None = None
        self._due_ms = 0
        self._last: Place | None = None

    def moved(self, point: Point) -> Iterator[Place]:
        """Yield the bubbles that are due up to the pointer's next sample."""
        before, self._at = self._at, point
        if before is None:
            self._due_ms = point[0] + BUBBLE_MS
            self._last = point[1:]
            yield self._last
            return
        while self._due_ms <= point[0]:
            place = between(before, point, self._due_ms)
            self._due_ms += BUBBLE_MS
            if place != self._last:
                self._last = place
                yield place


def between(before: Point, after: Point, at_ms: int) -> Place:
    """Return where a pointer is between two samples, to the quarter pixel below."""
    (from_ms, x0, y0), (to_ms, x1, y1) = before, after
    whole, part = to_ms - from_ms, at_ms - from_ms
    if whole <= 0:
        return x1, y1
    return x0 + (x1 - x0) * part // whole, y0 + (y1 - y0) * part // whole


def covered(place: Place) -> Box:
    """Return the rows and columns whose pixels' centres a bubble at a place covers.

    `BUBBLE_PX` each way, fewer at the image's edge, none beyond it.
    """
    x, y = place
    return _pixels(y), _pixels(x)


def _pixels(middle: int) -> slice:
    """Return the pixels of an axis with a centre in [middle − half, middle + half)."""
    first = -((HALF_BUBBLE + UNITS // 2 - middle) // UNITS)
    return slice(min(max(first, 0), MASK_PX), min(max(first + BUBBLE_PX, 0), MASK_PX))


def _begin_bubbles(tool: Tool, radius: int) -> Draw:
    """Return the function that sets the bubbles of a stroke while it is made."""
    bubbler = Bubbler()
    return lambda counts, path: _added(counts, bubbler.moved(path[-1]))


def _added(counts: Counts, places: Iterable[Place]) -> Box | None:
    """Add bubbles in place; return the smallest box around them."""
    boxes = [covered(place) for place in places]
    if not boxes:
        return None
    for box in boxes:
        counts[box] += 1
    rows, columns = (
        slice(min(part.start for part in parts), max(part.stop for part in parts))
        for parts in zip(*boxes, strict=True)
    )
    return rows, columns


BUBBLE_BRUSH: Final = Brush(
    dtype=np.float32,
    tools=("brush",),
    radii=(HALF_BUBBLE,),
    first_radius=HALF_BUBBLE,
    begin=_begin_bubbles,
    keeps_still=True,
)
