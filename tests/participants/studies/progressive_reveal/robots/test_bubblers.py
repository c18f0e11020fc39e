"""Simulated bubblers: strokes of a brush over what is worth showing, the same for the same key."""

import numpy as np
import pytest
from scipy import ndimage

from participants.robots.strokes import strokes_of
from participants.studies.progressive_reveal.bubbles import BUBBLE_PX, bubble_counts
from participants.studies.progressive_reveal.robots.bubblers import (
    LOOK_PX,
    Bubblers,
    bubbled_by_robots,
    parts_of,
)
from stimuli.images.filters import resampled
from stimuli.io.canonical import seed_of


@pytest.fixture
def disc():
    y, x = np.mgrid[:256, :256]
    return ((x - 128) ** 2 + (y - 90) ** 2 < 50**2).astype(float)


def test_counts_are_the_bubbles_of_every_players_strokes(disc):
    """Once more by the parts: the strokes of all our robots, and the bubbles of a session."""
    party = Bubblers(players=3)
    expected = np.zeros((256, 256), dtype=np.float32)
    for player in range(3):
        rng = np.random.Generator(np.random.PCG64(seed_of("bubblers", "k", player)))
        share = rng.uniform(party.least_share, party.most_share)
        speed = 4 * rng.uniform(party.slowest_px_s, party.fastest_px_s)
        for part in parts_of(resampled(disc, LOOK_PX), share, 3, rng):
            expected += bubble_counts(strokes_of(part, rng, radius=36, speed_per_s=speed))
    found = bubbled_by_robots(disc, key="k", bubblers=party)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, expected)


def test_a_player_goes_over_one_part_not_over_the_whole_picture(disc):
    """Bubbles of one player touch: no single squares strewn over the object."""
    for key in range(4):
        counts = bubbled_by_robots(disc, key=str(key), bubblers=Bubblers(players=1))
        _, parts = ndimage.label(counts > 0, structure=np.ones((3, 3)))
        assert parts == 1
        assert (counts > 0).sum() > 1.5 * BUBBLE_PX**2


def test_bubbles_lie_on_the_object_and_a_little_around(disc):
    total = sum(bubbled_by_robots(disc, key=str(key)) for key in range(6))
    near = ndimage.binary_dilation(disc > 0, iterations=2 * BUBBLE_PX)
    assert total[~near].sum() == 0
    assert total[disc > 0].sum() > 0.8 * total.sum()
    rows, columns = np.nonzero(total)
    assert np.average(rows, weights=total[rows, columns]) == pytest.approx(90, abs=6)
    assert np.average(columns, weights=total[rows, columns]) == pytest.approx(128, abs=6)


def test_a_part_is_what_is_worth_most_near_where_a_player_begins():
    seen = np.zeros((LOOK_PX, LOOK_PX))
    seen[10:20, 10:20] = seen[50:60, 50:60] = 1

    def part_of(share, seed):
        return next(parts_of(seen, share, 1, np.random.default_rng(seed)))

    parts = [part_of(0.01, seed) for seed in range(30)]
    for part in parts:
        assert part.sum() == round(0.01 * LOOK_PX**2)
        assert part[10:20, 10:20].any() != part[50:60, 50:60].any()
        assert (seen[part] > 0).all()
    assert {bool(part[:32].any()) for part in parts} == {True, False}
    assert part_of(0.9, 0).sum() == 200


@pytest.mark.slow
def test_a_key_gives_its_own_bubbles_and_any_size_will_do(disc):
    np.testing.assert_array_equal(
        bubbled_by_robots(disc, key="a"), bubbled_by_robots(disc, key="a")
    )
    assert (bubbled_by_robots(disc, key="a") != bubbled_by_robots(disc, key="b")).any()
    small = bubbled_by_robots(disc[::4, ::4], key="a")
    assert small.shape == (256, 256)
    assert (small > 0).mean() == pytest.approx(
        (bubbled_by_robots(disc, key="a") > 0).mean(), rel=0.2
    )


@pytest.mark.parametrize(
    "weight", [np.zeros((8, 8)), np.ones((8, 9)), -np.ones((8, 8)), np.full((8, 8), np.nan)]
)
def test_impossible_weights_are_refused(weight):
    with pytest.raises(ValueError, match="weights"):
        bubbled_by_robots(weight, key="k")


@pytest.mark.parametrize(
    "wrong",
    [{"players": 0}, {"passes": 0}, {"least_share": 0.5, "most_share": 0.1}, {"slowest_px_s": 0.0}],
)
def test_impossible_groups_are_refused(wrong):
    with pytest.raises(ValueError, match="bubblers"):
        Bubblers(**wrong)
