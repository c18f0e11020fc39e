"""Dots placed at random on a disc: none touches another, and none depends on a digit.

All positions and radii are whole numbers on a lattice of 2**-20 of the plate's radius. So the loops
in machine code and in numpy decide every throw alike, and float32 holds the result exactly.

The board keeps the dots that are already placed. Two grids over the square around the plate make a
throw cheap, and neither changes which throws are kept. Coarse cells say which dots could be
touched. Fine cells say where not even the smallest dot fits.

One seed has several independent streams. Packing is one of them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stimuli.plates.machine_code import compiled
from stimuli.plates.spec import PlateSpec

PACKING = 1
NOISE = 2


def generator(seed: int, stream: int) -> np.random.Generator:
    """Return the PCG64 generator for a seed (≥ 0) and a purpose."""
    if seed < 0:
        raise ValueError(f"seed is {seed}, must be ≥ 0")
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, stream])))


LATTICE = 2**20
X_SHIFT, Y_SHIFT = 43, 21
"""A throw is a 64-bit word: its top 21 bits are x, the next 21 y, signed, on the lattice."""
FINE_SHIFT = 13
"""A fine cell is 2**13 steps wide, a third of the smallest contact of default dots."""
NEIGHBOURS = np.array(
    [(0, 0), (0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)]
)
"""Coarse cells around a throw, the ones likeliest to hold a dot that it hits first."""
NEIGHBOURS.setflags(write=False)

Integers = NDArray[np.int64]
Fill = Callable[[Integers, "Board", int], int]


class Board(NamedTuple):
    """The dots placed so far, as a tuple for compiled code.

    Parameters
    ----------
    x, y, radius
        (N,): the dots, in the order in which they are placed, the largest first.
    gap
        Least clear space between two dots.
    shift
        A coarse cell is 2**shift steps wide, at least the widest contact: what a dot can
        touch stands in the 3 × 3 cells around it.
    standing
        (cells, cells, room, 3): x, y and radius of the dots whose centres lie in a cell.
    count
        (cells, cells): the number of these dots.
    taken
        (fine, fine): 1 if no dot's centre can lie there any more.
    """

    x: Integers
    y: Integers
    radius: Integers
    gap: int
    shift: int
    standing: Integers
    count: Integers
    taken: NDArray[np.uint8]


def empty_board(radius: tuple[int, ...], gap: float) -> Board:
    """Return the empty board for dots of these radii (in falling order).

    Parameters
    ----------
    radius
        In steps of the lattice.
    gap
        Fraction of the plate's radius.
    """
    radii, steps = np.array(radius, dtype=np.int64), int(np.ceil(gap * LATTICE))
    shift = (2 * radius[0] + steps - 1).bit_length()
    cells = (2 * LATTICE >> shift) + 3
    room = _most_in_a_cell(1 << shift, radius[-1], steps)
    return Board(
        x=np.zeros(len(radii), dtype=np.int64),
        y=np.zeros(len(radii), dtype=np.int64),
        radius=radii,
        gap=steps,
        shift=shift,
        # Far beyond the plate: an empty place touches nothing.
        standing=np.full((cells, cells, room, 3), (8 * LATTICE, 0, 0), dtype=np.int64),
        count=np.zeros((cells, cells), dtype=np.int64),
        taken=_outside(radius[-1]).copy(),
    )


def quickest_fill() -> Fill:
    """Return the fastest way of placing throws on this PC."""
    return fill_numpy if compiled(throw_all) is None else fill_compiled


@lru_cache(maxsize=16)
def _outside(smallest: int) -> NDArray[np.uint8]:
    """Return the fine cells in which even the smallest dot would leave the disc."""
    low = np.arange((2 * LATTICE >> FINE_SHIFT) + 1) * 2**FINE_SHIFT - LATTICE
    nearest = np.maximum(0, np.maximum(low, -(low + 2**FINE_SHIFT - 1)))
    room = LATTICE - smallest
    return (nearest[:, None] ** 2 + nearest**2 > room * room).astype(np.uint8)


def _most_in_a_cell(cell: int, smallest: int, gap: int) -> int:
    """Return a bound: smallest dots' discs (half the gap added) in the cell and its rim."""
    reach = smallest + gap / 2
    return int((cell + 2 * reach) ** 2 / (np.pi * reach**2)) + 1


def throw_all(throws: Integers, board: Board, placed: int) -> int:
    """Place the throws that fit, in order; compiled if numba is installed."""
    x, y, radius, gap, shift, standing, count, taken = board
    smallest = radius[radius.shape[0] - 1]
    for throw in range(throws.shape[0]):
        if placed == radius.shape[0]:
            break
        px = throws[throw] >> X_SHIFT
        py = (throws[throw] << Y_SHIFT) >> X_SHIFT
        if taken[(px + LATTICE) >> FINE_SHIFT, (py + LATTICE) >> FINE_SHIFT]:
            continue
        dot_radius = radius[placed]
        room = LATTICE - dot_radius
        if px * px + py * py > room * room:
            continue
        column = ((px + LATTICE) >> shift) + 1
        row = ((py + LATTICE) >> shift) + 1
        clear = True
        for cell in range(9):
            i, j = column + NEIGHBOURS[cell, 0], row + NEIGHBOURS[cell, 1]
            for k in range(count[i, j]):
                dx = standing[i, j, k, 0] - px
                dy = standing[i, j, k, 1] - py
                contact = standing[i, j, k, 2] + dot_radius + gap
                if dx * dx + dy * dy < contact * contact:
                    clear = False
                    break
            if not clear:
                break
        if clear:
            x[placed] = px
            y[placed] = py
            k = count[column, row]
            standing[column, row, k, 0] = px
            standing[column, row, k, 1] = py
            standing[column, row, k, 2] = dot_radius
            count[column, row] = k + 1
            placed += 1
            contact = dot_radius + smallest + gap
            last = taken.shape[0] - 1
            for i in range(
                max((px - contact + LATTICE) >> FINE_SHIFT, 0),
                min((px + contact + LATTICE) >> FINE_SHIFT, last) + 1,
            ):
                low = (i << FINE_SHIFT) - LATTICE - px
                dx = max(abs(low), abs(low + (1 << FINE_SHIFT) - 1))
                for j in range(
                    max((py - contact + LATTICE) >> FINE_SHIFT, 0),
                    min((py + contact + LATTICE) >> FINE_SHIFT, last) + 1,
                ):
                    low = (j << FINE_SHIFT) - LATTICE - py
                    dy = max(abs(low), abs(low + (1 << FINE_SHIFT) - 1))
                    if dx * dx + dy * dy < contact * contact:
                        taken[i, j] = 1
    return placed


