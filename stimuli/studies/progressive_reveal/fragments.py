"""How broken what is uncovered looks: parts that don't touch each other, step by step."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from stimuli.studies.progressive_reveal.reveal import MOST_STEPS, Bytes

Ints = NDArray[np.intp]

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
    # A ring of pixels that are never uncovered: no run goes on from one row to the next.
    own = np.pad(step_of & np.uint8(MOST_STEPS), 1)
    return [_parts((own > 0) & (own <= step)) for step in range(1, steps + 1)]


def _parts(mask: NDArray[np.bool_]) -> Fragments:
    """Return the parts of a picture (H, W) whose outermost pixels are all covered."""
    turns = np.flatnonzero(np.diff(mask.ravel())) + 1
    starts, ends = turns[::2], turns[1::2]
    part = _joined(*_touching(starts, ends, mask.shape[1]), len(starts))
    sizes = np.bincount(part, weights=ends - starts)
    sizes = sizes[sizes > 0]
    largest = int(sizes.max(initial=0))
    return Fragments(len(sizes), int((sizes <= SMALL_PX).sum()), largest)


def _touching(starts: Ints, ends: Ints, width: int) -> tuple[Ints, Ints]:
    """Return the pairs of runs, by their numbers, that touch from one row to the next.

    Parameters
    ----------
    starts, ends
        Places in the flattened picture where runs of uncovered pixels begin, and behind them.
    width
        Of the picture, pixels.
    """
    first = np.searchsorted(ends, starts + width)
    count = np.searchsorted(starts, ends + width, side="right") - first
    nth = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    return np.repeat(np.arange(len(starts)), count), np.repeat(first, count) + nth


def _joined(one: Ints, other: Ints, count: int) -> Ints:
    """Return the part of each of so many runs, named by its first run, from pairs that touch."""
    part = np.arange(count)
    while (apart := part[one] != part[other]).any():
        one, other = one[apart], other[apart]
        ends = np.sort([part[one], part[other]], axis=0)
        np.minimum.at(part, ends[1], ends[0])
        while (part[part] != part).any():
            part = part[part]
    return part
