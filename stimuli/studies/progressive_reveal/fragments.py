"""How broken what is uncovered looks: parts that don't touch each other, step by step."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from stimuli.studies.progressive_reveal.reveal import MOST_STEPS, Bytes

SMALL_PX: Final = 4
"""Parts of so many pixels at most are dots that show nothing."""


@dataclass(frozen=True, slots=True)
class Fragments:
    """What is uncovered at a step, by its parts; pixels touch by a side or a corner.

    Attributes
    ----------
    count
        Number of parts.
    small
        How many of these have at most `SMALL_PX` pixels.
    largest_px
        Pixels of the largest one; 0 where nothing is uncovered.
    """

    count: int
    small: int
    largest_px: int


def fragments(step_of: Bytes, steps: int) -> list[Fragments]:
    """Return the parts of what is uncovered at each step.

    Parameters
    ----------
    step_of
        uint8 (H, W), as in `stimuli.studies.progressive_reveal.reveal.Schedule`.
    steps
        Number of steps.
    """
    # A ring of pixels that are never uncovered: neighbours need no check for the image's edge.
    own = np.pad(step_of & np.uint8(MOST_STEPS), 1)
    parts = _Parts(*own.shape)
    found = []
    for step in range(1, steps + 1):
        for place in np.flatnonzero(own == step).tolist():
            parts.add(place)
        found.append(Fragments(parts.count, parts.small, parts.largest))
    return found


class _Parts:
    """Pixels that come one by one, and the parts that they make up (union-find)."""

    def __init__(self, height: int, width: int) -> None:
        self.count = self.small = self.largest = 0
        self._around = [row * width + column for row in (-1, 0, 1) for column in (-1, 0, 1)]
        self._around.remove(0)
        self._parent = [-1] * (height * width)
        self._size = [0] * (height * width)

    def add(self, place: int) -> None:
        """Add a pixel that isn't there yet."""
        self._parent[place], self._size[place] = place, 1
        self.count, self.small = self.count + 1, self.small + 1
        root = place
        for step in self._around:
            if self._parent[place + step] >= 0:
                root = self._joined(root, self._root(place + step))
        self.largest = max(self.largest, self._size[root])

    def _root(self, place: int) -> int:
        parent = self._parent
        while parent[place] != place:
            parent[place] = parent[parent[place]]
            place = parent[place]
        return place

    def _joined(self, one: int, other: int) -> int:
        """Make one part of two, given by their roots; return its root."""
        if one == other:
            return one
        size = self._size
        large, little = (one, other) if size[one] >= size[other] else (other, one)
        self.small -= (size[large] <= SMALL_PX) + (size[little] <= SMALL_PX)
        size[large] += size[little]
        self.small += size[large] <= SMALL_PX
        self.count -= 1
        self._parent[little] = large
        return large
