"""Pixels from plates: linear light, antialiased, for a given display."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stimuli.colour.display import (
    SRGB,
    DisplayProfile,
    code_table,
    encode8,
    linear_to_lms,
    lms_to_linear,
)
from stimuli.colour.spaces import Axis, Floats, srgb_decode
from stimuli.plates.machine_code import compiled
from stimuli.plates.packing import Packing
from stimuli.plates.plate import Plate
from stimuli.plates.spec import PlateSpec, with_contrast

SCANLINES_SMALL = 6
SCANLINES_LARGE = 3
SMALL_WINDOW_PX = 7
"""Dots in a window this narrow get more scanlines."""
LARGE_BLOCK_BYTES = 24 << 20
COMPILED_FROM_PX = 256
"""Smaller pictures are drawn with numpy: numba would need half a second before the first one."""


@dataclass(frozen=True, slots=True, eq=False)
class Coverage:
    """How much of which pixel each dot covers, so that a packing is drawn once and coloured often.

    Parameters
    ----------
    size_px
        Width and height of the picture.
    pixel
        int32 (K,): flat index of a pixel, row 0 on top.
    dot
        int32 (K,): the dot that covers part of it.
    share
        float32 (K,): share of the pixel that the dot covers, 0…1.
    bare
        float64 (size_px²,): share of each pixel that no dot covers.
    """

    size_px: int
    pixel: NDArray[np.int32]
    dot: NDArray[np.int32]
    share: NDArray[np.float32]
    bare: Floats


def cover(packing: Packing, size_px: int) -> Coverage:
    """Return how the dots of a packing cover a picture of ``size_px`` × ``size_px``.

    The part of a row of pixels that a dot reaches is cut into scanlines; along a scanline
    the covered length is exact.
    """
    if size_px < 8:
        raise ValueError(f"size_px is {size_px}, must be at least 8")
    _keep_freed_memory()
    half = size_px / 2
    radius = packing.radius.astype(np.float64) * half
    # Dots whose windows are equally wide go together: numpy draws them at once.
    window = np.ceil(2 * radius).astype(np.int64) + 1
    dots = np.argsort(window, kind="stable")
    disc = _Discs(
        dot=dots,
        column=((packing.x.astype(np.float64) + 1) * half)[dots],
        row=((1 - packing.y.astype(np.float64)) * half)[dots],
        radius=radius[dots],
        window=window[dots],
    )
    pixel, dot, share = _engine(size_px)(disc, size_px)
    return Coverage(size_px, pixel, dot, share, _bare(pixel, share, size_px))


@cache
def _keep_freed_memory() -> None:
    """Keep freed memory, since fresh memory from the system costs a third of a picture's time.

    glibc gives large blocks back to the system as they are freed, until it has seen a still
    larger one freed. Elsewhere this does nothing.
    """
    np.empty(LARGE_BLOCK_BYTES, dtype=np.uint8)


def _in_machine_code(loop: Callable[..., int], size_px: int) -> Callable[..., int] | None:
    return compiled(loop) if size_px >= COMPILED_FROM_PX else None


def _bare(pixel: NDArray[np.int32], share: NDArray[np.float32], size_px: int) -> Floats:
    uncover_all = _in_machine_code(_uncover_all, size_px)
    if uncover_all is None:
        return np.maximum(1 - np.bincount(pixel, share, minlength=size_px**2), 0)
    bare = np.zeros(size_px**2)
    uncover_all(pixel, share, bare)
    return bare


def _uncover_all(pixel: NDArray[np.int32], share: NDArray[np.float32], bare: Floats) -> int:
    """Sum the covered shares and turn them into uncovered ones; compiled if numba is installed."""
    for k in range(pixel.shape[0]):
        bare[pixel[k]] += share[k]
    for k in range(bare.shape[0]):
        bare[k] = max(1 - bare[k], 0.0)
    return 0


class _Discs(NamedTuple):
    """Discs in pixels, in drawing order, as a tuple for compiled code."""

    dot: NDArray[np.int64]
    column: Floats
    row: Floats
    radius: Floats
    window: NDArray[np.int64]


Covered = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float32]]


def _engine(size_px: int) -> Callable[[_Discs, int], Covered]:
    return _cover_numpy if _in_machine_code(_cover_all, size_px) is None else _cover_compiled


def _cover_numpy(discs: _Discs, size_px: int) -> Covered:
    parts = [
        _cover_alike(discs, np.flatnonzero(discs.window == window), int(window), size_px)
        for window in np.unique(discs.window)
    ]
    pixel, dot, share = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return pixel, dot, share


def _cover_alike(discs: _Discs, which: NDArray[np.int64], window: int, size_px: int) -> Covered:
    x, y, r = discs.column[which, None], discs.row[which, None], discs.radius[which, None]
    lines = SCANLINES_SMALL if window <= SMALL_WINDOW_PX else SCANLINES_LARGE
    left = np.floor(x - r).astype(np.int64)
    top = np.floor(y - r).astype(np.int64)
    low = np.maximum(top + np.arange(window) - y, -r)
    extent = np.maximum(np.minimum(top + np.arange(window) + 1 - y, r) - low, 0)
    heights = low[..., None] + (np.arange(lines) + 0.5) / lines * extent[..., None]
    chord = np.sqrt(np.maximum((r * r)[..., None] - heights * heights, 0))[..., None]
    edges = (left + np.arange(window + 1) - x)[:, None, None, :]
    upto = np.minimum(np.maximum(edges, -chord), chord)
    share = (upto[..., 1:] - upto[..., :-1]).sum(axis=2) / lines * extent[..., None]
    rows = (top + np.arange(window))[:, :, None]
    columns = (left + np.arange(window))[:, None, :]
    inside = (share > 0) & (rows >= 0) & (rows < size_px) & (columns >= 0) & (columns < size_px)
    dot = np.broadcast_to(discs.dot[which, None, None], share.shape)
    pixel = (rows * size_px + columns)[inside].astype(np.int32)
    return pixel, dot[inside].astype(np.int32), share[inside].astype(np.float32)


def _cover_compiled(discs: _Discs, size_px: int) -> Covered:
    cover_all = compiled(_cover_all)
    assert cover_all is not None
    room = int((discs.window**2).sum())
    pixel, dot = np.empty(room, np.int32), np.empty(room, np.int32)
    share = np.empty(room, np.float32)
    count = cover_all(discs, size_px, (pixel, dot, share))
    return pixel[:count], dot[:count], share[:count]


def _cover_all(discs: _Discs, size_px: int, covered_by: Covered) -> int:
    """Do the same as `_cover_numpy`, pixel by pixel, into arrays; compiled with numba."""
    dots, column, row, radius, window = discs
    pixel, dot, share = covered_by
    count = 0
    widest = window.max()
    whole, covered = np.empty(widest), np.empty(widest)
    for k in range(dots.shape[0]):
        x, y, r = column[k], row[k], radius[k]
        left, top = int(np.floor(x - r)), int(np.floor(y - r))
        lines = SCANLINES_SMALL if window[k] <= SMALL_WINDOW_PX else SCANLINES_LARGE
        for j in range(window[k]):
            # As the ends below would have it: a pixel's width, in the same rounding.
            whole[j] = (left + j + 1 - x) - (left + j - x)
        for i in range(max(-top, 0), min(size_px - top, window[k])):
            low = max(top + i - y, -r)
            extent = max(min(top + i + 1 - y, r) - low, 0.0)
            for j in range(window[k]):
                covered[j] = 0.0
            for line in range(lines):
                height = low + (line + 0.5) / lines * extent
                chord = np.sqrt(max(r * r - height * height, 0.0))
                first = max(int(np.floor(x - chord)) - left, 0)
                last = min(int(np.floor(x + chord)) - left, window[k] - 1)
                for j in range(first + 1, last):
                    covered[j] += whole[j]
                covered[first] += min(left + first + 1 - x, chord) + chord
                if last > first:
                    covered[last] += min(left + last + 1 - x, chord) - (left + last - x)
            for j in range(max(-left, 0), min(size_px - left, window[k])):
                if covered[j] * extent > 0:
                    pixel[count] = (top + i) * size_px + left + j
                    dot[count] = dots[k]
                    share[count] = covered[j] / lines * extent
                    count += 1
    return count


def recolour(
    coverage: Coverage,
    lms: NDArray[np.floating],
    display: DisplayProfile = SRGB,
    spec: PlateSpec = PlateSpec(),
) -> NDArray[np.uint8]:
    """Return the picture, uint8 (size, size, 3), of covered dots in colours (N, 3)."""
    linear = lms_to_linear(lms, display)
    ground = lms_to_linear(linear_to_lms(srgb_decode(np.array(spec.ground_srgb) / 255)), display)
    paint_all = _in_machine_code(_paint_all, coverage.size_px)
    if paint_all is None:
        return _paint_numpy(coverage, linear, ground, display)
    size = coverage.size_px
    codes = np.empty((size, size, 3), dtype=np.uint8)
    arrays = (coverage.pixel, coverage.dot, coverage.share, coverage.bare)
    paint_all(arrays, linear, ground, code_table(display), codes.reshape(-1, 3))
    return codes


def _paint_numpy(
    coverage: Coverage, linear: Floats, ground: Floats, display: DisplayProfile
) -> NDArray[np.uint8]:
    size = coverage.size_px
    light = np.empty((3, size**2), dtype=np.float32)
    for gun in range(3):
        weights = coverage.share * linear[coverage.dot, gun]
        dots = np.bincount(coverage.pixel, weights, minlength=size**2)
        light[gun] = dots + coverage.bare * ground[gun]
    return encode8(light.T, display).reshape(size, size, 3)


def _paint_all(
    covered: tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float32], Floats],
    linear: Floats,
    ground: Floats,
    table: NDArray[np.uint8],
    codes: NDArray[np.uint8],
) -> int:
    """Do the same as `_paint_numpy`, one gun at a time; compiled if numba is installed."""
    pixel, dot, share, bare = covered
    steps = np.float32(table.shape[1] - 1)
    light = np.empty(bare.shape[0])
    for gun in range(3):
        light[:] = 0.0
        for k in range(pixel.shape[0]):
            light[pixel[k]] += share[k] * linear[dot[k], gun]
        for k in range(bare.shape[0]):
            step = np.float32(light[k] + bare[k] * ground[gun]) * steps + np.float32(0.5)
            step = min(max(step, np.float32(0)), steps)
            codes[k, gun] = table[gun, np.int64(step)]
    return 0


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
        The display that shows the picture.
    spec
        The look that the plate was made with.

    Returns
    -------
    uint8 (size_px, size_px, 3)
        RGB codes, row 0 on top. Colours are mixed as light, then encoded once.
    """
    lms = with_contrast(plate.lms, plate.figure, axis, contrast, spec)
    return recolour(cover(plate.packing, size_px), lms, display, spec)
