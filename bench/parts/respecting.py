"""A packer that knows the digit, as published generators do: what the checks must catch."""

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.ndimage import distance_transform_edt

from stimuli.plates.masks import Mask
from stimuli.plates.packing import Packing
from stimuli.plates.spec import PlateSpec

THROWS_A_BLOCK, MOST_BLOCKS = 50_000, 8
ROOM = 16
"""Dots in a cell at most; more of these sizes don't go in."""


def pack_respecting(mask: Mask, seed: int, spec: PlateSpec = PlateSpec()) -> Packing:
    """Pack dots, largest first, none of which crosses the outline of a mask.

    Sizes, gap and order are those of the blind packer (`stimuli.plates.packing`). What
    doesn't fit within so many throws is left out.
    """
    count = max(1, round(spec.density / spec.dot_radius_mean**2))
    quantile = (np.arange(count, 0, -1) - 0.5) / count
    low, high = spec.dot_radius_min**2, spec.dot_radius_max**2
    radius = np.sqrt(low + (high - low) * quantile)
    rng = np.random.Generator(np.random.PCG64(seed))
    cell = 2 * radius[0] + spec.dot_gap
    cells = int(2 / cell) + 3
    occupants = np.full((cells, cells, ROOM), -1, dtype=np.int32)
    x, y = np.zeros(count), np.zeros(count)
    preflight, placed = _clearance(mask), 0
    for _ in range(MOST_BLOCKS):
        throws = rng.uniform(-1, 1, (THROWS_A_BLOCK, 2))
        placed = _throw(throws, x, y, radius, spec.dot_gap, preflight, cell, occupants, placed)
        if placed == count:
            break
    kept = (values[:placed].astype(np.float32) for values in (x, y, radius))
    return Packing(*kept)


def _clearance(mask: Mask) -> NDArray[np.float64]:
    """Return how far each pixel is from the outline at least, in plate radii."""
    edge = np.zeros_like(mask)
    edge[1:] |= mask[1:] != mask[:-1]
    edge[:, 1:] |= mask[:, 1:] != mask[:, :-1]
    if not edge.any():
        return np.full(mask.shape, 2.0)
    return (distance_transform_edt(~edge) - 1) * 2 / len(mask)


@njit(cache=True)
def _throw(throws, x, y, radius, gap, preflight, cell, occupants, placed):
    size = preflight.shape[0]
    for throw in range(throws.shape[0]):
        if placed == radius.shape[0]:
            break
        px, py, own = throws[throw, 0], throws[throw, 1], radius[placed]
        if px * px + py * py > (1 - own) ** 2:
            continue
        if preflight[int((1 - py) / 2 * size), int((px + 1) / 2 * size)] < own:
            continue
        column, row = int((px + 1) / cell) + 1, int((py + 1) / cell) + 1
        clear = True
        for i in range(column - 1, column + 2):
            for j in range(row - 1, row + 2):
                for other in occupants[i, j]:
                    if other >= 0:
                        contact = radius[other] + own + gap
                        if (x[other] - px) ** 2 + (y[other] - py) ** 2 < contact * contact:
                            clear = False
        if clear:
            x[placed], y[placed] = px, py
            for k in range(occupants.shape[2]):
                if occupants[column, row, k] < 0:
                    occupants[column, row, k] = placed
                    placed += 1
                    break
    return placed
