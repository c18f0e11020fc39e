"""Measures of a map at each step: its correlation with another map, and what it uncovers.

What it uncovers is measured as a share of an object, and by how broken it looks: fragments are
uncovered parts that don't touch each other.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from stimuli.studies.progressive_reveal.reveal import MOST_STEPS, Bytes, uncovered

Floats = NDArray[np.float64]
Ranks = NDArray[np.int64]
Ints = NDArray[np.intp]

WEIGHT_LEVELS: Final = 1_000_000
SMALL_PX: Final = 4
"""Parts of so many pixels at most are dots that show nothing."""


def ranks_by_step(relevance: Floats, step_of: Bytes, steps: int) -> list[Ranks]:
    """Return the ranks of a map's pixels at each step, the map being 0 where it is covered.

    Parameters
    ----------
    relevance
        The map (H, W).
    step_of
        Its schedule, as in `stimuli.studies.progressive_reveal.reveal.Schedule`.
    steps
        Number of steps.

    Returns
    -------
    list of int64 (H · W,)
        Ranks of all pixels of the image, equal ones sharing their mean; less the mean of
        all and times two, so that they are whole numbers and their sums exact.
    """
    values, step = np.ravel(relevance), np.ravel(step_of) & np.uint8(MOST_STEPS)
    places = np.flatnonzero((step > 0) & (values != 0))
    places = places[np.argsort(values[places], kind="stable")]
    by_step = []
    for last in range(1, steps + 1):
        now = places[step[places] <= last]
        ranks = np.full(values.size, 2 * int((values[now] < 0).sum()) - len(now))
        ranks[now] = _sorted_ranks(values[now], values.size)
        by_step.append(ranks)
    return by_step


def correlations(ranks: Sequence[Ranks], reference: Sequence[Ranks]) -> list[float | None]:
    """Return Spearman's rank correlation of two maps at each step, −1…1.

    Pearson's correlation of the ranks over all pixels of the image (Dawoud et al. 2023,
    Figures 8 and 9, at the last and at every step; which pixels enter is not stated there).
    None where one of the maps is flat.

    Parameters
    ----------
    ranks, reference
        What `ranks_by_step` made of the maps.
    """
    return [_correlation(rank, theirs) for rank, theirs in zip(ranks, reference, strict=True)]


def shares_uncovered(step_of: Bytes, weight: Floats, steps: int) -> list[float | None]:
    """Return how much of a weight (H, W), such as an object's figure, is uncovered at each step.

    To a millionth of the largest weight; None where there is none at all.
    """
    if not weight.any():
        return [None] * steps
    # Whole numbers, whose sums are exact on any machine.
    parts = np.rint(weight / weight.max() * WEIGHT_LEVELS).astype(np.int64)
    weights = [int(parts[uncovered(step_of, step)].sum()) for step in range(1, steps + 1)]
    return [part / int(parts.sum()) for part in weights]


def _sorted_ranks(values: Floats, total: int) -> Ranks:
    """Return the ranks of sorted values, none of them 0, among zeros that make up a total."""
    zeros = total - len(values)
    starts = np.flatnonzero(np.diff(values, prepend=np.nan) != 0)
    count = np.diff(starts, append=len(values))
    ranks = 2 * starts + count - total + 2 * zeros * (values[starts] > 0)
    return np.repeat(ranks, count)


def _correlation(ranks: Ranks, theirs: Ranks) -> float | None:
    product, square, their_square = (
        int((a * b).sum()) for a, b in ((ranks, theirs), (ranks, ranks), (theirs, theirs))
    )
    return product / math.sqrt(square * their_square) if square and their_square else None


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
    step_numbers = np.pad(step_of & np.uint8(MOST_STEPS), 1)
    return [_parts((step_numbers > 0) & (step_numbers <= step)) for step in range(1, steps + 1)]


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


def _joined(first: Ints, second: Ints, count: int) -> Ints:
    """Return the part of each of so many runs, named by its first run, from pairs that touch."""
    part = np.arange(count)
    while (apart := part[first] != part[second]).any():
        first, second = first[apart], second[apart]
        ends = np.sort([part[first], part[second]], axis=0)
        np.minimum.at(part, ends[1], ends[0])
        while (part[part] != part).any():
            part = part[part]
    return part
