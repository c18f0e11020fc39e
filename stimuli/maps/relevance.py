"""From a relevance map to the region and the contour that a person sees, by one rule.

Every map is treated alike, whether a network's method or an expert's brush made it, so that nothing
in what is shown tells where it came from. All pictures here show the square around the plate (or
the image): row 0 at the top, column 0 at the left. Areas are shares of the disc that touches the
square's sides, because that is where a plate has dots.

A region can also be a set of equal discs that don't touch: a few marks of one form, whoever made
the map. The form of a free outline tells who drew it: a painted stroke is even and smooth, and a
network's region is ragged. Discs of one size have no form of their own. Only their places differ.
"""

import hashlib
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from stimuli.images.filters import resampled, smooth

if TYPE_CHECKING:
    from stimuli.plates.packing import Packing

REGION_PX = 128
SMOOTHING_PX = 3.0
"""Default smoothing of a map, standard deviation in pixels of the region's grid."""
OUTLINE_SMOOTHING_PX = 1.0
"""A region's staircase edge is smoothed by this before its contour is drawn, same unit."""
DILATE = 0.05
"""Default margin around a region, as a fraction of the plate's radius."""

Floats = NDArray[np.float64]
Region = NDArray[np.bool_]
DISCS = 12
"""As many discs as fit on a numeral's strokes; fewer would be too coarse to show its place."""
MOAT = 1 / 64
"""Gap between discs, as a share of the square's side."""


def region_from_map(
    values: NDArray[np.floating],
    area: float,
    region_px: int = REGION_PX,
    smoothing: float = SMOOTHING_PX,
    tie_key: str = "",
) -> Region:
    """Return the most relevant part of a map, with exactly the given area.

    Parameters
    ----------
    values
        Relevance (H, W), any finite numbers; what is negative counts as none.
    area
        Share of the disc to cover, 0…1.
    region_px
        Width and height of the region, R.
    smoothing
        Standard deviation of the Gaussian, in pixels of the region; 0 for none.
    tie_key
        Names the map (item and source, say). Where relevance is equal, a smoothed field
        of noise seeded by this key decides, so a blank map gives a stable random blob.

    Returns
    -------
    bool (R, R)
        ``round(area × number of disc pixels)`` pixels, all in the disc.

    Raises
    ------
    ValueError
        If the map isn't a finite two-dimensional array, or the area is beyond 0…1.
    """
    ranked = relevance_of(values, region_px, smoothing)
    ties = tie_breaker(tie_key, region_px, smoothing)
    disc = plate_disc(region_px)
    count = pixels_of_area(area, region_px)
    inside = np.flatnonzero(disc)
    order = np.lexsort((inside, -ties.ravel()[inside], -ranked.ravel()[inside]))
    region = np.zeros(region_px**2, dtype=np.bool_)
    region[inside[order[:count]]] = True
    return region.reshape(region_px, region_px)


def relevance_of(values: NDArray[np.floating], size_px: int, smoothing: float) -> Floats:
    """Return a map's positive relevance, smoothed, float64 (size_px, size_px), about 1 at most.

    Raises
    ------
    ValueError
        If the map isn't a finite two-dimensional array.
    """
    positive = resampled(np.maximum(_checked(values), 0.0), size_px)
    peak = positive.max()
    return smooth(positive / peak if peak > 0 else positive, smoothing)


def tie_breaker(key: str, size_px: int, smoothing: float) -> Floats:
    """Return a smooth field of noise (size_px, size_px) that depends only on a key."""
    return smooth(_noise(key, size_px), max(smoothing, 1.0))


def area_of(region: Region) -> float:
    """Return the share of the disc that a region (R, R) covers, 0…1."""
    disc = plate_disc(len(region))
    return float((region & disc).sum() / disc.sum())


def pixels_of_area(area: float, region_px: int = REGION_PX) -> int:
    """Return how many pixels a region of that area has."""
    if not 0 <= area <= 1:
        raise ValueError(f"area is {area}, must be a share of 0 to 1")
    return round(area * int(plate_disc(region_px).sum()))


@lru_cache(maxsize=8)
def plate_disc(region_px: int = REGION_PX) -> Region:
    """Return which pixels' centres lie in the disc, bool (R, R)."""
    at = (np.arange(region_px) + 0.5) / region_px * 2 - 1
    disc = at[:, None] ** 2 + at**2 <= 1
    disc.setflags(write=False)
    return disc


