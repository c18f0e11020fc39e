"""Simulated bubblers: counts are bubbles, where weights are, the same for the same key."""

import numpy as np
import pytest

from participants.studies.progressive_reveal.robots.bubblers import (
    Bubblers,
    bubble_corners,
    bubble_counts,
)


@pytest.fixture
def disc():
    y, x = np.mgrid[:256, :256]
    return ((x - 128) ** 2 + (y - 90) ** 2 < 40**2).astype(float)


def counted_slowly(size, side, tops, lefts):
    """Every pixel asks every bubble whether it lies on it."""
    counts = np.zeros((size, size))
    for y in range(size):
        for x in range(size):
            inside = (tops <= y) & (y < tops + side) & (lefts <= x) & (x < lefts + side)
            counts[y, x] = inside.sum()
    return counts


def test_counts_are_those_of_a_slow_reference():
    """Weights at the edge, so that bubbles hang over it."""
    weight = np.zeros((40, 40))
    weight[0, 5] = weight[39, 39] = weight[20, 0] = 1
    party = Bubblers(players=3, fewest=5, most=9, side_px=7, scatter_px=3, image_px=40)
    tops, lefts = bubble_corners(weight, key="k", bubblers=party)
    found = bubble_counts(weight, key="k", bubblers=party)
    assert found.dtype == np.float32
    assert (tops < 0).any()
    np.testing.assert_array_equal(found, counted_slowly(40, 7, tops, lefts))


def test_bubbles_are_as_many_and_as_large_as_was_said(disc):
    party = Bubblers(players=4, fewest=3, most=6)
    numbers = set()
    for key in range(40):
        tops, _ = bubble_corners(disc, key=str(key), bubblers=party)
        numbers.add(len(tops))
        counts = bubble_counts(disc, key=str(key), bubblers=party)
        assert counts.sum() == len(tops) * 18**2  # the disc lies far from the edge
    assert min(numbers) >= 12
    assert max(numbers) <= 24
    assert len(numbers) > 4


def test_bubbles_lie_on_the_object_and_a_little_around(disc):
    total = sum(bubble_counts(disc, key=str(key)) for key in range(30))
    near = np.zeros_like(disc, dtype=bool)
    near[90 - 75 : 90 + 75, 128 - 75 : 128 + 75] = True
    assert total[~near].sum() == 0
    assert total[disc > 0].sum() > 0.6 * total.sum()
    rows, columns = np.nonzero(total)
    assert np.average(rows, weights=total[rows, columns]) == pytest.approx(90, abs=3)
    assert np.average(columns, weights=total[rows, columns]) == pytest.approx(128, abs=3)


def test_a_key_gives_its_own_bubbles_and_sizes_go_with_the_image(disc):
    np.testing.assert_array_equal(bubble_counts(disc, key="a"), bubble_counts(disc, key="a"))
    assert (bubble_counts(disc, key="a") != bubble_counts(disc, key="b")).any()
    assert Bubblers().side_on(128) == 9
    small = bubble_counts(disc[::4, ::4], key="a")
    large = bubble_counts(disc, key="a")
    assert (small > 0).mean() == pytest.approx((large > 0).mean(), rel=0.25)


@pytest.mark.parametrize(
    "weight", [np.zeros((8, 8)), np.ones((8, 9)), -np.ones((8, 8)), np.full((8, 8), np.nan)]
)
def test_impossible_weights_are_refused(weight):
    with pytest.raises(ValueError, match="weights"):
        bubble_counts(weight, key="k")
    with pytest.raises(ValueError, match="at least one"):
        Bubblers(players=0)
