"""Which pixels of an image are uncovered at which step (Dawoud et al. 2023, section III).

An image starts black. A method's map puts its pixels in order, the most relevant first, and a
rule says how many are uncovered in the end. The steps uncover equal parts of these.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from stimuli.images.resampling import resampled
from stimuli.io.canonical import seed_of

__all__ = [
    "EVERY_RELEVANT", "MOST_STEPS", "TINTED", "Polarity", "Rule", "Schedule", "counts", "order_of",
    "resampled", "schedule", "shown", "uncovered",
]  # fmt: skip

Polarity = Literal["positive", "absolute", "absolute_marked"]
Bytes = NDArray[np.uint8]

TINTED: Final = 128
"""Added to the step of a pixel that is shown tinted: it speaks against the class."""
MOST_STEPS: Final = TINTED - 1
TINT_SRGB: Final = (255, 0, 200)
TINT_PART: Final = 0.5
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
    """

    step_of: Bytes
    pixels: tuple[int, ...]
    ran_out: bool


def counts(total: int, steps: int) -> NDArray[np.int64]:
    """Return how many of some pixels are uncovered at steps 1 to ``steps``: ⌈k/steps · total⌉."""
    step = np.arange(1, steps + 1, dtype=np.int64)
    return -(-step * total // steps)


def order_of(
    relevance: NDArray[np.floating], *, key: str, polarity: Polarity = "positive"
) -> NDArray[np.int64]:
    """Return the relevant pixels, the most relevant first.

    Parameters
    ----------
    relevance
        (H, W), any finite numbers.
    key
        Names the map (item and method, say); among equals a hash by it decides.
    polarity
        ``positive``: pixels above 0. Else all but 0, by size whatever their sign.

    Returns
    -------
    int64 (n,)
        Places in the flattened map; pixels without relevance are not among them.

    Raises
    ------
    ValueError
        If the map isn't a finite two-dimensional array.
    """
    values = np.asarray(relevance, dtype=np.float64)
    if values.ndim != 2 or not values.size or not np.isfinite(values).all():
        raise ValueError("a map is a two-dimensional array of finite numbers")
    strength = values.ravel() if polarity == "positive" else np.abs(values).ravel()
    lots = np.random.PCG64(seed_of("reveal", key)).random_raw(strength.size)
    relevant = np.flatnonzero(strength > 0)
    return relevant[np.lexsort((lots[relevant], -strength[relevant]))]


def schedule(
    relevance: NDArray[np.floating],
    rule: Rule,
    *,
    steps: int,
    key: str,
    polarity: Polarity = "positive",
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
        As in `order_of`; with ``absolute_marked`` pixels below 0 are tinted.
    reference
        The reference's `Schedule.pixels`, for rules that follow it; None if there is none.

    Raises
    ------
    ValueError
        If the map isn't a finite two-dimensional array, or steps are too many.
    """
    if not 1 <= steps <= MOST_STEPS:
        raise ValueError(f"{steps} steps; there can be 1 to {MOST_STEPS}")
    order = order_of(relevance, key=key, polarity=polarity)
    wanted = _wanted(rule, relevance.size, len(order), steps, reference)
    pixels = np.minimum(wanted, len(order))
    step_of = np.zeros(relevance.size, dtype=np.uint8)
    step_of[order[: pixels[-1]]] = 1 + np.searchsorted(pixels, np.arange(pixels[-1]), side="right")
    if polarity == "absolute_marked":
        step_of[(step_of > 0) & (np.ravel(relevance) < 0)] += TINTED
    ran_out = bool(wanted[-1] > len(order))
    return Schedule(step_of.reshape(relevance.shape), tuple(map(int, pixels)), ran_out)


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
