"""A mask's values between pixels, and what a part of a mask can change."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments.strokes.easel import reached, spread
from participants.strokes import MASK_PX


@pytest.mark.parametrize("side_px", [100, 256, 700])
def test_pixels_lie_linearly_between_the_middles_of_mask_values(side_px):
    """Slow reference: one pixel at a time, by interpolation between two neighbours."""
    values = np.random.Generator(np.random.PCG64(1)).random(MASK_PX)
    middles = (np.arange(MASK_PX) + 0.5) / MASK_PX
    wanted = [np.interp((pixel + 0.5) / side_px, middles, values) for pixel in range(side_px)]
    assert np.allclose(spread(side_px) @ values, wanted, atol=1e-5)


@settings(max_examples=60, deadline=None)
@given(
    side_px=st.integers(64, 900),
    start=st.integers(0, MASK_PX - 1),
    length=st.integers(1, 80),
    seed=st.integers(0, 99),
)
def test_a_changed_part_reaches_no_pixel_that_is_not_made_anew(side_px, start, length, seed):
    weights = spread(side_px)
    changed = slice(start, min(start + length, MASK_PX))
    before = np.random.Generator(np.random.PCG64(seed)).random(MASK_PX).astype(np.float32)
    after = before.copy()
    after[changed] = 1 - after[changed]
    pixels, values = reached(weights, changed)
    shown = weights @ before
    shown[pixels] = weights[pixels, values] @ after[values]
    assert np.allclose(shown, weights @ after, atol=1e-5)
