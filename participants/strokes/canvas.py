"""A painting in the making: acts as they come, the mask kept up with them."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from participants.strokes.painting import (
    FIRST_RADIUS,
    MASK_PX,
    Act,
    Box,
    Mask,
    Point,
    Tool,
    next_radius,
    stamp,
    standing,
)

NOWHERE: Final = (slice(0, 0), slice(0, 0))


def changed(before: NDArray[Any], after: NDArray[Any]) -> Box:
    """Return the smallest box round all that differs between two pictures of one shape."""
    differs = before != after
    rows, columns = (np.flatnonzero(differs.any(axis=axis)) for axis in (1, 0))
    if not len(rows):
        return NOWHERE
    return slice(int(rows[0]), int(rows[-1]) + 1), slice(int(columns[0]), int(columns[-1]) + 1)


class Canvas:
    """Takes strokes, undos and clears; at every moment its mask is `mask_of` its acts.

    Every method that changes the mask returns the rows and columns that may have changed, or
    None where nothing did.

    Attributes
    ----------
    mask
        bool (256, 256): what is painted now.
    radius
        Of the next stroke, one of `painting.RADII`.
    """

    def __init__(self, radius: int = FIRST_RADIUS) -> None:
        self.mask: Mask = np.zeros((MASK_PX, MASK_PX), dtype=np.bool_)
        self.radius = radius
        self._acts: list[Act] = []
        self._before: list[Mask] = []
        self._stroke: list[Point] = []
        self._tool: Tool = "brush"

    @property
    def acts(self) -> tuple[Act, ...]:
        """All that was done, in order; a stroke under way is not among it yet."""
        return tuple(self._acts)

    @property
    def painting(self) -> bool:
        """Whether a stroke is under way."""
        return bool(self._stroke)

    def begin(self, tool: Tool, t_ms: int, x: int, y: int) -> Box | None:
        """Put the brush or the eraser down at a place (quarter pixels); ends an open stroke."""
        self.end()
        self._before.append(self.mask.copy())
        self._tool = tool
        self._stroke = [(t_ms, x, y)]
        return stamp(self.mask, self._open_act(), self._stroke[0], self._stroke[0])

    def move(self, t_ms: int, x: int, y: int) -> Box | None:
        """Draw on to a place; nothing without an open stroke, or where it is already."""
        if not self._stroke or self._stroke[-1][1:] == (x, y):
            return None
        self._stroke.append((t_ms, x, y))
        return stamp(self.mask, self._open_act(), *self._stroke[-2:])

    def end(self) -> None:
        """Lift the brush; a stroke that changed nothing is not kept."""
        if not self._stroke:
            return
        if np.array_equal(self.mask, self._before[-1]):
            self._before.pop()
        else:
            self._acts.append(self._open_act())
        self._stroke = []

    def undo(self, t_ms: int) -> Box | None:
        """Take the last stroke or clear back; nothing where there is none."""
        self.end()
        if not self._before:
            return None
        self._acts.append(Act("undo", t_ms))
        undone = self.mask.copy()
        self.mask[:] = self._before.pop()
        return changed(undone, self.mask)

    def clear(self, t_ms: int) -> Box | None:
        """Wipe all; nothing where nothing is painted."""
        self.end()
        if not self.mask.any():
            return None
        self._before.append(self.mask.copy())
        self._acts.append(Act("clear", t_ms))
        self.mask[:] = False
        return changed(self._before[-1], self.mask)

    def resize(self, steps: int) -> None:
        """Make the brush larger or smaller; a stroke under way keeps its own."""
        self.end()
        self.radius = next_radius(self.radius, steps)

    def painting_s(self) -> float:
        """Return the time from the first stroke's beginning to the last one's end, seconds."""
        strokes = [act for act in self._acts if act.points]
        if not strokes:
            return 0.0
        return (max(act.points[-1][0] for act in strokes) - strokes[0].t_ms) / 1000

    def undos(self) -> int:
        """Return how often something was taken back."""
        return sum(act.act == "undo" for act in self._acts)

    def strokes_standing(self) -> int:
        """Return how many strokes no undo took back."""
        return sum(bool(act.points) for act in standing(self._acts))

    def _open_act(self) -> Act:
        return Act(self._tool, self._stroke[0][0], self.radius, tuple(self._stroke))
