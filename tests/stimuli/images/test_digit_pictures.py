"""Digits as pictures: figure, ground and hidden parts can be distinguished."""

import numpy as np
import pytest

from stimuli.images.digits import (
    GROUND_SRGB,
    INK_SRGB,
    Place,
    digit_figure,
    digit_picture,
    load_digits,
    place_by,
)


@pytest.fixture(scope="module")
def digits():
    return load_digits("uci")


@pytest.mark.parametrize("size_px", [56, 256])
def test_the_figure_is_light_and_the_rest_is_not_and_nothing_is_black(digits, size_px):
    for index in digits.held_out_indices[:20]:
        picture = digit_picture(digits.images[index], size_px)
        figure = digit_figure(digits.images[index], size_px)
        assert picture.shape == (size_px, size_px, 3)
        assert figure.shape == (size_px, size_px)
        middle = np.mean([INK_SRGB, GROUND_SRGB], axis=0)
        assert (picture[figure] >= middle - 1).all()
        assert (picture[~figure] <= middle + 1).all()
        assert picture.min() == min(GROUND_SRGB)
        assert 0.03 < figure.mean() < 0.4


def test_a_digit_lies_in_the_middle_unless_it_is_placed(digits):
    covered = np.zeros((64, 64))
    for index in digits.held_out_indices[:200]:
        covered += digit_figure(digits.images[index], 64)
    rows, columns = np.nonzero(covered)
    assert np.average(rows, weights=covered[rows, columns]) == pytest.approx(31.5, abs=2)
    assert np.average(columns, weights=covered[rows, columns]) == pytest.approx(31.5, abs=3)


def test_places_fill_the_picture_and_leave_a_margin(digits):
    """Drawn by key alone, alike at every size of the picture."""
    covered = np.zeros((100, 100))
    for index in digits.held_out_indices[:300]:
        place = place_by(f"digit {index}")
        assert place == place_by(f"digit {index}")
        figure = digit_figure(digits.images[index], 100, place)
        covered += figure
        small = digit_figure(digits.images[index], 50, place)
        assert np.abs(figure.mean() - small.mean()) < 0.02
        middles = [np.argwhere(one).mean(axis=0) / len(one) for one in (figure, small)]
        assert np.abs(middles[0] - middles[1]).max() < 0.03
    rows, columns = np.nonzero(covered)
    for side in (rows, columns):
        assert 2 <= side.min() <= 20
        assert 79 <= side.max() <= 97
    assert len({place_by(str(key)) for key in range(20)}) == 20
    corner = digit_figure(digits.images[0], 100, Place(0.5, 1.0, 0.0))
    assert np.argwhere(corner).min(axis=0)[1] > 40
    assert np.argwhere(corner).max(axis=0)[0] < 60


def test_a_blank_image_is_no_digit():
    with pytest.raises(ValueError, match="no ink"):
        digit_picture(np.zeros((8, 8)), 64)
    with pytest.raises(ValueError, match="two dimensions"):
        digit_figure(np.ones((8, 8, 3)), 64)
