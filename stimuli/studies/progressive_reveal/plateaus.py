"""Pixels of equal relevance, from the inside of their plateau out.

Maps that count, such as people's bubbles, give many pixels one value. If chance decided among
these, a method with wide plateaus would be uncovered as scattered dots and another as solid areas,
and a difference between methods would be one of texture too. Dawoud et al. (2023, section III) go
from the centre of overlapping bubbles to the region's edge, and call salt and pepper undesirable.
"""

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def inside_out(strength: NDArray[np.floating], lots: NDArray[np.uint64]) -> tuple[Ints, Ints]:
    """Return what orders pixels of equal strength, the second criterion first (for a lexsort).

    All distances are whole numbers of pixels along rows, columns and diagonals (a bubble is a
    square): the same bits on every machine.

    Parameters
    ----------
    strength
        (H, W), ≥ 0; pixels of 0 are never uncovered.
    lots
        (H · W,), of the hash; the smallest decides where a map begins.

    Returns
    -------
    nearness, minus depth
        int64 (H · W,) each. Depth: how far away the nearest pixel of less strength is, or what
        lies beyond the image. Nearness: how far away the nearest pixel is that is uncovered
        before, which is stronger, or as strong and deeper, or the map's very first. Both 0
        where no other pixel is as strong.
    """
    _, places, times = np.unique(strength, return_inverse=True, return_counts=True)
    level = places.reshape(strength.shape).astype(np.int64)
    tied = (times[level] > 1) & (strength > 0)
    if not tied.any():
        none = np.zeros(strength.size, dtype=np.int64)
        return none, none
    depth = _away(-level, tied, beyond=1)
    turn = level * (1 + depth.max()) + depth
    first = _first(turn, lots)
    turn.ravel()[first] = turn.max() + 1
    tied.ravel()[first] = False
    return _away(turn, tied, beyond=-1).ravel(), -depth.ravel()


def _first(turn: Ints, lots: NDArray[np.uint64]) -> int:
    """Return the place of the pixel that is uncovered first of all."""
    ahead = np.flatnonzero(turn.ravel() == turn.max())
    return int(ahead[lots[ahead].argmin()])


def _away(values: Ints, asked: NDArray[np.bool_], beyond: int) -> Ints:
    """Return how far from each asked pixel the nearest greater one is; 0 where it isn't asked.

    Parameters
    ----------
    values, asked
        (H, W). For each asked pixel there is a greater one, or ``beyond`` is greater.
    beyond
        What lies beyond the image.
    """
    away = np.zeros(values.shape, dtype=np.int64)
    left, widened, distance = asked.copy(), values, 0
    while left.any():
        distance += 1
        widened = _widened(widened, beyond)
        found = left & (widened > values)
        away[found] = distance
        left &= ~found
    return away


def _widened(values: Ints, beyond: int) -> Ints:
    """Return the greatest value of each pixel and its eight neighbours."""
    wide = np.pad(values, 1, constant_values=beyond)
    rows = np.maximum(np.maximum(wide[:-2], wide[1:-1]), wide[2:])
    return np.maximum(np.maximum(rows[:, :-2], rows[:, 1:-1]), rows[:, 2:])
