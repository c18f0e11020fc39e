"""Where on the plate a digit lies, and which dots belong to it.

Masks are pictures of the square around the plate: row 0 on top, column 0 on the left,
the plate's edge touching all four sides.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from stimuli.colour.spaces import Floats
from stimuli.plates.machine_code import compiled
from stimuli.plates.packing import Packing
from stimuli.plates.spec import PlateSpec

MASK_PX = 256
INK_SHARE = 0.5
"""A point is ink where the image, interpolated, reaches this share of its darkest pixel."""
THIN_SHARE = 0.1
"""A mask is thin if more than this share of it has no room for a disc of the least width."""
SAMPLES_A_DOT = 61

Mask = NDArray[np.bool_]


def digit_mask(
    image: NDArray[np.floating], spec: PlateSpec = PlateSpec(), size_px: int = MASK_PX
) -> Mask:
    """Return where the digit of an image lies on the plate.

    Parameters
    ----------
    image
        Grey values (h, w), 0 paper … 1 ink.
    spec
        ``mask_span``: the digit is scaled and centred so that its ink just reaches this
        far from the plate's centre. ``min_stroke_dots``: strokes thinner than this many
        mean dots are thickened all round.
    size_px
        Width and height of the mask.

    Returns
    -------
    bool (size_px, size_px)

    Raises
    ------
    ValueError
        If the image isn't two-dimensional or has no ink.
    """
    grey = np.asarray(image, dtype=np.float64)
    if grey.ndim != 2:
        raise ValueError(f"a digit's image has two dimensions, not {grey.ndim}")
    if not grey.size or not grey.max() > 0:
        raise ValueError("the image has no ink")
    width = spec.min_stroke_dots * 2 * spec.dot_radius_mean
    reach, growth = spec.mask_span, 0
    extent = _extent(grey)
    mask = _draw(grey, extent, reach, size_px)
    while _is_thin(mask, width):
        growth += 1
        # A thickened digit must still end at the span.
        mask = _dilate(_draw(grey, extent, reach - growth * 2 / size_px, size_px), growth)
    return mask


def no_numeral_mask(spec: PlateSpec = PlateSpec()) -> Mask:
    """Return the mask of a plate without a digit: False everywhere."""
    return np.zeros((MASK_PX, MASK_PX), dtype=np.bool_)


def figure_dots(packing: Packing, mask: Mask) -> NDArray[np.bool_]:
    """Return which dots lie on the digit by more than half of their area, bool (N,)."""
    figure = np.zeros(len(packing), dtype=np.bool_)
    engine = compiled(_judge_all) or _judge_numpy
    engine((packing.x, packing.y, packing.radius), _disc_samples(), mask, figure)
    return figure


Singles = NDArray[np.float32]
_Dots = tuple[Singles, Singles, Singles]
"""x, y and radius of dots, (N,) each."""


def _judge_numpy(
    dots: _Dots, ring: tuple[Singles, Singles], mask: Mask, figure: NDArray[np.bool_]
) -> int:
    (x, y, radius), (ring_x, ring_y) = dots, ring
    columns = pixel_columns(x[:, None] + radius[:, None] * ring_x, len(mask))
    rows = pixel_rows(y[:, None] + radius[:, None] * ring_y, len(mask))
    figure[:] = 2 * mask[rows, columns].sum(axis=1) > len(ring_x)
    return 0


def _judge_all(
    dots: _Dots, ring: tuple[Singles, Singles], mask: Mask, figure: NDArray[np.bool_]
) -> int:
    """Do the same as `_judge_numpy`, in single precision too; compiled if numba is installed."""
    (x, y, radius), (ring_x, ring_y) = dots, ring
    one, half, size = np.float32(1), np.float32(0.5), np.float32(mask.shape[0])
    last = mask.shape[0] - 1
    for dot in range(x.shape[0]):
        on_digit = 0
        for k in range(ring_x.shape[0]):
            column = int(np.floor((x[dot] + radius[dot] * ring_x[k] + one) * half * size))
            row = int(np.floor((one - (y[dot] + radius[dot] * ring_y[k])) * half * size))
            if mask[min(max(row, 0), last), min(max(column, 0), last)]:
                on_digit += 1
        figure[dot] = 2 * on_digit > ring_x.shape[0]
    return 0


def pixel_columns(x: NDArray[np.floating], size_px: int) -> NDArray[np.intp]:
    """Return the column that holds x (−1 … 1) in a picture of the square around the plate."""
    return np.clip(np.floor((x + 1) / 2 * size_px), 0, size_px - 1).astype(np.intp)


def pixel_rows(y: NDArray[np.floating], size_px: int) -> NDArray[np.intp]:
    """Return the row that holds y (−1 … 1, up) in a picture whose row 0 is on top."""
    return np.clip(np.floor((1 - y) / 2 * size_px), 0, size_px - 1).astype(np.intp)


@lru_cache(maxsize=1)
def _disc_samples() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return points that are spread evenly over the unit disc (Vogel's sunflower)."""
    k = np.arange(SAMPLES_A_DOT)
    radius = np.sqrt((k + 0.5) / SAMPLES_A_DOT)
    angle = k * np.pi * (3 - np.sqrt(5))
    return (radius * np.cos(angle)).astype(np.float32), (radius * np.sin(angle)).astype(np.float32)


