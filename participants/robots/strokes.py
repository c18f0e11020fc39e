"""From an area to the strokes of a brush: along its middle, from place to place.

A model of how people fill a shape, with assumptions, not fitted to anybody.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage
from scipy.fft import irfft2, next_fast_len, rfft2
from scipy.sparse.csgraph import breadth_first_order, depth_first_order, minimum_spanning_tree
from scipy.spatial.distance import cdist

from participants.strokes import RADII, SIDE, Act, Point

SPEED_PER_S: Final = 1500.0
"""Speed of the brush, quarter pixels of the mask per second: one and a half plates per second."""
SAMPLE_MS: Final = 8
"""A mouse reports where it is about 125 times a second."""
TREMOR: Final = 2.0
"""SD of the hand's tremor, quarter pixels of the mask."""
LIFT_MS: Final = 180
"""Time from one stroke's end to the next one's beginning."""
WIDTH_QUANTILE: Final = 0.25
INWARD: Final = 0.7
"""A brush stays at least this share of its radius inside the area's edge, if it fits."""
LEAST_GAIN: Final = 0.12
"""A place is left out if less than this share of the brush would cover something new."""

Area = NDArray[np.bool_]
Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Intent:
    """What a robot is going to do with a picture; times since the picture's onset.

    Attributes
    ----------
    acts
        Its strokes, and an undo after a slip.
    done_ms
        When it confirms.
    answer, answer_s
        The answer that it types, and when; None if no answer is asked for.
    """

    acts: tuple[Act, ...]
    done_ms: int
    answer: str | None = None
    answer_s: float = 0.0


def strokes_of(
    area: Area,
    rng: np.random.Generator,
    begins_ms: int = 0,
    radius: int | None = None,
    speed_per_s: float = SPEED_PER_S,
) -> tuple[Act, ...]:
    """Return brush strokes that cover an area.

    Parameters
    ----------
    area
        bool (H, H), picture of the square around the plate; not empty.
    rng
        Of the hand's tremor.
    begins_ms
        When the first stroke begins.
    radius
        Of the brush, quarter pixels of the mask; None for the one of `RADII` that suits the area.
    speed_per_s
        Speed of the brush, quarter pixels of the mask per second.
    """
    unit = SIDE / len(area)
    depth = ndimage.distance_transform_edt(np.pad(area, 1))[1:-1, 1:-1]
    radius = radius or _brush(depth, area, unit)
    places = _stops(area, depth, radius / unit)
    acts, at_ms = [], begins_ms
    for walk in _walks(places, area):
        middles = np.asarray((places[walk] + 0.5) * unit, dtype=np.float64)
        points = _drawn(middles, at_ms, rng, speed_per_s)
        acts.append(Act("brush", at_ms, radius, points))
        at_ms = points[-1][0] + LIFT_MS
    return tuple(acts)


def _brush(depth: NDArray[np.float64], area: Area, unit: float) -> int:
    """Return the radius of `RADII` nearest to half the width of the area's strokes."""
    ridge = area & (depth >= ndimage.maximum_filter(depth, 3))
    wanted = float(np.quantile(depth[ridge], WIDTH_QUANTILE)) * unit
    return min(RADII, key=lambda radius: abs(radius - wanted))


def _stops(area: Area, depth: NDArray[np.float64], radius: float) -> Places:
    """Return places (row, column) whose brush marks cover the area and little else.

    Each place in turn is where the brush covers most of what is left. None lies nearer to the edge
    than a good part of the brush, if the area is that wide anywhere.
    """
    rows, columns = np.indices(area.shape)
    reach = int(radius)
    at = np.arange(-reach, reach + 1)
    mark = (at[:, None] ** 2 + at**2 <= radius**2).astype(float)
    allowed = depth >= min(INWARD * radius, float(depth.max()))
    left, chosen = area.copy(), []
    while True:
        # Whole numbers of pixels, so that every machine takes the same one of equal places.
        gain = np.rint(_covered(left, mark)) * allowed
        row, column = np.unravel_index(int(gain.argmax()), area.shape)
        if chosen and gain[row, column] < LEAST_GAIN * mark.sum():
            return np.array(chosen, dtype=np.int64)
        chosen.append((int(row), int(column)))
        left &= (rows - row) ** 2 + (columns - column) ** 2 > radius**2


def _covered(area: Area, mark: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how much of an area a mark covers at each place: a convolution.

    It does what `scipy.signal.fftconvolve` does, whose import would delay a session by two seconds.
    """
    sizes = zip(area.shape, mark.shape, strict=True)
    shape = [next_fast_len(n + m - 1, real=True) for n, m in sizes]
    whole = irfft2(rfft2(area, shape) * rfft2(mark, shape), shape)
    reach = len(mark) // 2
    return whole[reach : reach + area.shape[0], reach : reach + area.shape[1]]


def _walks(places: Places, area: Area) -> list[list[int]]:
    """Return walks through the places that stay within the area, there and back on branches."""
    cost = cdist(places, places)
    for place in range(len(places)):
        for other in range(place):
            if not _is_clear(places[place], places[other], area):
                cost[place, other] = cost[other, place] = 0.0
    tree = minimum_spanning_tree(cost)
    left, walks = set(range(len(places))), []
    while left:
        start = min(left)
        part = breadth_first_order(tree, start, directed=False, return_predecessors=False)
        end = int(part[-1])
        order, before = depth_first_order(tree, end, directed=False)
        walks.append(_with_returns([int(k) for k in order], before))
        left -= set(walks[-1])
    return walks


def _with_returns(order: list[int], before: NDArray[np.int32]) -> list[int]:
    """Return a depth-first order with the way back to where each branch began."""
    walk = [order[0]]
    for place in order[1:]:
        while walk[-1] != before[place]:
            walk.append(int(before[walk[-1]]))
        walk.append(place)
    return walk


def _is_clear(start: Places, end: Places, area: Area) -> bool:
    """Return whether the straight way between two places stays within the area."""
    steps = int(np.abs(start - end).max()) + 1
    way = np.rint(np.linspace(start, end, steps)).astype(np.int64)
    return bool(area[way[:, 0], way[:, 1]].all())


def _drawn(
    places: NDArray[np.float64], begins_ms: int, rng: np.random.Generator, speed_per_s: float
) -> tuple[Point, ...]:
    """Return the samples of a hand led along places (row, column), in quarter pixels."""
    lengths = np.hypot(*np.diff(places, axis=0).T) if len(places) > 1 else np.zeros(0)
    travelled = np.concatenate([[0.0], np.cumsum(lengths)])
    whole_ms = travelled[-1] / speed_per_s * 1000
    times_ms = np.append(np.arange(0.0, whole_ms, SAMPLE_MS), whole_ms)
    along = times_ms / 1000 * speed_per_s
    y, x = (np.interp(along, travelled, places[:, axis]) for axis in (0, 1))
    tremor = ndimage.gaussian_filter1d(rng.normal(0, 1, (2, len(along))), 3, axis=1, mode="nearest")
    y, x = (values + shake * TREMOR * 3 for values, shake in zip((y, x), tremor, strict=True))
    stamps = begins_ms + np.rint(times_ms).astype(int)
    return tuple(
        (int(t), round(float(a)), round(float(b))) for t, a, b in zip(stamps, x, y, strict=True)
    )