def contour_image(region: Region, size_px: int, line_px: float = 2.0) -> NDArray[np.uint8]:
    """Return a double contour around a region, to be laid over a picture.

    Parameters
    ----------
    region
        bool (R, R).
    size_px
        Width and height of the picture beneath.
    line_px
        Width of each of the two lines, in pixels of the picture.

    Returns
    -------
    uint8 (size_px, size_px, 4)
        RGBA, straight alpha: a white line just inside the region's edge, a black one just
        outside, antialiased, clear elsewhere. Without hue it can't be mistaken for colour,
        and black beside white shows on any dot.
    """
    level = smooth(region.astype(np.float64), OUTLINE_SMOOTHING_PX)
    distance = _distance(level, size_px)
    white = _band(distance, 0.0, line_px)
    both = _band(distance, -line_px, line_px)
    picture = np.zeros((size_px, size_px, 4), dtype=np.uint8)
    shade = np.divide(white, both, out=np.zeros_like(both), where=both > 0)
    picture[..., :3] = np.round(255 * np.clip(shade, 0, 1))[..., None]
    picture[..., 3] = np.round(255 * both)
    return picture


def outlined(plate: NDArray[np.uint8], contour: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return a plate's picture under a contour.

    Parameters
    ----------
    plate
        uint8 (size, size, 3).
    contour
        uint8 (size, size, 4), RGBA with straight alpha.
    """
    cover = contour[..., 3:].astype(np.float64) / 255
    mixed = plate * (1 - cover) + contour[..., :3] * cover
    return np.rint(mixed).astype(np.uint8)


def _distance(level: Floats, size_px: int) -> Floats:
    """Return the signed distance (pixels of the picture) to the half level, inside positive."""
    # An empty frame closes the contour of a region that touches the square's edge.
    framed = np.pad(level, 2)
    at = (np.arange(size_px) + 0.5) / size_px * len(level) + 1.5
    field = _interpolate(framed, at)
    # Across a straight edge a smoothed step is nearly logistic: its logit grows evenly, so
    # value over slope is the distance, not at the edge alone but as far as a line reaches.
    even = np.clip(field, 1e-6, 1 - 1e-6)
    even = np.log(even / (1 - even))
    slope_y, slope_x = np.gradient(even)
    slope = np.sqrt(slope_x**2 + slope_y**2)
    return even / np.maximum(slope, 1e-6)


def _band(distance: Floats, low: float, high: float) -> Floats:
    """Return how much of each pixel lies between two distances, 0…1."""
    return np.clip(np.minimum(distance - low + 0.5, high - distance + 0.5), 0.0, 1.0)


def _interpolate(values: Floats, at: Floats) -> Floats:
    """Return the values at the coordinates ``at`` of both axes, by quadratic B-splines.

    Their slope is continuous, so a line drawn by distance keeps its width.
    """
    nearest = np.floor(at + 0.5).astype(np.int64)
    rows = sum(w[:, None] * values[nearest + k] for k, w in _spline(at - nearest))
    return sum(w * rows[:, nearest + k] for k, w in _spline(at - nearest))


def _spline(offset: Floats) -> list[tuple[int, Floats]]:
    """Return the three neighbours (−1, 0, 1) and their weights at an offset of −½…½."""
    return [(-1, 0.5 * (0.5 - offset) ** 2), (0, 0.75 - offset**2), (1, 0.5 * (0.5 + offset) ** 2)]


def region_bytes(region: Region) -> bytes:
    """Return a region as packed bits, row by row: R²/8 bytes whatever it shows."""
    size = len(region)
    if region.shape != (size, size) or size % 8:
        raise ValueError(f"a region is square with sides of whole bytes, not {region.shape}")
    return np.packbits(region.astype(np.bool_), axis=None).tobytes()


def region_from_bytes(data: bytes) -> Region:
    """Return the region from bytes made by `region_bytes`.

    Raises
    ------
    ValueError
        If the length isn't that of a region.
    """
    size = round((len(data) * 8) ** 0.5)
    if size == 0 or size % 8 or size**2 != len(data) * 8:
        raise ValueError(f"{len(data)} bytes are no region")
    bits = np.unpackbits(np.frombuffer(data, dtype=np.uint8))
    return bits.astype(np.bool_).reshape(size, size)


def dots_inside(region: Region, packing: "Packing", dilate: float = DILATE) -> NDArray[np.bool_]:
    """Return the dots whose centres lie in a region or close to it, bool (N,).

    Parameters
    ----------
    region
        bool (R, R).
    packing
        The N dots.
    dilate
        How close, as a fraction of the plate's radius.
    """
    # Commands that only read people's strokes don't need plates.
    from stimuli.plates.masks import pixel_columns, pixel_rows

    size = len(region)
    grown = _dilated(region, dilate * size / 2)
    return grown[pixel_rows(packing.y, size), pixel_columns(packing.x, size)]


def _dilated(region: Region, radius_px: float) -> Region:
    """Return the pixels within a distance of the region."""
    reach = int(radius_px)
    size = len(region)
    framed = np.pad(region, reach)
    grown = np.zeros_like(region)
    for down in range(-reach, reach + 1):
        for across in range(-reach, reach + 1):
            if down**2 + across**2 <= radius_px**2:
                rows = slice(reach + down, reach + down + size)
                grown |= framed[rows, reach + across : reach + across + size]
    return grown


def _checked(values: NDArray[np.floating]) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 2 or not array.size or not np.isfinite(array).all():
        raise ValueError("a map is a two-dimensional array of finite numbers")
    return array


def _noise(key: str, size: int) -> Floats:
    seed = int.from_bytes(hashlib.sha256(key.encode("utf-8")).digest(), "big")
    return np.random.Generator(np.random.PCG64(seed)).random((size, size))


def discs_from_map(
    values: NDArray[np.floating],
    area: float,
    region_px: int = REGION_PX,
    smoothing: float = SMOOTHING_PX,
    tie_key: str = "",
) -> Region:
    """Return twelve equal discs on the most relevant places of a map, with exactly the given area.

    Each disc in turn is placed where it covers the most relevance without touching earlier discs.
    If a large area leaves no room for twelve, the discs that fit grow.

    Parameters
    ----------
    values, area, region_px, smoothing
        As of `region_from_map`: relevance (H, W), share of the plate's disc
        0…1, side R of the region, standard deviation in its pixels.
    tie_key
        Names the map. If discs would cover equally much, a smoothed field of noise seeded
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
    """Return each disc's row and column (up to DISCS, 2), the most relevant first."""
    size = len(covered)
    middle = (size - 1) / 2
    at = np.arange(size)
    left = np.where(_away(at, middle, middle) <= size / 2 - radius_px, covered, -np.inf)
    # One pixel more than the gap, so that no disc's rim is cut, however close discs are.
    apart_px = 2 * radius_px + MOAT * size + 1
    centres: list[tuple[int, int]] = []
    while len(centres) < DISCS and np.isfinite(best := left.max()):
        alike = np.flatnonzero(left == best)
        row, column = divmod(int(alike[ties.ravel()[alike].argmax()]), size)
        centres.append((row, column))
        left[_away(at, row, column) < apart_px] = -np.inf
    # A disc that fills the plate is centred on it, wherever relevance is.
    return np.array(centres or [(middle, middle)], dtype=np.float64)


def _away(at: NDArray[np.int64], row: float, column: float) -> Floats:
    """Return each pixel's distance from a place, (R, R)."""
    return np.sqrt((at[:, None] - row) ** 2 + (at - column) ** 2)


def _grown(centres: Floats, count: int, region_px: int) -> Region:
    """Return as many pixels nearest to a centre as wanted; gaps between discs come last."""
    places = np.flatnonzero(plate_disc(region_px))
    row, column = np.divmod(places, region_px)
    squares = (row - centres[:, :1]) ** 2 + (column - centres[:, 1:]) ** 2
    disc_of = squares.argmin(axis=0)
    nearest = np.sqrt(squares.min(axis=0))
    squares[disc_of, np.arange(len(places))] = np.inf
    is_moat = np.sqrt(squares.min(axis=0)) - nearest < MOAT * region_px
    # Of equally distant pixels, all discs get the same ones first, so that they stay equal.
    down, across = row - centres[disc_of, 0], column - centres[disc_of, 1]
    early = np.flatnonzero(~is_moat)
    if count <= len(early):  # to sort all would take most of the time
        early = early[nearest[early] <= np.partition(nearest[early], count - 1)[count - 1]]
    else:
        early = np.arange(len(places))
    keys = (across[early], down[early], nearest[early], is_moat[early])
    region = np.zeros(region_px**2, dtype=np.bool_)
    region[places[early[np.lexsort(keys)[:count]]]] = True
    return region.reshape(region_px, region_px)