@dataclass(frozen=True, slots=True)
class _Extent:
    """The centre of an image's ink, and how far it reaches from there, in its pixels."""

    row: float
    column: float
    radius: float


def _extent(grey: Floats) -> _Extent:
    height, width = grey.shape
    rows, columns = (np.linspace(-0.5, n + 0.5, 8 * (n + 1) + 1) - 0.5 for n in (height, width))
    row, column = np.nonzero(_ink(grey, rows, columns))
    y, x = rows[row], columns[column]
    centre_y, centre_x = (y.min() + y.max()) / 2, (x.min() + x.max()) / 2
    # The sampled ink ends up to half a sample (1/16 pixel) before the outline does.
    radius = np.sqrt(((y - centre_y) ** 2 + (x - centre_x) ** 2).max()) + 1 / 16
    return _Extent(centre_y, centre_x, radius)


def _draw(grey: Floats, extent: _Extent, reach: float, size_px: int) -> Mask:
    """Return the ink of an image, centred, reaching ``reach`` from the plate's centre."""
    offsets = ((np.arange(size_px) + 0.5) / size_px * 2 - 1) * extent.radius / reach
    return _ink(grey, extent.row + offsets, extent.column + offsets)


def _ink(grey: Floats, rows: Floats, columns: Floats) -> Mask:
    """Return where the interpolated image is ink, at row and column coordinates (pixels)."""
    by_row = _cubic_weights(rows, grey.shape[0])
    by_column = _cubic_weights(columns, grey.shape[1])
    # Sums in a fixed order (no BLAS): the same mask whatever the number of threads.
    rough = np.einsum("ij,jk->ik", by_row, grey)
    return np.einsum("ij,kj->ik", rough, by_column) >= INK_SHARE * grey.max()


def _cubic_weights(at: Floats, count: int) -> Floats:
    """Return the (len(at), count) weights of Keys' cubic interpolation, zero outside."""
    d = np.abs(at[:, None] - np.arange(count))
    cube, square = d**3, 2.5 * d**2
    near = 1.5 * cube - square + 1
    far = -0.5 * cube + square - 4 * d + 2
    return np.where(d < 1, near, np.where(d < 2, far, 0.0))


def _is_thin(mask: Mask, width: float) -> bool:
    radius = width / 2 * len(mask) / 2
    if radius < 1:
        return False
    opened = _dilate(~_dilate(~mask, radius), radius)
    return float((mask & opened).sum()) < (1 - THIN_SHARE) * float(mask.sum())


def _dilate(mask: Mask, radius_px: float) -> Mask:
    """Return the pixels within ``radius_px`` of the mask; outside the picture it is empty."""
    grown = np.zeros_like(mask)
    size, wide, reach = len(mask), mask, 0
    # From the disc's edge to its middle, each wider row is made from the one before.
    for shift in range(int(radius_px), -1, -1):
        half = int(np.sqrt(radius_px**2 - shift**2))
        wide, reach = _widen(wide, reach, half), half
        grown[shift:] |= wide[: size - shift]
        grown[: size - shift] |= wide[shift:]
    return grown


def _widen(wide: Mask, reach: int, half: int) -> Mask:
    """Return the pixels within ``half`` columns of a mask from those within ``reach`` of it."""
    while reach < half:
        # Up to this step, three copies side by side leave no hole, not even at the picture's edge.
        step = min(half - reach, reach + 1)
        wider = wide.copy()
        wider[:, step:] |= wide[:, :-step]
        wider[:, :-step] |= wide[:, step:]
        wide, reach = wider, reach + step
    return wide
