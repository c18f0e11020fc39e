"""Robots in place of ClickMe's players: bubbles on what shows an image's class.

A player of ClickMe bubbles those parts of an image by which somebody else is to recognise
it; a map counts, pixel by pixel, the bubbles of several players (Dawoud et al. 2023,
section III). These robots are no model of people: they know where the object is, and are
named as simulated wherever their maps go.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stimuli.io.canonical import seed_of

Floats = NDArray[np.floating]


@dataclass(frozen=True, slots=True)
class Bubblers:
    """A group of robots that bubble one image after the other.

    Attributes
    ----------
    players
        How many bubble each image.
    fewest, most
        Bubbles that a player sets on an image; drawn evenly between, both included.
    side_px
        Side of a bubble, a square, in pixels of an image of ``image_px``.
    scatter_px
        SD of where a bubble lies about the place that was meant, each way.
    image_px
        Side of the image that the two lengths are for; on others they grow in proportion.
    """

    players: int = 5
    fewest: int = 1
    most: int = 9
    side_px: float = 18.0
    scatter_px: float = 6.0
    image_px: int = 256

    def __post_init__(self) -> None:
        if self.players < 1 or not 1 <= self.fewest <= self.most:
            raise ValueError("bubblers: at least one player and one bubble are needed")
        if min(self.side_px, self.image_px) <= 0 or self.scatter_px < 0:
            raise ValueError("bubblers: sizes are above 0")

    def side_on(self, size_px: int) -> int:
        """Return a bubble's side on an image of ``size_px``, in whole pixels."""
        return max(1, round(self.side_px * size_px / self.image_px))


def bubble_counts(weight: Floats, *, key: str, bubblers: Bubblers = Bubblers()) -> Floats:
    """Return how many bubbles lie on each pixel.

    Parameters
    ----------
    weight
        (size, size), ≥ 0: how likely a bubble is meant for each pixel, such as 1 on the
        object and 0 elsewhere.
    key
        Root of every draw: the same key and weights give the same bubbles.
    bubblers
        Who bubbles.

    Returns
    -------
    float32 (size, size)
        Counts; 0 where nobody set a bubble.

    Raises
    ------
    ValueError
        If the weights aren't a square of finite numbers ≥ 0, or are all 0.
    """
    tops, lefts = bubble_corners(weight, key=key, bubblers=bubblers)
    size, side = len(weight), bubblers.side_on(len(weight))
    counts = np.zeros((size, size), dtype=np.float32)
    for top, left in zip(tops.tolist(), lefts.tolist(), strict=True):
        counts[max(top, 0) : max(top + side, 0), max(left, 0) : max(left + side, 0)] += 1
    return counts


def bubble_corners(
    weight: Floats, *, key: str, bubblers: Bubblers = Bubblers()
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the top rows and left columns of all bubbles; see `bubble_counts`."""
    wanted = np.asarray(weight, dtype=np.float64)
    if wanted.ndim != 2 or wanted.shape[0] != wanted.shape[1]:
        raise ValueError(f"weights are {wanted.shape}, not a square")
    if not np.isfinite(wanted).all() or wanted.min() < 0 or wanted.max() <= 0:
        raise ValueError("weights must be finite, 0 or more, and not all 0")
    size = len(wanted)
    rng = np.random.Generator(np.random.PCG64(seed_of("bubblers", key)))
    bubbles = int(rng.integers(bubblers.fewest, bubblers.most + 1, bubblers.players).sum())
    up_to = np.cumsum(wanted.ravel())
    meant = np.searchsorted(up_to, rng.random(bubbles) * up_to[-1], side="right")
    scatter = rng.normal(0, bubblers.scatter_px * size / bubblers.image_px, (2, bubbles))
    centres = np.stack(np.divmod(meant, size)) + 0.5 + scatter
    # Middles stay on the image; a bubble may reach over its edge.
    centres = centres.clip(0, size)
    tops, lefts = np.rint(centres - bubblers.side_on(size) / 2).astype(np.int64)
    return tops, lefts
