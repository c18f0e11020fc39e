"""Vocabularies of outlines that might hide who drew a region: each of the same exact area.

None but the first is what a pack shows. Each takes a map, the share of the plate's disc to
cover and the key that decides between equals.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage
from scipy.cluster.vq import kmeans2
from scipy.signal import fftconvolve
from scipy.spatial.distance import cdist

from stimuli.images.filters import resampled, smooth
from stimuli.maps.relevance import (
    REGION_PX,
    SMOOTHING_PX,
    Region,
    discs_from_map,
    pixels_of_area,
    plate_disc,
    region_from_map,
)

MOAT_PX = 2.0
"""Discs kept apart never touch: distances to the nearest two centres differ by so much."""
ROUNDS = 20

Floats = NDArray[np.float64]
Vocabulary = Callable[[NDArray[np.floating], float, str], Region]


def free(values: NDArray[np.floating], area: float, key: str, smoothing_px: float) -> Region:
    """Return the most relevant part of a smoothed map: the outline is free."""
    return region_from_map(values, area, REGION_PX, smoothing_px, key)


def greedy_discs(
    values: NDArray[np.floating], area: float, key: str, count: int, apart: float
) -> Region:
    """Return equal discs, each put where it covers the most relevance not yet covered.

    ``apart`` is the least distance of two centres, in radii; ties go to the upper left. Those
    that don't overlap are `stimuli.maps.relevance`.
    """
    radius = float(np.sqrt(pixels_of_area(area) / (count * np.pi)))
    left = smooth(resampled(np.maximum(values, 0.0), REGION_PX), SMOOTHING_PX)
    reach = np.arange(-int(radius), int(radius) + 1)
    mark = (reach[:, None] ** 2 + reach**2 <= radius**2).astype(float)
    allowed = _from([(REGION_PX - 1) / 2] * 2) <= REGION_PX / 2 - radius
    centres: list[tuple[int, int]] = []
    while len(centres) < count and allowed.any():
        covered = np.round(fftconvolve(left, mark, mode="same"), 9)
        best = int(np.where(allowed, covered, -1.0).argmax())
        row, column = divmod(best, REGION_PX)
        centres.append((row, column))
        away = _from([row, column])
        left = np.where(away <= radius, 0.0, left)
        allowed &= away >= apart * radius
    return _discs(np.array(centres, dtype=float), area, 0.0)


def beads(values: NDArray[np.floating], area: float, key: str, count: int, share: float) -> Region:
    """Return equal discs, apart from each other, evenly over the region of the free outline.

    Centres are those of k-means (Lloyd 1982) of the region's pixels. ``share`` of the area is
    covered, so that discs have room to be round.
    """
    region = free(values, area, key, SMOOTHING_PX)
    pixels = np.argwhere(region).astype(float)
    centres, _ = kmeans2(pixels, _farthest(pixels, count), ROUNDS, minit="matrix")
    return _discs(centres, area * share, MOAT_PX)


def honeycomb(values: NDArray[np.floating], area: float, key: str, pitch_px: float) -> Region:
    """Return whole cells of one hexagonal grid, trimmed or grown all round to the area.

    Cells of the largest mean relevance are taken, as many as the area has.
    """
    cells = _cells(pitch_px)
    own = cdist(_places(), cells).argmin(axis=1).reshape(REGION_PX, REGION_PX)
    relevance = smooth(resampled(np.maximum(values, 0.0), REGION_PX), SMOOTHING_PX)
    mean = ndimage.mean(relevance, own, np.arange(len(cells)))
    wanted = max(1, round(pixels_of_area(area) / (pitch_px**2 * np.sqrt(3) / 2)))
    on = np.isin(own, np.argsort(-mean, kind="stable")[:wanted]) & plate_disc()
    outwards = ndimage.distance_transform_edt(~on) - ndimage.distance_transform_edt(on)
    return _lowest(outwards, plate_disc(), pixels_of_area(area))


VOCABULARIES: dict[str, Vocabulary] = {
    "free outline, as shown": partial(free, smoothing_px=SMOOTHING_PX),
    "free, smoothed over 5 % of the plate": partial(free, smoothing_px=0.05 * REGION_PX),
    "free, smoothed over 12 %": partial(free, smoothing_px=0.12 * REGION_PX),
    "12 discs that may overlap": partial(greedy_discs, count=12, apart=1.0),
    "12 discs apart": lambda values, area, key: discs_from_map(values, area, tie_key=key),
    "12 beads": partial(beads, count=12, share=1.0),
    "12 beads with room": partial(beads, count=12, share=0.6),
    "hexagons": partial(honeycomb, pitch_px=12.0),
}


def _discs(centres: Floats, area: float, moat_px: float) -> Region:
    """Return the pixels nearest to any centre, as many as the area has, with moats between."""
    away = np.sort(cdist(_places(), centres), axis=1)
    apart = away[:, 1] - away[:, 0] >= moat_px
    allowed = plate_disc() & apart.reshape(REGION_PX, REGION_PX)
    return _lowest(away[:, 0].reshape(REGION_PX, REGION_PX), allowed, pixels_of_area(area))


def _lowest(values: Floats, allowed: Region, count: int) -> Region:
    """Return the ``count`` allowed pixels of the lowest values."""
    places = np.flatnonzero(allowed)
    chosen = places[np.argsort(values.ravel()[places], kind="stable")[:count]]
    region = np.zeros(REGION_PX**2, dtype=np.bool_)
    region[chosen] = True
    return region.reshape(REGION_PX, REGION_PX)


def _farthest(pixels: Floats, count: int) -> Floats:
    """Return pixels far from each other: each next one is the farthest from those before."""
    chosen = [pixels[0]]
    away = np.linalg.norm(pixels - chosen[0], axis=1)
    for _ in range(count - 1):
        chosen.append(pixels[int(away.argmax())])
        away = np.minimum(away, np.linalg.norm(pixels - chosen[-1], axis=1))
    return np.array(chosen)


def _cells(pitch_px: float) -> Floats:
    """Return the centres (row, column) of a hexagonal grid's cells that reach into the plate."""
    middle, row_px = (REGION_PX - 1) / 2, pitch_px * np.sqrt(3) / 2
    steps = range(-REGION_PX, REGION_PX + 1)
    cells = np.array(
        [
            (middle + row * row_px, middle + (column + row % 2 / 2) * pitch_px)
            for row in steps
            for column in steps
            if abs(row) * row_px <= middle and abs(column) * pitch_px <= REGION_PX
        ]
    )
    return cells[np.linalg.norm(cells - middle, axis=1) <= REGION_PX / 2]


def _from(place: list[float]) -> Floats:
    return np.linalg.norm(_places() - np.array(place), axis=1).reshape(REGION_PX, REGION_PX)


def _places() -> Floats:
    """Return row and column of each pixel (R², 2)."""
    return np.argwhere(np.ones((REGION_PX, REGION_PX), dtype=bool)).astype(float)
