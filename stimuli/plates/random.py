"""One seed, several streams that don't know of each other."""

import numpy as np

PACKING = 1
NOISE = 2


def generator(seed: int, stream: int) -> np.random.Generator:
    """Return the PCG64 generator of a seed (≥ 0) and of what it is drawn for."""
    if seed < 0:
        raise ValueError(f"seed is {seed}, must be ≥ 0")
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, stream])))
