"""Pixels from plates: linear light, antialiased, for a given display."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stimuli.colour.cones import Axis
from stimuli.colour.display import SRGB, DisplayProfile, encode8, linear_to_lms, lms_to_linear
from stimuli.colour.spaces import Floats, srgb_decode
from stimuli.plates.packing import Packing
from stimuli.plates.palette import with_contrast
from stimuli.plates.plate import Plate
from stimuli.plates.spec import PlateSpec

SCANLINES_SMALL = 8
SCANLINES_LARGE = 4
SMALL_DOT_PX = 3.0


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of which pixel each dot covers: a packing drawn once, coloured many times.

    Parameters
    ----------
    size_px
        Width and height of the picture.
    pixel
        int64 (K,): flat index of a pixel, row 0 on top.
    dot
        int64 (K,): the dot on it.
    share
        float64 (K,): what the dot covers of the pixel, 0…1.
    bare
        float64 (size_px²,): what no dot covers.
    """

    size_px: int
    pixel: NDArray[np.int64]
    dot: NDArray[np.int64]
    share: Floats
    bare: Floats


def cover(packing: Packing, size_px: int) -> Coverage:
    """Return how the dots of a packing cover a picture of ``size_px`` × ``size_px``.

    Each pixel is cut into scanlines; along a scanline the covered length is exact.
    """
    if size_px < 8:
        raise ValueError(f"size_px is {size_px}, must be at least 8")
    half = size_px / 2
    column = (packing.x.astype(np.float64) + 1) * half
    row = (1 - packing.y.astype(np.float64)) * half
    radius = packing.radius.astype(np.float64) * half
    lines = SCANLINES_SMALL if radius.max() < SMALL_DOT_PX else SCANLINES_LARGE
    parts = [_cover_some(chunk, column, row, radius, lines, size_px) for chunk in _alike(radius)]
    pixel, dot, share = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    bare = 1 - np.bincount(pixel, share, minlength=size_px**2)
    return Coverage(size_px, pixel, dot, share, np.maximum(bare, 0))


def _alike(radius: Floats) -> list[NDArray[np.int64]]:
    """Return the dots in groups that need windows of the same width."""
    width = np.ceil(2 * radius).astype(int)
    return [np.flatnonzero(width == w) for w in np.unique(width)]


def _cover_some(
    dots: NDArray[np.int64],
    column: Floats,
    row: Floats,
    radius: Floats,
    lines: int,
    size_px: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
    x, y, r = column[dots, None], row[dots, None], radius[dots, None]
    width = int(np.ceil(2 * r.max())) + 1
    left = np.floor(x - r).astype(np.int64)
    top = np.floor(y - r).astype(np.int64)
    heights = top + (np.arange(width * lines) + 0.5) / lines
    chord = np.sqrt(np.maximum(r**2 - (heights - y) ** 2, 0)).reshape(len(dots), width, lines, 1)
    edges = (left + np.arange(width + 1) - x)[:, None, None, :]
    upto = np.clip(edges, -chord, chord)
    share = np.diff(upto, axis=3).mean(axis=2)
    rows = (top + np.arange(width))[:, :, None]
    columns = (left + np.arange(width))[:, None, :]
    inside = (share > 0) & (rows >= 0) & (rows < size_px) & (columns >= 0) & (columns < size_px)
    pixel = rows * size_px + columns
    dot = np.broadcast_to(dots[:, None, None], share.shape)
    return pixel[inside], dot[inside], share[inside]


def recolour(
    coverage: Coverage,
    lms: NDArray[np.floating],
    display: DisplayProfile = SRGB,
    spec: PlateSpec = PlateSpec(),
) -> NDArray[np.uint8]:
    """Return the picture, uint8 (size, size, 3), of covered dots in colours (N, 3)."""
    linear = lms_to_linear(lms, display)
    ground = lms_to_linear(linear_to_lms(srgb_decode(np.array(spec.ground_srgb) / 255)), display)
    light = coverage.bare[:, None] * ground
    for gun in range(3):
        weights = coverage.share * linear[coverage.dot, gun]
        light[:, gun] += np.bincount(coverage.pixel, weights, minlength=len(light))
    return encode8(light, display).reshape(coverage.size_px, coverage.size_px, 3)


def render(
    plate: Plate,
    axis: Axis,
    contrast: float,
    size_px: int,
    display: DisplayProfile = SRGB,
    spec: PlateSpec = PlateSpec(),
) -> NDArray[np.uint8]:
    """Return a plate's picture on an axis at a contrast.

    Parameters
    ----------
    plate
        What to draw.
    axis, contrast
        Confusion line, and Δu′v′ of the pair; 0 hides the digit from everybody.
    size_px
        Width and height; the plate's edge touches all four sides.
    display
        Whose pixels.
    spec
        The look that the plate was made with.

    Returns
    -------
    uint8 (size_px, size_px, 3)
        RGB codes, row 0 on top. Colours are mixed as light, then encoded once.
    """
    lms = with_contrast(plate.lms, plate.figure, axis, contrast, spec)
    return recolour(cover(plate.packing, size_px), lms, display, spec)
