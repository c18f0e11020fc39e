"""Controls: wrong digits that one might believe, and contours that say nothing true."""

from collections.abc import Iterator, Mapping

import numpy as np

from stimuli.io.canonical import keyed_order, seed_of
from stimuli.maps.discs import discs_from_map
from stimuli.maps.relevance import Region, area_of, plate_disc

TILES = 8
SHIFTS = (-0.25, 0.0, 0.25)

# Digits that share strokes, so that the wrong one is one that a hasty reader might take.
PLAUSIBLE_WRONG: Mapping[str, tuple[str, ...]] = {
    "0": ("6", "8", "9"),
    "1": ("7", "4"),
    "2": ("7", "3", "8"),
    "3": ("8", "5", "9"),
    "4": ("9", "1", "7"),
    "5": ("6", "3", "8"),
    "6": ("5", "0", "8"),
    "7": ("1", "2", "9"),
    "8": ("3", "6", "0"),
    "9": ("4", "7", "3"),
}


def plausible_wrong(true_label: str, *key: str | int) -> str:
    """Return a digit that differs from the true one, drawn by the key among its likes."""
    return keyed_order(PLAUSIBLE_WRONG[true_label], *key)[0]


def any_digit(*key: str | int) -> str:
    """Return a digit drawn by the key."""
    return str(seed_of(*key) % 10)


def elsewhere(region: Region) -> Region:
    """Return the region turned, mirrored or moved to where it overlaps itself least.

    The area is kept exactly, and all of it stays within the plate's disc.
    """
    inside = plate_disc(region.shape[0])
    whole = (moved for moved in _moved(region) if not (moved & ~inside).any())
    return min(whole, key=lambda moved: int((moved & region).sum()), default=region[::-1])


def shuffled(region: Region, *key: str | int) -> Region:
    """Return the region with its tiles (8 × 8 over the square) in an order drawn by the key.

    Only tiles that lie whole within the plate's disc change places; the area is
    kept exactly.
    """
    side = region.shape[0] // TILES
    used = slice(0, side * TILES)
    tiles = region[used, used].reshape(TILES, side, TILES, side).swapaxes(1, 2)
    tiles = tiles.reshape(TILES * TILES, side, side)
    whole = (
        plate_disc(region.shape[0])[used, used].reshape(TILES, side, TILES, side).all(axis=(1, 3))
    )
    places = np.flatnonzero(whole.ravel())
    rng = np.random.Generator(np.random.PCG64(seed_of("shuffled", *key)))
    mixed = tiles.copy()
    mixed[places] = tiles[rng.permutation(places)]
    result = region.copy()
    grid = mixed.reshape(TILES, TILES, side, side).swapaxes(1, 2)
    result[used, used] = grid.reshape(side * TILES, side * TILES)
    return result


def strewn(region: Region, *key: str | int) -> Region:
    """Return as much area as discs in places drawn by the key: those of a map without relevance."""
    blank = np.zeros((1, 1))
    name = "/".join(map(str, ("strewn", *key)))
    return discs_from_map(blank, area_of(region), len(region), tie_key=name)


def _moved(region: Region) -> Iterator[Region]:
    """Yield the seven other turns and mirrors, each also shifted where nothing is cut off."""
    side = region.shape[0]
    for mirrored in (region, region[:, ::-1]):
        for quarter_turns in range(4):
            turned = np.rot90(mirrored, quarter_turns)
            for down in SHIFTS:
                for right in SHIFTS:
                    moved = _shifted(turned, round(down * side), round(right * side))
                    if moved.sum() == region.sum():
                        yield moved


def _shifted(region: Region, down: int, right: int) -> Region:
    side = region.shape[0]
    moved = np.zeros_like(region)
    rows, columns = _overlap(down, side), _overlap(right, side)
    moved[rows[1], columns[1]] = region[rows[0], columns[0]]
    return moved


def _overlap(shift: int, side: int) -> tuple[slice, slice]:
    """Return where a shifted axis is read from and written to."""
    if shift >= 0:
        return slice(0, side - shift), slice(shift, side)
    return slice(-shift, side), slice(0, side + shift)
