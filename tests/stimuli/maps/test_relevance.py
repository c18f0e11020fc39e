"""Map, region, contour."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import ndimage

from stimuli.maps.relevance import (
    REGION_PX,
    area_of,
    contour_image,
    dots_inside,
    pixels_of_area,
    plate_disc,
    region_bytes,
    region_from_bytes,
    region_from_map,
    smooth,
)
from stimuli.plates.packing import pack_dots

seeds = st.integers(0, 2**31)
areas = st.floats(0, 1)


def _map(seed, size=32):
    return np.random.default_rng(seed).standard_normal((size, size))


def _blob(row, column, size=112, width=8.0):
    at = np.arange(size)
    return np.exp(-((at[:, None] - row) ** 2 + (at - column) ** 2) / 2 / width**2)


@settings(max_examples=20)
@given(seeds, areas)
def test_the_area_is_exact_and_in_the_disc(seed, area):
    region = region_from_map(_map(seed), area, tie_key="a")
    assert region.sum() == round(area * plate_disc().sum())
    assert not (region & ~plate_disc()).any()
    assert area_of(region) == pytest.approx(area, abs=0.5 / plate_disc().sum() + 1e-12)


@settings(max_examples=10)
@given(seeds, st.floats(0.02, 0.5), st.floats(0.02, 0.5))
def test_a_larger_area_holds_the_smaller(seed, one, other):
    small, large = (region_from_map(_map(seed), a, tie_key="k") for a in sorted((one, other)))
    assert not (small & ~large).any()


@settings(max_examples=15)
@given(st.floats(1e-6, 1e6))
def test_the_scale_of_a_map_does_not_matter(scale):
    values = _blob(40, 60)
    assert np.array_equal(region_from_map(values * scale, 0.1), region_from_map(values, 0.1))


def test_negative_relevance_counts_as_none():
    values = _blob(40, 60)
    # As strong a blob against the answer must not show.
    assert np.array_equal(
        region_from_map(values - 5 * (_blob(80, 30) > 0.5), 0.05), region_from_map(values, 0.05)
    )


def test_row_0_is_the_top():
    region = region_from_map(_blob(30, 80), 0.02)
    rows, columns = np.nonzero(region)
    assert rows.mean() == pytest.approx(30.5 / 112 * REGION_PX - 0.5, abs=1)
    assert columns.mean() == pytest.approx(80.5 / 112 * REGION_PX - 0.5, abs=1)


@pytest.mark.parametrize("values", [np.zeros((112, 112)), -np.ones((9, 9)), np.ones((50, 50))])
def test_a_blank_map_gives_a_region_that_its_key_alone_decides(values):
    one, again, other = (region_from_map(values, 0.15, tie_key=k) for k in ("a", "a", "b"))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)
    assert one.sum() == other.sum() == pixels_of_area(0.15)


def test_a_known_key_gives_a_known_region():
    region = region_from_map(np.zeros((10, 10)), 0.15, tie_key="plate-1")
    rows, columns = np.nonzero(region)
    assert (int(rows.sum()), int(columns.sum())) == (130862, 126502)


@pytest.mark.parametrize("size", [(7, 7), (14, 14), (112, 112), (224, 224), (300, 200), (1, 1)])
def test_a_map_of_any_size_is_taken(size):
    assert region_from_map(np.ones(size), 0.3).sum() == pixels_of_area(0.3)


@pytest.mark.parametrize(
    "values", [np.ones(5), np.ones((2, 2, 2)), np.array([[np.nan]]), np.ones((0, 3))]
)
def test_what_is_no_map_is_refused(values):
    with pytest.raises(ValueError, match="a map is"):
        region_from_map(values, 0.1)


@pytest.mark.parametrize("area", [-0.1, 1.1, float("nan")])
def test_an_impossible_area_is_refused(area):
    with pytest.raises(ValueError, match="area"):
        region_from_map(np.ones((4, 4)), area)


def test_smoothing_is_a_gaussian_sum():
    """Slow reference: every pixel's share to every other, straight from the definition."""
    values = np.random.default_rng(0).random((9, 11))
    row, column = np.mgrid[:9, :11]
    weight = np.exp(-0.5 * (np.arange(-40, 41) / 1.7) ** 2).sum()
    slow = np.zeros((9, 11))
    for i in range(9):
        for j in range(11):
            slow[i, j] = (
                values * np.exp(-((row - i) ** 2 + (column - j) ** 2) / 2 / 1.7**2)
            ).sum() / weight**2
    assert np.allclose(smooth(values, 1.7), slow)


