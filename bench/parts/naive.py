"""The packer that is usually written: throw a dot, compare it with all others, throw again."""

import numpy as np
from numpy.typing import NDArray

from stimuli.plates.packing import Packing


def pack_naively(radius: NDArray[np.float32], gap: float, seed: int) -> Packing:
    """Return a packing of dots of these radii, largest first, by plain rejection.

    One throw at a time, uniform in the square around the plate; the distances to all
    dots that stand are taken in numpy.
    """
    rng = np.random.default_rng(seed)
    x, y = np.zeros(len(radius)), np.zeros(len(radius))
    for placed, own in enumerate(radius.astype(np.float64)):
        while True:
            px, py = rng.uniform(-1, 1, 2)
            if px * px + py * py > (1 - own) ** 2:
                continue
            dx, dy = x[:placed] - px, y[:placed] - py
            contact = radius[:placed] + own + gap
            if not (dx * dx + dy * dy < contact * contact).any():
                break
        x[placed], y[placed] = px, py
    return Packing(x.astype(np.float32), y.astype(np.float32), radius)
