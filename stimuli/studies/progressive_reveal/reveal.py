"""Which pixels of an image are uncovered at which step (Dawoud et al. 2023, section III).

An image starts black. A method's map puts its pixels in order, the most relevant first, and a
rule says how many are uncovered in the end. The steps uncover equal parts of these. Pixels of equal
relevance are uncovered from the inside of their plateau out (`inside_out`). Maps of counts, such as
people's bubbles, give many pixels the same value. If chance decided among these, a method with wide
plateaus would be uncovered as scattered dots and another as solid areas, and a difference between
methods would be one of texture too. Dawoud et al. (2023, section III) go from the centre of
overlapping bubbles to the region's edge, and call salt and pepper undesirable.
"""

import math
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from stimuli.io.canonical import seed_of

Polarity = Literal["positive", "absolute", "absolute_marked", "negative_beside"]
Ties = Literal["inside_out", "hash"]
Bytes = NDArray[np.uint8]
Strength = NDArray[np.float32]

TINTED: Final = 128
"""Added to the step of a pixel that is shown tinted, since it speaks against the class."""
MOST_STEPS: Final = TINTED - 1
TINT_SRGB: Final = (255, 0, 200)
TINT_PART: Final = 0.5
BESIDE: Final = "negative_beside"
"""The polarity that has a window of its own for what speaks against the class."""
# A share such as 1/6 must not lose a pixel to its last binary digit.
_ROUNDING: Final = 1e-9

Floats = NDArray[np.floating]

Ints = NDArray[np.int64]

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Rule:
    """How many pixels a method uncovers in the end.

    Attributes
    ----------
    share
        Share of the image, rounded down to whole pixels; None for every relevant pixel.
    follows
        Whether the reference's counts replace its own if they are larger in the end.
    reference
        The reference's `Schedule.pixels`; None if there is none.
    """

    share: float | None
    follows: bool = False
    reference: tuple[int, ...] | None = None


EVERY_RELEVANT: Final = Rule(None)
"""The reference's rule: all pixels with bubbles are uncovered, the others never."""


@dataclass(frozen=True, slots=True, eq=False)
class Schedule:
    """When each pixel of an image is uncovered.

    Attributes
    ----------
    step_of
        uint8 (H, W): 0 never, k from step k on, `TINTED` + k the same and tinted.
    pixels
        Pixels uncovered at each step; entry k − 1 is step k's.
    ran_out
        Whether the map has fewer relevant pixels than the rule wants.
    against
        With polarity ``negative_beside``, the same as ``step_of`` for pixels that speak against the
        class, which are uncovered in a separate window; None if there are none.
    """

    step_of: Bytes
    pixels: tuple[int, ...]
    ran_out: bool
    against: Bytes | None = None


