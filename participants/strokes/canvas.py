"""A canvas: acts as they come, and what is marked kept up with them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from participants.strokes.acts import MASK_PX, NOWHERE, Act, Box, Point, Tool

Values = NDArray[Any]
Draw = Callable[[Values, Sequence[Point]], Box | None]
"""Draws what a stroke's newest point adds, in place; returns the rows and columns that may have
changed, or None where nothing did."""


@dataclass(frozen=True, slots=True)
class Brush:
    """How strokes mark a canvas.

    Attributes
    ----------
    dtype
        Of the canvas's values.
    tools
        What strokes can be made with.
    radii, first_radius
        Sizes to choose from, ascending, in quarter pixels, and the one to begin with.
    begin
        Returns what draws a stroke of a tool and a radius.
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
        """Return the radius some steps up (or down) the scale, at most to its end."""
        at = self.radii.index(radius) + steps
        return self.radii[min(max(at, 0), len(self.radii) - 1)]


class Canvas:
    """Takes strokes, undos and clears; without an open stroke its values follow from its acts.

    Every method that changes the values returns the rows and columns that may have changed, or
    None where nothing did.

    Parameters
    ----------
    brush
        How strokes mark it.
    radius
        Of the first stroke; None for the brush's first.

    Attributes
    ----------
    values
        (256, 256) of the brush's dtype: what is marked now, 0 where nothing is.
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
        """Everything that was done, in order; without a stroke that isn't ended yet."""
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
        """Go on to a place; nothing without an open stroke."""
        rests = bool(self._stroke) and self._stroke[-1][1:] == (x, y)
        if not self._stroke or (rests and not self._brush.keeps_still):
            return None
        return self._go(t_ms, x, y)

    def end(self) -> None:
        """End a stroke; one that changed nothing is not kept."""
        if not self._stroke:
            return
        if np.array_equal(self.values, self._before[-1]):
            self._before.pop()
        else:
            stroke = tuple(self._stroke)
            self._acts.append(Act(self._tool, stroke[0][0], self.radius, stroke))
        self._stroke = []

    def undo(self, t_ms: int) -> Box | None:
        """Take the last stroke or clear back; nothing where there is none."""
        self.end()
        if not self._before:
            return None
        self._acts.append(Act("undo", t_ms))
        undone = self.values.copy()
        self.values[:] = self._before.pop()
        return _changed(undone, self.values)

    def clear(self, t_ms: int) -> Box | None:
        """Wipe all; nothing where nothing is marked."""
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
    """Return the smallest box round all that differs between two pictures of one shape."""
    differs = before != after
    rows, columns = (np.flatnonzero(differs.any(axis=axis)) for axis in (1, 0))
    if not len(rows):
        return NOWHERE
    return slice(int(rows[0]), int(rows[-1]) + 1), slice(int(columns[0]), int(columns[-1]) + 1)
