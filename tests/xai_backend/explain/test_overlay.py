"""Colours and strengths of a map over its photograph."""

import numpy as np
import pytest
from PIL import Image

from xai_backend.explain.overlay import (
    AGAINST,
    BOTH,
    DIMMED,
    FOR,
    SMOOTHING,
    STRENGTH,
    overlay,
    smoothed,
    strength_and_balance,
)


def test_overlays_tell_for_from_against_and_leave_zero_clear():
    codes = np.full((10, 10, 3), 200, dtype=np.uint8)
    relevance = np.zeros((10, 10), dtype=np.float32)
    relevance[:3], relevance[7:] = 1, -1
    shown = overlay(codes, relevance).astype(int)
    assert shown.shape == (10, 10, 3)
    assert shown[0, 5, 0] > shown[0, 5, 2] + 50
    assert shown[9, 5, 2] > shown[9, 5, 0] + 50
    assert np.ptp(shown[5, 5]) <= 1
    blank = overlay(codes, np.zeros((10, 10), dtype=np.float32))
    assert np.ptp(blank) == 0


def test_signs_that_change_from_pixel_to_pixel_are_strong_and_neither():
    """A chessboard in one half, as maps of gradients are; the other half is empty."""
    relevance = np.indices((224, 224)).sum(axis=0) % 2 * 2.0 - 1
    relevance[:, 112:] = 0
    strength, balance = strength_and_balance(relevance.astype(np.float32))
    assert strength[100, 50] > 0.95
    assert abs(balance[100, 50]) < 0.01
    assert strength[100, 150] < 0.01
    shown = overlay(np.full((224, 224, 3), 90, np.uint8), relevance.astype(np.float32))
    assert shown[100, 50].mean() > 1.5 * shown[100, 150].mean()
    red, green, blue = shown[100, 50].astype(int)
    assert min(red, blue) > green + 30  # pink, neither orange nor blue


def test_an_overlay_is_its_definition_at_the_size_of_the_image():
    """Grey, dimmed; on it a shaded colour between the two signs' and pink, by opacity."""
    random = np.random.default_rng(5)
    codes = random.integers(0, 256, (40, 30, 3), dtype=np.uint8)
    relevance = random.normal(size=(40, 30)).astype(np.float32)
    strength, balance = (part[..., None] for part in strength_and_balance(relevance))
    grey = np.asarray(Image.fromarray(codes).convert("L"), dtype=float)[..., None]
    colour = np.where(balance > 0, FOR, AGAINST) * abs(balance) + BOTH * (1 - abs(balance))
    on_top = colour * (0.5 + 0.5 * grey / 255)
    opacity = STRENGTH * strength
    expected = DIMMED * grey * (1 - opacity) + opacity * on_top
    shown = overlay(codes, relevance)
    assert np.abs(shown - expected).max() <= 0.501
    assert overlay(codes.repeat(2, axis=0), relevance).shape == (80, 30, 3)


@pytest.mark.parametrize("shape", [(40, 30), (5, 9), (224, 224)])
def test_smoothing_is_scipy_s(shape):
    from scipy.ndimage import gaussian_filter

    values = np.random.default_rng(1).normal(size=shape)
    spread = SMOOTHING * min(shape)
    expected = gaussian_filter(values, spread, mode="nearest")
    assert np.abs(smoothed(values, spread) - expected).max() <= 1e-14
