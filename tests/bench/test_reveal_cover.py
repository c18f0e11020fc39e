"""What the bench says of where maps point is so, and its bar can be missed."""

import numpy as np
import pytest

from bench.parts.reveal_cover import by_chance, in_one_place, on_strokes, strokes
from bench.parts.reveal_protopnet_told import within_two_points
from xai_backend.protopnet.backbone import Lattice

SIDE = 24


@pytest.fixture
def figures():
    """A bar and a ring."""
    down, across = np.mgrid[:SIDE, :SIDE]
    apart = np.hypot(down - 12, across - 10)
    return np.stack([(across >= 4) & (across < 7), (apart > 5) & (apart < 8)])


def slow_share(values, figure):
    """Pixel by pixel: how many of the strongest have some stroke at most 2 pixels away."""
    ranked = sorted(np.ndindex(*figure.shape), key=lambda at: -values[at])
    ink = np.argwhere(figure)
    chosen = ranked[: len(ink)]
    return np.mean([np.hypot(*(ink - np.array(at)).T).min() <= 2 for at in chosen])


def test_the_share_on_strokes_is_that_of_a_count_pixel_by_pixel(figures):
    maps = np.random.Generator(np.random.PCG64(2)).random(figures.shape, dtype=np.float32)
    expected = [slow_share(*one) for one in zip(maps, figures, strict=True)]
    assert on_strokes(maps, figures).tolist() == pytest.approx(expected)


def test_a_map_of_the_strokes_has_all_and_a_map_of_the_ground_next_to_nothing(figures):
    assert on_strokes(figures.astype(np.float32), figures).tolist() == [1.0, 1.0]
    ground = 1 - strokes(figures).astype(np.float32)
    assert on_strokes(ground, figures).tolist() == [0.0, 0.0]
    drawn = np.random.Generator(np.random.PCG64(3)).random((200, SIDE, SIDE))
    anywhere = on_strokes(drawn, np.repeat(figures[:1], 200, axis=0)).mean()
    assert anywhere == pytest.approx(by_chance(figures[:1]), abs=0.02)


def test_no_spot_around_a_cell_has_more_than_the_one_that_is_said(figures):
    lattice = Lattice(0, 8)
    best = in_one_place(figures, 3, lattice)
    down, across = np.mgrid[:SIDE, :SIDE]
    spots = [-np.hypot(down - y, across - x) for y in (0, 8, 16) for x in (0, 8, 16)]
    for figure, value in zip(figures, best, strict=True):
        assert value == pytest.approx(max(slow_share(spot, figure) for spot in spots), abs=0.03)
        assert by_chance(figure[None]) < value <= 1


@pytest.mark.parametrize(("behind", "met"), [(-0.01, True), (0.02, True), (0.021, False)])
def test_two_points_are_the_bar_and_the_worst_is_what_counts(behind, met):
    found = [
        {"source": "uci", "seed": seed, "accuracy": {"plain": 1.0, "protopnet": 1.0 - less}}
        for seed, less in ((1, -0.05), (2, behind))
    ]
    line = within_two_points(found)
    assert line["met"] is met
    assert "UCI, seed 2" in line["measured"]
