"""Digits as pictures: figure and ground can be told from each other, and from what is hidden."""

import numpy as np
import pytest

from stimuli.digits import load_digits
from stimuli.studies.progressive_reveal.digit_pictures import (
    DIGIT_NAMES,
    GROUND_SRGB,
    INK_SRGB,
    digit_figure,
    digit_picture,
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


def test_a_digit_lies_in_the_middle_and_off_the_edge(digits):
    covered = np.zeros((64, 64))
    for index in digits.held_out_indices[:200]:
        covered += digit_figure(digits.images[index], 64)
    rows, columns = np.nonzero(covered)
    assert rows.min() >= 3
    assert rows.max() <= 60
    assert columns.min() >= 3
    assert columns.max() <= 60
    assert np.average(rows, weights=covered[rows, columns]) == pytest.approx(31.5, abs=2)
    assert np.average(columns, weights=covered[rows, columns]) == pytest.approx(31.5, abs=3)


def test_a_blank_image_is_no_digit():
    with pytest.raises(ValueError, match="no ink"):
        digit_picture(np.zeros((8, 8)), 64)
    with pytest.raises(ValueError, match="two dimensions"):
        digit_figure(np.ones((8, 8, 3)), 64)


def test_every_digit_has_a_word_and_its_sign_in_each_language():
    for language in ("", "de"):
        words = [DIGIT_NAMES[str(digit), language] for digit in range(10)]
        assert len(set(words)) == 10
        assert [word.partition("|")[2] for word in words] == list("0123456789")
