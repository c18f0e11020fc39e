"""Dots thrown onto a disc, none touching another, none knowing of any digit.

Everything stands on a lattice of 2**-20 of the plate's radius: positions and radii are
whole numbers, so the loops in machine code and in numpy decide every throw alike, and
float32 holds the result exactly.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from stimuli.plates.machine_code import compiled
from stimuli.plates.random import PACKING, generator
from stimuli.plates.spec import PlateSpec

LATTICE = 2**20
X_SHIFT, Y_SHIFT = 43, 21
"""A throw is a 64-bit word: its top 21 bits are x, the next 21 y, signed, on the lattice."""
THROWS_A_BLOCK = 16384
MOST_BLOCKS = 600

Integers = NDArray[np.int64]
Fill = Callable[[Integers, "_Board", int], int]


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


@dataclass(frozen=True, slots=True, eq=False)
class _Board:
    """What has been placed: dots on the lattice, and which dots stand in which cell."""

    x: Integers
    y: Integers
    radius: Integers
    gap: int
    cell: int
    occupants: NDArray[np.int32]
    count: NDArray[np.int32]


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
    return _pack(seed, spec, _engine())


def _pack(seed: int, spec: PlateSpec, fill: Fill) -> Packing:
    board = _empty_board(spec)
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


def _empty_board(spec: PlateSpec) -> _Board:
    radius = np.array(_radii(spec), dtype=np.int64)
    gap = int(np.ceil(spec.dot_gap * LATTICE))
    # A cell as wide as the widest contact: what can touch a dot stands in the 3 × 3 around it.
    cell = 2 * int(radius[0]) + gap
    cells = 2 * LATTICE // cell + 3
    room = _most_in_a_cell(cell, int(radius[-1]), gap)
    return _Board(
        x=np.zeros(len(radius), dtype=np.int64),
        y=np.zeros(len(radius), dtype=np.int64),
        radius=radius,
        gap=gap,
        cell=cell,
        occupants=np.full((cells, cells, room), -1, dtype=np.int32),
        count=np.zeros((cells, cells), dtype=np.int32),
    )


def _most_in_a_cell(cell: int, smallest: int, gap: int) -> int:
    """Return a bound: smallest dots' discs (half the gap added) in the cell and its rim."""
    reach = smallest + gap / 2
    return int((cell + 2 * reach) ** 2 / (np.pi * reach**2)) + 1


def _throw_all(
    throws: Integers,
    x: Integers,
    y: Integers,
    radius: Integers,
    gap: int,
    cell: int,
    occupants: NDArray[np.int32],
    count: NDArray[np.int32],
    placed: int,
) -> int:
    """Place what fits, in order; compiled where numba is there."""
    for throw in range(throws.shape[0]):
        if placed == radius.shape[0]:
            break
        px = throws[throw] >> X_SHIFT
        py = (throws[throw] << Y_SHIFT) >> X_SHIFT
        own = radius[placed]
        room = LATTICE - own
        if px * px + py * py > room * room:
            continue
        column = (px + LATTICE) // cell + 1
        row = (py + LATTICE) // cell + 1
        clear = True
        for i in range(column - 1, column + 2):
            for j in range(row - 1, row + 2):
                for k in range(count[i, j]):
                    other = occupants[i, j, k]
                    dx = x[other] - px
                    dy = y[other] - py
                    contact = radius[other] + own + gap
                    if dx * dx + dy * dy < contact * contact:
                        clear = False
                        break
                if not clear:
                    break
            if not clear:
                break
        if clear:
            x[placed] = px
            y[placed] = py
            occupants[column, row, count[column, row]] = placed
            count[column, row] += 1
            placed += 1
    return placed


def _fill_compiled(throws: Integers, board: _Board, placed: int) -> int:
    throw_all = compiled(_throw_all)
    assert throw_all is not None
    return int(
        throw_all(
            throws,
            board.x,
            board.y,
            board.radius,
            board.gap,
            board.cell,
            board.occupants,
            board.count,
            placed,
        )
    )


def _fill_numpy(throws: Integers, board: _Board, placed: int) -> int:
    """Do as `_throw_all`: sift a batch of throws at once, then place the few left in order."""
    throws = np.stack([throws >> X_SHIFT, (throws << Y_SHIFT) >> X_SHIFT], axis=1)
    start, batch = 0, 64
    while start < len(throws) and placed < len(board.radius):
        part = throws[start : start + batch]
        before = placed
        # Radii fall, so a throw that the batch's last possible dot can't use no dot can.
        slimmest = board.radius[min(placed + len(part), len(board.radius)) - 1]
        for px, py in part[_clear_of_all(part, int(slimmest), board)]:
            if placed == len(board.radius):
                break
            if _fits(int(px), int(py), board, placed):
                _place(int(px), int(py), board, placed)
                placed += 1
        start += len(part)
        batch = 64 if placed - before > 8 else min(2 * batch, 2048)
    return placed


def _clear_of_all(throws: Integers, own: int, board: _Board) -> NDArray[np.bool_]:
    room = LATTICE - own
    clear = (throws**2).sum(axis=1) <= room * room
    cells = (throws + LATTICE) // board.cell + 1
    for i in (-1, 0, 1):
        for j in (-1, 0, 1):
            near = np.flatnonzero(clear)
            others = board.occupants[cells[near, 0] + i, cells[near, 1] + j]
            dx = board.x[others] - throws[near, 0, None]
            dy = board.y[others] - throws[near, 1, None]
            contact = board.radius[others] + own + board.gap
            hit = (others >= 0) & (dx * dx + dy * dy < contact * contact)
            clear[near] = ~hit.any(axis=1)
    return clear


def _fits(px: int, py: int, board: _Board, placed: int) -> bool:
    own = int(board.radius[placed])
    if px * px + py * py > (LATTICE - own) ** 2:
        return False
    dx, dy = board.x[:placed] - px, board.y[:placed] - py
    contact = board.radius[:placed] + own + board.gap
    return not bool((dx * dx + dy * dy < contact * contact).any())


def _place(px: int, py: int, board: _Board, placed: int) -> None:
    column, row = (px + LATTICE) // board.cell + 1, (py + LATTICE) // board.cell + 1
    board.x[placed], board.y[placed] = px, py
    board.occupants[column, row, board.count[column, row]] = placed
    board.count[column, row] += 1


def _engine() -> Fill:
    return _fill_numpy if compiled(_throw_all) is None else _fill_compiled
