"""Pixels of equal relevance, from the inside of their plateau out.

Maps that count, such as people's bubbles, give many pixels one value. If chance decided among
these, a method with wide plateaus would be uncovered as scattered dots and another as solid areas,
and a difference between methods would be one of texture too. Dawoud et al. (2023, section III) go
from the centre of overlapping bubbles to the region's edge, and call salt and pepper undesirable.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


def inside_out(
    strength: Floats, asked: NDArray[np.intp], lots: NDArray[np.uint64]
) -> tuple[Ints, Ints]:
    """Return what orders pixels of equal strength, the second criterion first (for a lexsort).

    All distances are whole numbers of pixels along rows, columns and diagonals (a bubble is a
    square): the same bits on every machine.

    Parameters
    ----------
    strength
        (H, W), ≥ 0.
    asked
        (n,) places in the flattened map, at least one: all whose strength is some value above 0
        or more.
    lots
        (H · W,), of the hash; the smallest decides where a map begins.

    Returns
    -------
    nearness, minus depth
        int64 (n,) each. Depth: how far away the nearest pixel of less strength is, or what
        lies beyond the image. Nearness: how far away the nearest pixel is that is uncovered
        before, which is stronger, or as strong and deeper, or the map's very first. Both 0
        where no other pixel is as strong.
    """
    _, levels, times = np.unique(strength.ravel()[asked], return_inverse=True, return_counts=True)
    tied = np.zeros(strength.shape, dtype=np.bool_)
    tied.ravel()[asked] = times[levels] > 1
    if not tied.any():
        none = np.zeros(len(asked), dtype=np.int64)
        return none, none
    depth = _away(-strength, tied, beyond=1).ravel()[asked]
    turns = 1 + levels * (1 + depth.max()) + depth
    ahead = asked[turns == turns.max()]
    first = ahead[lots[ahead].argmin()]
    # The fewest bytes that hold them: it is quicker.
    turn = np.zeros(strength.shape, dtype=np.min_scalar_type(turns.max() + 1))
    turn.ravel()[asked] = turns
    turn.ravel()[first] += 1
    tied.ravel()[first] = False
    return _away(turn, tied, beyond=0).ravel()[asked], -depth


def _away(values: NDArray[np.number], asked: Mask, beyond: int) -> Ints:
    """Return how far from each asked pixel the nearest greater one is; 0 where it isn't asked.

    Parameters
    ----------
    values, asked
        (H, W). For each asked pixel there is a greater one, or ``beyond`` is greater.
    beyond
        What lies beyond the image.
    """
    away = np.zeros(values.shape, dtype=np.int64)
    left = asked.copy()
    # Of each pixel the greatest value as far away as `away` says, in a ring of what lies beyond.
    greatest = np.pad(values, 1, constant_values=beyond)
    inside = greatest[1:-1, 1:-1]
    while left.any():
        away += left
        rows = np.maximum(np.maximum(greatest[:-2], greatest[1:-1]), greatest[2:])
        np.maximum(np.maximum(rows[:, :-2], rows[:, 1:-1]), rows[:, 2:], out=inside)
        left &= inside <= values
    return away
