"""Which pixels of an image are uncovered at which step (Dawoud et al. 2023, section III).

An image starts black. A method's map puts its pixels in order, the most relevant first, and a
rule says how many are uncovered in the end. The steps uncover equal parts of these. Pixels of
equal relevance come from the inside of their plateau out (`plateaus`).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from stimuli.images.resampling import resampled
from stimuli.io.canonical import seed_of
from stimuli.studies.progressive_reveal.plateaus import inside_out

__all__ = [
    "BESIDE", "EVERY_RELEVANT", "MOST_STEPS", "TINTED", "Polarity", "Rule", "Schedule", "Ties",
    "counts", "order_of", "resampled", "schedule", "shown", "uncovered",
]  # fmt: skip

Polarity = Literal["positive", "absolute", "absolute_marked", "negative_beside"]
Ties = Literal["inside_out", "hash"]
Bytes = NDArray[np.uint8]
Strength = NDArray[np.float32]

TINTED: Final = 128
"""Added to the step of a pixel that is shown tinted: it speaks against the class."""
MOST_STEPS: Final = TINTED - 1
TINT_SRGB: Final = (255, 0, 200)
TINT_PART: Final = 0.5
BESIDE: Final = "negative_beside"
"""The polarity that has a window of its own for what speaks against the class."""
# A share such as 1/6 must not lose a pixel to its last binary digit.
_ROUNDING: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Rule:
    """How many pixels a method uncovers in the end.

    Attributes
    ----------
    share
        Share of the image, rounded down to whole pixels; None for every relevant pixel.
    follows
        Whether the reference's counts take its place where these are more in the end.
    """

    share: float | None
    follows: bool = False


EVERY_RELEVANT: Final = Rule(None)
"""The reference's: pixels with bubbles all the way, those without never."""


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
        With polarity ``negative_beside`` the same as ``step_of`` of what speaks against the
        class, which is uncovered in a window of its own; None where nothing does.
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
        (H, W), any finite numbers; they are compared as float32, as maps are stored. Where a
        map was brought to another size, finer differences are rounding's.
    key
        Names the map (item and method, say); a hash by it decides where all else is equal.
    polarity
        ``absolute`` and ``absolute_marked``: all pixels but those at 0, by size whatever their
        sign. Else pixels above 0.
    ties
        Which of equally relevant pixels come first. ``inside_out``: the farthest from where
        their plateau ends, of these the nearest to what is uncovered by then, last the hash.
        ``hash``: the hash alone, as in packs of protocols before 1.5.
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
    asked = np.flatnonzero(strength)
    if most is not None and most < len(asked):
        least = np.partition(strength.ravel()[asked], -most)[-most] if most else np.inf
        asked = np.flatnonzero(strength >= least)
    if not len(asked):
        return asked
    lots = np.random.PCG64(seed_of("reveal", key)).random_raw(strength.size)
    among_equals = inside_out(strength, asked, lots) if ties == "inside_out" else ()
    keys = (lots[asked], *among_equals, -strength.ravel()[asked])
    return asked[np.lexsort(keys)[:most]]


def schedule(
    relevance: NDArray[np.floating],
    rule: Rule,
    *,
    steps: int,
    key: str,
    polarity: Polarity = "positive",
    ties: Ties = "inside_out",
    reference: Sequence[int] | None = None,
) -> Schedule:
    """Return when each pixel is uncovered.

    Parameters
    ----------
    relevance
        (H, W), the image's size (`resampled`).
    rule
        How many pixels in the end.
    steps
        Number of steps, 1…127.
    key
        Names the map, as in `order_of`.
    polarity
        As in `order_of`. With ``absolute_marked`` pixels below 0 are tinted. With
        ``negative_beside`` they are uncovered in a window of their own, as many at each step
        as the rule wants of the others.
    ties
        As in `order_of`.
    reference
        The reference's `Schedule.pixels`, for rules that follow it; None if there is none.

    Raises
    ------
    ValueError
        If the map isn't a finite two-dimensional array, or steps are too many.
    """
    if not 1 <= steps <= MOST_STEPS:
        raise ValueError(f"{steps} steps; there can be 1 to {MOST_STEPS}")
    relevant = int(np.count_nonzero(_strength(relevance, polarity)))
    wanted = _wanted(rule, relevance.size, relevant, steps, reference)
    most = int(wanted[-1])
    order = order_of(relevance, key=key, polarity=polarity, ties=ties, most=most)
    step_of, pixels = _step_of(order, wanted, relevance.shape)
    if polarity == "absolute_marked":
        step_of[(step_of > 0) & (relevance < 0)] += TINTED
    against = None
    if polarity == BESIDE and (relevance < 0).any():
        opposed = order_of(-relevance, key=key, ties=ties, most=most)
        against, _ = _step_of(opposed, wanted, relevance.shape)
    return Schedule(step_of, tuple(map(int, pixels)), len(order) < most, against)


def _strength(relevance: NDArray[np.floating], polarity: Polarity) -> Strength:
    """Return how relevant each pixel is, whatever it speaks for; 0 if it is never uncovered."""
    values = np.asarray(relevance, dtype=np.float32)
    if values.ndim != 2 or not values.size or not np.isfinite(values).all():
        raise ValueError("a map is a two-dimensional array of finite numbers")
    both = polarity in ("absolute", "absolute_marked")
    return np.abs(values) if both else np.maximum(values, 0)


def _step_of(
    order: NDArray[np.int64], wanted: NDArray[np.int64], shape: tuple[int, ...]
) -> tuple[Bytes, NDArray[np.int64]]:
    """Return from which step on each pixel is uncovered, and how many pixels are at each step.

    As many as are wanted, in their order, while there are any left.
    """
    pixels = np.minimum(wanted, len(order))
    step_of = np.zeros(shape, dtype=np.uint8)
    numbers = np.arange(pixels[-1])
    step_of.ravel()[order] = 1 + np.searchsorted(pixels, numbers, side="right")
    return step_of, pixels


def uncovered(step_of: Bytes, step: int) -> NDArray[np.bool_]:
    """Return which pixels (H, W) are uncovered at a step; none at step 0."""
    own = step_of & np.uint8(MOST_STEPS)
    return (own > 0) & (own <= step)


def shown(image: Bytes, step_of: Bytes, step: int) -> Bytes:
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


def _wanted(
    rule: Rule, image_pixels: int, relevant: int, steps: int, reference: Sequence[int] | None
) -> NDArray[np.int64]:
    """Return how many pixels the rule wants at each step, whether there are as many or not."""
    if rule.share is None:
        return counts(relevant, steps)
    total = math.floor(rule.share * image_pixels + _ROUNDING)
    if rule.follows and reference is not None and reference[-1] > total:
        return np.asarray(reference, dtype=np.int64)
    return counts(total, steps)