def fill_compiled(throws: Integers, board: Board, placed: int) -> int:
    """Place the throws of a block that fit; return the number of dots placed so far."""
    in_machine_code = compiled(throw_all)
    assert in_machine_code is not None
    return int(in_machine_code(throws, board, placed))


def fill_numpy(throws: Integers, board: Board, placed: int) -> int:
    """Do the same as `throw_all`: filter throws in batches, then place the rest in order."""
    at = np.stack([throws >> X_SHIFT, (throws << Y_SHIFT) >> X_SHIFT], axis=1)
    start, batch = 0, 64
    while start < len(at) and placed < len(board.radius):
        part = at[start : start + batch]
        start += batch
        fine = (part + LATTICE) >> FINE_SHIFT
        part = part[board.taken[fine[:, 0], fine[:, 1]] == 0]
        before = placed
        # Radii fall, so no dot can use a throw that the batch's last possible dot can't use.
        slimmest = board.radius[min(placed + len(part), len(board.radius)) - 1]
        for px, py in part[_clear_of_all(part, int(slimmest), board)].tolist():
            if placed == len(board.radius):
                break
            if _fits(px, py, board, placed):
                _place(px, py, board, placed)
                placed += 1
        batch = 64 if placed - before > 8 else min(2 * batch, 4096)
    return placed


def _clear_of_all(throws: Integers, dot_radius: int, board: Board) -> NDArray[np.bool_]:
    room = LATTICE - dot_radius
    clear = (throws**2).sum(axis=1) <= room * room
    cells = ((throws + LATTICE) >> board.shift) + 1
    for i, j in NEIGHBOURS:
        near = np.flatnonzero(clear)
        others = board.standing[cells[near, 0] + i, cells[near, 1] + j]
        apart = others[..., :2] - throws[near, None]
        contact = others[..., 2] + dot_radius + board.gap
        clear[near] = ~((apart**2).sum(axis=2) < contact * contact).any(axis=1)
    return clear


def _fits(px: int, py: int, board: Board, placed: int) -> bool:
    dot_radius = int(board.radius[placed])
    if px * px + py * py > (LATTICE - dot_radius) ** 2:
        return False
    column, row = ((px + LATTICE) >> board.shift) + 1, ((py + LATTICE) >> board.shift) + 1
    others = board.standing[column - 1 : column + 2, row - 1 : row + 2]
    dx, dy = others[..., 0] - px, others[..., 1] - py
    contact = others[..., 2] + dot_radius + board.gap
    return not bool((dx * dx + dy * dy < contact * contact).any())


def _place(px: int, py: int, board: Board, placed: int) -> None:
    column, row = ((px + LATTICE) >> board.shift) + 1, ((py + LATTICE) >> board.shift) + 1
    dot_radius = int(board.radius[placed])
    board.x[placed], board.y[placed] = px, py
    board.standing[column, row, board.count[column, row]] = (px, py, dot_radius)
    board.count[column, row] += 1
    contact = dot_radius + int(board.radius[-1]) + board.gap
    columns, dx = _fine_cells(px, contact, len(board.taken))
    rows, dy = _fine_cells(py, contact, len(board.taken))
    board.taken[columns, rows] |= dx[:, None] ** 2 + dy**2 < contact * contact


def _fine_cells(centre: int, reach: int, cells: int) -> tuple[slice, Integers]:
    """Return the fine cells within reach along one side, and the distance of each one's far end."""
    first = max((centre - reach + LATTICE) >> FINE_SHIFT, 0)
    last = min((centre + reach + LATTICE) >> FINE_SHIFT, cells - 1)
    low = (np.arange(first, last + 1) << FINE_SHIFT) - LATTICE - centre
    return slice(first, last + 1), np.maximum(np.abs(low), np.abs(low + (1 << FINE_SHIFT) - 1))


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
        If throwing can't find such a dense packing.

    Notes
    -----
    Dart throwing, the largest dot first: each throw is uniform on the square around the
    plate and kept if the dot lies in the disc and clear of those placed. The function
    takes no mask, so a packing can't depend on what will be drawn on it.
    """
    return pack_by(seed, spec, quickest_fill())


def pack_by(seed: int, spec: PlateSpec, fill: Fill) -> Packing:
    """Do the same as `pack_dots` in one of two ways, `fill_compiled` or `fill_numpy`."""
    board = empty_board(_radii(spec), spec.dot_gap)
    rng = generator(seed, PACKING)
    placed = 0
    for _ in range(MOST_BLOCKS):
        # Raw words, not Generator's methods, whose streams may change between numpy versions.
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