@settings(max_examples=20)
@given(seeds)
def test_a_region_survives_its_bytes_and_all_are_equally_long(seed):
    rng = np.random.default_rng(seed)
    region = rng.random((REGION_PX, REGION_PX)) < rng.random()
    data = region_bytes(region)
    assert len(data) == REGION_PX**2 // 8
    assert np.array_equal(region_from_bytes(data), region)


@pytest.mark.parametrize("data", [b"", b"abc", bytes(2047)])
def test_bytes_of_another_length_are_no_region(data):
    with pytest.raises(ValueError, match="no region"):
        region_from_bytes(data)


def _disc_region(radius):
    at = np.arange(REGION_PX) + 0.5 - REGION_PX / 2
    return np.hypot(at[:, None], at) <= radius


def test_a_contour_is_white_inside_black_outside_and_as_wide_as_asked():
    """A disc of radius 40 of 128, drawn at 512: lines of 3 px either side of 160 px."""
    picture = contour_image(_disc_region(40), 512, line_px=3).astype(float)
    from_centre = np.arange(256) + 0.5
    alpha, shade = picture[256, 256:, 3] / 255, picture[256, 256:, 0] / 255
    assert alpha.sum() == pytest.approx(6, abs=0.5)
    assert (alpha * shade).sum() == pytest.approx(3, abs=0.5)
    white, black = (alpha * shade), (alpha * (1 - shade))
    assert (white * from_centre).sum() / white.sum() == pytest.approx(158.5, abs=1.0)
    assert (black * from_centre).sum() / black.sum() == pytest.approx(161.5, abs=1.0)
    assert alpha[:140].max() == 0
    assert alpha[180:].max() == 0


@settings(max_examples=6)
@given(seeds, st.sampled_from([240, 512]))
def test_a_contour_is_closed(seed, size):
    """From outside one can't walk into the region without crossing the line."""
    region = region_from_map(_map(seed, 6), 0.2, tie_key="x")
    alpha = contour_image(region, size, 2.0)[..., 3]
    # Half a line's alpha: the walk may not slip through an antialiased pixel.
    free = np.pad(alpha < 128, 1, constant_values=True)
    walks, _ = ndimage.label(free)
    reached = walks == walks[0, 0]
    at = ((np.arange(size) + 0.5) / size * REGION_PX).astype(int)
    deep = smooth(region, 2.0) > 0.9
    assert not (reached[1:-1, 1:-1] & deep[np.ix_(at, at)]).any()


def test_no_region_has_no_contour():
    assert not contour_image(np.zeros((REGION_PX, REGION_PX), bool), 256)[..., 3].any()


def test_dots_inside_are_those_in_the_region_or_near():
    """Slow reference: distance from each dot to each pixel's centre."""
    region = np.zeros((REGION_PX, REGION_PX), bool)
    region[20:50, 60:90] = True
    dots = pack_dots(1)
    at = (np.arange(REGION_PX) + 0.5) / REGION_PX * 2 - 1
    rows, columns = np.nonzero(region)
    distance = np.hypot(dots.x[:, None] - at[columns], -dots.y[:, None] - at[rows]).min(axis=1)
    inside = dots_inside(region, dots, dilate=0.05)
    assert inside[distance < 0.03].all()
    assert not inside[distance > 0.07].any()
    assert dots_inside(region, dots, dilate=0.0).sum() < inside.sum()
