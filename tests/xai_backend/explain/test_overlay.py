"""Colours and strengths of a map over its photograph."""

import numpy as np

from xai_backend.explain.overlay import overlay, strength_and_balance


def test_overlays_tell_for_from_against_and_leave_zero_clear():
    codes = np.full((10, 10, 3), 200, dtype=np.uint8)
    relevance = np.zeros((10, 10), dtype=np.float32)
    relevance[:3], relevance[7:] = 1, -1
    shown = overlay(codes, relevance).astype(int)
    assert shown.shape == (20, 20, 3)
    assert shown[1, 5, 0] > shown[1, 5, 2] + 50
    assert shown[18, 5, 2] > shown[18, 5, 0] + 50
    assert np.ptp(shown[10, 5]) <= 1
    blank = overlay(codes, np.zeros((10, 10), dtype=np.float32))
    assert np.ptp(blank) == 0


def test_a_few_extremes_do_not_hide_the_rest():
    relevance = np.full((100, 100), 0.5, dtype=np.float32)
    relevance[0, :10] = 1000
    strength, _ = strength_and_balance(relevance)
    assert strength[50, 50] > 0.8
    lonely = np.zeros((100, 100), dtype=np.float32)
    lonely[3, 3] = -2
    strength, balance = strength_and_balance(lonely)
    assert strength[3, 3] == 1
    assert balance[3, 3] == -1
    assert strength[50, 50] == 0


def test_signs_that_change_from_pixel_to_pixel_are_strong_and_neither():
    """A chessboard in one half, as maps of gradients are; the other half is empty."""
    relevance = np.indices((224, 224)).sum(axis=0) % 2 * 2.0 - 1
    relevance[:, 112:] = 0
    strength, balance = strength_and_balance(relevance.astype(np.float32))
    assert strength[100, 50] > 0.95
    assert abs(balance[100, 50]) < 0.01
    assert strength[100, 150] < 0.01
    shown = overlay(np.full((224, 224, 3), 90, np.uint8), relevance.astype(np.float32))
    assert shown[200, 100].mean() > 1.5 * shown[200, 300].mean()
    red, green, blue = shown[200, 100].astype(int)
    assert min(red, blue) > green + 30  # pink, neither orange nor blue
