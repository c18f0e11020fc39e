"""Bubbles in the making: acts as they come, the counts kept up with them."""

import numpy as np

from participants.strokes.bubbling import HALF_BUBBLE, Bubbler, Counts, Place, covered
from participants.strokes.canvas import changed
from participants.strokes.painting import MASK_PX, Act, Box, Point


class BubbleCanvas:
    """Takes strokes, undos and clears; without an open stroke its counts are those of its acts.

    Every method that changes the counts returns the rows and columns that may have changed, or
    None where nothing did.

    Attributes
    ----------
    counts
        float32 (256, 256): bubbles on each pixel now.
    """

    def __init__(self) -> None:
        self.counts: Counts = np.zeros((MASK_PX, MASK_PX), dtype=np.float32)
        self._acts: list[Act] = []
        self._before: list[Counts] = []
        self._stroke: list[Point] = []
        self._bubbler = Bubbler()

    @property
    def acts(self) -> tuple[Act, ...]:
        """All that was done, in order; a stroke under way is not among it yet."""
        return tuple(self._acts)

    @property
    def marked(self) -> bool:
        """Whether there is a bubble."""
        return bool(self.counts.any())

    def begin(self, t_ms: int, x: int, y: int) -> Box | None:
        """Begin a stroke at a place (quarter pixels); ends an open one."""
        self.end()
        self._before.append(self.counts.copy())
        self._bubbler = Bubbler()
        return self._go(t_ms, x, y)

    def move(self, t_ms: int, x: int, y: int) -> Box | None:
        """Go on to a place; nothing without an open stroke."""
        return self._go(t_ms, x, y) if self._stroke else None

    def end(self) -> None:
        """End a stroke; one that set no bubble on the image is not kept."""
        if not self._stroke:
            return
        if np.array_equal(self.counts, self._before[-1]):
            self._before.pop()
        else:
            begun_ms = self._stroke[0][0]
            self._acts.append(Act("brush", begun_ms, HALF_BUBBLE, tuple(self._stroke)))
        self._stroke = []

    def undo(self, t_ms: int) -> Box | None:
        """Take the last stroke or clear back; nothing where there is none."""
        self.end()
        if not self._before:
            return None
        self._acts.append(Act("undo", t_ms))
        undone = self.counts.copy()
        self.counts[:] = self._before.pop()
        return changed(undone, self.counts)

    def clear(self, t_ms: int) -> Box | None:
        """Take all bubbles away; nothing where there is none."""
        self.end()
        if not self.marked:
            return None
        self._before.append(self.counts.copy())
        self._acts.append(Act("clear", t_ms))
        self.counts[:] = 0
        return changed(self._before[-1], self.counts)

    def _go(self, t_ms: int, x: int, y: int) -> Box | None:
        self._stroke.append((t_ms, x, y))
        return self._set(list(self._bubbler.moved((t_ms, x, y))))

    def _set(self, places: list[Place]) -> Box | None:
        """Add bubbles; return the smallest box round them."""
        if not places:
            return None
        boxes = [covered(place) for place in places]
        for rows, columns in boxes:
            self.counts[rows, columns] += 1
        rows, columns = zip(*boxes, strict=True)
        return tuple(
            slice(min(part.start for part in parts), max(part.stop for part in parts))
            for parts in (rows, columns)
        )