def counts(total: int, steps: int) -> NDArray[np.int64]:
    """Return how many of some pixels are uncovered at steps 1 to ``steps``: ⌈k/steps · total⌉."""
    step = np.arange(1, steps + 1, dtype=np.int64)
    return -(-step * total // steps)


def order_of(
    relevance: NDArray[np.floating],
    *,
    key: str,
    polarity: Polarity = "positive",
    ties: Ties = "inside_out",
    most: int | None = None,
) -> NDArray[np.int64]:
    """Return the relevant pixels, the most relevant first.

    Parameters
    ----------
    relevance
        (H, W), any finite numbers; they are compared as float32, as maps are stored. In a resized
        map, finer differences are rounding errors.
    key
        Names the map (item and method, say); if all else is equal, a hash of it decides.
    polarity
        ``absolute`` and ``absolute_marked``: all pixels but those at 0, by size whatever their
        sign. Else pixels above 0.
    ties
        Which of equally relevant pixels come first. ``inside_out``: the farthest from where
        their plateau ends; of these, the nearest to the uncovered area; then the hash.
        ``hash``: only the hash.
    most
        How many of the first are returned; None for all. Few are found faster.

    Returns
    -------
    int64 (n,)
        Places in the flattened map; pixels without relevance are not among them.

    Raises
    ------
    ValueError
        If the map isn't a finite two-dimensional array.
    """
    strength = _strength(relevance, polarity)
    places = np.flatnonzero(strength)
    if most is not None and most < len(places):
        least = np.partition(strength.ravel()[places], -most)[-most] if most else np.inf
        places = np.flatnonzero(strength >= least)
    if not len(places):
        return places
    lots = np.random.PCG64(seed_of("reveal", key)).random_raw(strength.size)
    among_equals = inside_out(strength, places, lots) if ties == "inside_out" else ()
    keys = (lots[places], *among_equals, -strength.ravel()[places])
    return places[np.lexsort(keys)[:most]]


def schedule(
    relevance: NDArray[np.floating],
    rule: Rule,
    *,
    steps: int,
    key: str,
    polarity: Polarity = "positive",
    ties: Ties = "inside_out",
) -> Schedule:
    """Return when each pixel is uncovered.

    Parameters
    ----------
    relevance
        (H, W), the image's size (`resampled`).
    rule
        The rule for the number of uncovered pixels.
    steps
        Number of steps, 1…127.
    key
        Names the map, as in `order_of`.
    polarity
        As in `order_of`. With ``absolute_marked``, pixels below 0 are tinted. With
        ``negative_beside``, they are uncovered in a separate window, as many at each step as the
        rule wants of the others.
    ties
        As in `order_of`.

    Raises
    ------
    ValueError
        If the map isn't a finite two-dimensional array, or steps are too many.
    """
    if not 1 <= steps <= MOST_STEPS:
        raise ValueError(f"{steps} steps; there can be 1 to {MOST_STEPS}")
    relevant = int(np.count_nonzero(_strength(relevance, polarity)))
    counts = _wanted(rule, relevance.size, relevant, steps)
    most = int(counts[-1])
    order = order_of(relevance, key=key, polarity=polarity, ties=ties, most=most)
    step_of, pixels = _step_of(order, counts, relevance.shape)
    if polarity == "absolute_marked":
        step_of[(step_of > 0) & (relevance < 0)] += TINTED
    against = None
    if polarity == BESIDE and (relevance < 0).any():
        opposed = order_of(-relevance, key=key, ties=ties, most=most)
        against, _ = _step_of(opposed, counts, relevance.shape)
    return Schedule(step_of, tuple(map(int, pixels)), len(order) < most, against)


def _strength(relevance: NDArray[np.floating], polarity: Polarity) -> Strength:
    """Return each pixel's relevance regardless of sign; 0 if it is never uncovered."""
    values = np.asarray(relevance, dtype=np.float32)
    if values.ndim != 2 or not values.size or not np.isfinite(values).all():
        raise ValueError("a map is a two-dimensional array of finite numbers")
    both = polarity in ("absolute", "absolute_marked")
    return np.abs(values) if both else np.maximum(values, 0)


def _step_of(
    order: NDArray[np.int64], counts: NDArray[np.int64], shape: tuple[int, ...]
) -> tuple[Bytes, NDArray[np.int64]]:
    """Return the step from which each pixel is uncovered, and the number of pixels at each step.

    At each step, as many pixels as are wanted are uncovered in their order, while any are left.
    """
    pixels = np.minimum(counts, len(order))
    step_of = np.zeros(shape, dtype=np.uint8)
    numbers = np.arange(pixels[-1])
    step_of.ravel()[order] = 1 + np.searchsorted(pixels, numbers, side="right")
    return step_of, pixels


def uncovered(step_of: Bytes, step: int) -> NDArray[np.bool_]:
    """Return which pixels (H, W) are uncovered at a step; none at step 0."""
    step_numbers = step_of & np.uint8(MOST_STEPS)
    return (step_numbers > 0) & (step_numbers <= step)


def image_at(image: Bytes, step_of: Bytes, step: int) -> Bytes:
    """Return an image at a step: what is covered is black.

    Parameters
    ----------
    image
        uint8 (H, W, 3), sRGB.
    step_of
        uint8 (H, W), as in `Schedule`.
    step
        The step; 0 is all black.

    Returns
    -------
    uint8 (H, W, 3)
        Pixels that speak against the class are half tint, half image.
    """
    picture = np.where(uncovered(step_of, step)[..., None], image, np.uint8(0))
    against = uncovered(step_of, step) & (step_of >= TINTED)
    mixed = (1 - TINT_PART) * image[against] + TINT_PART * np.array(TINT_SRGB)
    picture[against] = np.rint(mixed).astype(np.uint8)
    return picture


def _wanted(rule: Rule, image_pixels: int, relevant: int, steps: int) -> NDArray[np.int64]:
    """Return how many pixels the rule wants at each step, even if there are fewer."""
    if rule.share is None:
        return counts(relevant, steps)
    total = math.floor(rule.share * image_pixels + _ROUNDING)
    if rule.follows and rule.reference is not None and rule.reference[-1] > total:
        return np.asarray(rule.reference, dtype=np.int64)
    return counts(total, steps)


def inside_out(
    strength: Floats, places: NDArray[np.intp], lots: NDArray[np.uint64]
) -> tuple[Ints, Ints]:
    """Return the two sort keys of pixels of equal strength, the second first (for a lexsort).

    All distances are whole numbers of pixels along rows, columns and diagonals (a bubble is a
    square): the same bits on every machine.

    Parameters
    ----------
    strength
        (H, W), ≥ 0.
    places
        (n,) places in the flattened map, at least one: all those with at least a certain strength
        above 0.
    lots
        (H · W,), from the hash; the smallest decides where a map begins.

    Returns
    -------
    nearness, minus depth
        int64 (n,) each. Depth is the distance to the nearest pixel of less strength, or to the
        image's edge. Nearness is the distance to the nearest pixel that is uncovered before: a
        stronger one, an equally strong but deeper one, or the map's very first. Both are 0 if no
        other pixel is as strong.
    """
    _, levels, times = np.unique(strength.ravel()[places], return_inverse=True, return_counts=True)
    tied = np.zeros(strength.shape, dtype=np.bool_)
    tied.ravel()[places] = times[levels] > 1
    if not tied.any():
        none = np.zeros(len(places), dtype=np.int64)
        return none, none
    depth = _away(-strength, tied, beyond=1).ravel()[places]
    turns = 1 + levels * (1 + depth.max()) + depth
    ahead = places[turns == turns.max()]
    first = ahead[lots[ahead].argmin()]
    # The smallest type that holds them, for speed.
    turn = np.zeros(strength.shape, dtype=np.min_scalar_type(turns.max() + 1))
    turn.ravel()[places] = turns
    turn.ravel()[first] += 1
    tied.ravel()[first] = False
    return _away(turn, tied, beyond=0).ravel()[places], -depth


def _away(values: NDArray[np.number], mask: Mask, beyond: int) -> Ints:
    """Return the distance from each pixel of the mask to the nearest greater one; else 0.

    Parameters
    ----------
    values, mask
        (H, W). Each pixel of the mask needs a greater one, unless ``beyond`` is greater.
    beyond
        Value beyond the image.
    """
    away = np.zeros(values.shape, dtype=np.int64)
    left = mask.copy()
    # Each pixel's greatest value within the distance `away`, framed by the value beyond the image.
    greatest = np.pad(values, 1, constant_values=beyond)
    inside = greatest[1:-1, 1:-1]
    while left.any():
        away += left
        rows = np.maximum(np.maximum(greatest[:-2], greatest[1:-1]), greatest[2:])
        np.maximum(np.maximum(rows[:, :-2], rows[:, 1:-1]), rows[:, 2:], out=inside)
        left &= inside <= values
    return away
