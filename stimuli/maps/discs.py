"""A region as equal discs that keep apart: few marks of one form, whoever made the map.

A free outline tells by its form who drew it: a painted stroke is even and smooth, what a network
looked at is ragged. Discs of one size have no form of their own; only where they lie is left.
"""

import numpy as np
from numpy.typing import NDArray

from stimuli.maps.relevance import (
    REGION_PX,
    SMOOTHING_PX,
    Region,
    pixels_of_area,
    plate_disc,
    relevance_of,
    tie_breaker,
)

DISCS = 12
"""As many as a numeral's strokes have room for; fewer are too coarse to say where it is."""
MOAT = 1 / 64
"""What is left free between discs, as a share of the square's side."""

Floats = NDArray[np.float64]


def discs_from_map(
    values: NDArray[np.floating],
    area: float,
    region_px: int = REGION_PX,
    smoothing: float = SMOOTHING_PX,
    tie_key: str = "",
) -> Region:
    """Return twelve equal discs on the most relevant places of a map, of exactly the asked area.

    One after the other each disc is put where it covers the most relevance without touching
    those before it. Where a large area leaves no room for twelve, those there are grow.

    Parameters
    ----------
    values, area, region_px, smoothing
        As of `stimuli.maps.relevance.region_from_map`: relevance (H, W), share of the plate's disc
        0…1, side R of the region, standard deviation in its pixels.
    tie_key
        Names the map. Where discs would cover equally much, a smoothed field of noise seeded
        by this key decides, so a blank map gives stable random places.

    Returns
    -------
    bool (R, R)
        ``round(area × number of disc pixels)`` pixels, all in the plate's disc.

    Raises
    ------
    ValueError
        If the map isn't a finite two-dimensional array, or the area is beyond 0…1.
    """
    wanted = pixels_of_area(area, region_px)
    radius_px = float(np.sqrt(wanted / (DISCS * np.pi)))
    covered = _covered(relevance_of(values, region_px, smoothing), radius_px)
    ties = tie_breaker(tie_key, region_px, smoothing)
    return _grown(_centres(covered, ties, radius_px), wanted, region_px)


def _covered(relevance: Floats, radius_px: float) -> Floats:
    """Return the relevance under a disc around each pixel."""
    size, reach = len(relevance), int(radius_px)
    framed = np.pad(relevance, reach)
    total = np.zeros_like(relevance)
    for down in range(2 * reach + 1):
        for across in range(2 * reach + 1):
            if (down - reach) ** 2 + (across - reach) ** 2 <= radius_px**2:
                total += framed[down : down + size, across : across + size]
    return total


def _centres(covered: Floats, ties: Floats, radius_px: float) -> Floats:
    """Return row and column of each disc (up to DISCS, 2), the most relevant first."""
    size = len(covered)
    places = np.indices(covered.shape).reshape(2, -1).T
    middle = (size - 1) / 2
    inside = _lengths(places - middle) <= size / 2 - radius_px
    # A pixel more than the moat: then no disc's rim is cut, however closely they lie.
    apart_px = 2 * radius_px + MOAT * size + 1
    left = places[inside][np.lexsort((-ties.ravel()[inside], -covered.ravel()[inside]))]
    centres: list[NDArray[np.int64]] = []
    while len(left) and len(centres) < DISCS:
        centres.append(left[0])
        left = left[_lengths(left - left[0]) >= apart_px]
    # A disc that fills the plate has its centre in the middle, wherever relevance is.
    return np.array(centres or [[middle, middle]], dtype=np.float64)


def _lengths(vectors: NDArray[np.number]) -> Floats:
    """Return the lengths of vectors (N, 2); numpy's norm of an axis takes twice as long."""
    return np.sqrt(vectors[:, 0] ** 2 + vectors[:, 1] ** 2)


def _grown(centres: Floats, wanted: int, region_px: int) -> Region:
    """Return the pixels nearest to a centre, as many as wanted, moats between discs the last."""
    places = np.flatnonzero(plate_disc(region_px))
    at = np.stack(np.unravel_index(places, (region_px, region_px)), axis=1)
    # Of each axis apart: a norm over the last of three axes takes four times as long.
    away = np.sqrt(sum((at[:, k] - centres[:, k, None]) ** 2 for k in range(2)))
    own = away.argmin(axis=0)
    nearest = away.min(axis=0)
    away[own, np.arange(len(at))] = np.inf
    second = away.min(axis=0)
    is_moat = second - nearest < MOAT * region_px
    # Of pixels equally far from their centres all discs get the same ones first: they stay equal.
    down, across = (at - centres[own]).T
    order = np.lexsort((across, down, nearest, is_moat))
    region = np.zeros(region_px**2, dtype=np.bool_)
    region[places[order[:wanted]]] = True
    return region.reshape(region_px, region_px)
