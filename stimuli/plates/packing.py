"""Dots thrown onto a disc, none touching another, none knowing of any digit.

Everything stands on a lattice of 2**-20 of the plate's radius: positions and radii are
whole numbers, so the loops in machine code and in numpy decide every throw alike, and
float32 holds the result exactly.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from stimuli.plates.board import LATTICE, Fill, Integers, empty_board, quickest_fill
from stimuli.plates.random import PACKING, generator
from stimuli.plates.spec import PlateSpec

THROWS_A_BLOCK = 16384
MOST_BLOCKS = 600


@dataclass(frozen=True, slots=True, eq=False)
class Packing:
    """The dots of a plate, largest first.

    Parameters
    ----------
    x, y, radius
        float32 (N,), fractions of the plate's radius from its centre, y up.
    """

    x: NDArray[np.float32]
    y: NDArray[np.float32]
    radius: NDArray[np.float32]

    def __post_init__(self) -> None:
        shape = self.x.shape
        for values in (self.x, self.y, self.radius):
            if values.dtype != np.float32 or values.shape != shape or values.ndim != 1:
                raise ValueError("x, y and radius must be float32 arrays of one length")
            values.setflags(write=False)

    def __len__(self) -> int:
        return len(self.x)


def pack_dots(seed: int, spec: PlateSpec = PlateSpec()) -> Packing:
    """Pack dots at random, the same for the same seed on every machine.

    Parameters
    ----------
    seed
        Non-negative integer.
    spec
        Sizes, gap and density.

    Returns
    -------
    Packing
        As many dots as ``density`` needs; their squared radii are spread evenly between
        the squares of the smallest and the largest, so every packing has the same sizes.

    Raises
    ------
    ValueError
        If so dense a packing can't be found by throwing.

    Notes
    -----
    Dart throwing, the largest dot first: each throw is uniform on the square around the
    plate and kept if the dot lies in the disc and clear of those placed. The function
    takes no mask, so a packing can't tell what will be drawn on it.
    """
    return pack_by(seed, spec, quickest_fill())


def pack_by(seed: int, spec: PlateSpec, fill: Fill) -> Packing:
    """Do as `pack_dots` by one of the two ways of `stimuli.plates.board`."""
    board = empty_board(_radii(spec), spec.dot_gap)
    rng = generator(seed, PACKING)
    placed = 0
    for _ in range(MOST_BLOCKS):
        # Raw words, not Generator's methods: their streams may change with numpy's versions.
        words = rng.bit_generator.random_raw(THROWS_A_BLOCK).view(np.int64)
        placed = fill(words, board, placed)
        if placed == len(board.radius):
            return Packing(*(_on_plate(v) for v in (board.x, board.y, board.radius)))
    raise ValueError(f"density {spec.density} with gap {spec.dot_gap} is too dense to pack")


def _on_plate(lattice: Integers) -> NDArray[np.float32]:
    return (lattice / LATTICE).astype(np.float32)


@lru_cache(maxsize=16)
def _radii(spec: PlateSpec) -> tuple[int, ...]:
    count = max(1, round(spec.density / spec.dot_radius_mean**2))
    quantile = (np.arange(count, 0, -1) - 0.5) / count
    low, high = spec.dot_radius_min**2, spec.dot_radius_max**2
    return tuple(np.floor(np.sqrt(low + (high - low) * quantile) * LATTICE).astype(int).tolist())
