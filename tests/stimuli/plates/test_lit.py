"""Plates that anyone can read."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stimuli.colour.display import lms_to_linear
from stimuli.colour.spaces import AXES
from stimuli.images.digits import load_digits
from stimuli.plates.masks import digit_mask, no_numeral_mask
from stimuli.plates.observer import (
    DigitTemplates,
    Observer,
    ShownPlate,
    reading_rate,
)
from stimuli.plates.plate import is_lit, lit, make_plate, plate_bytes
from stimuli.plates.spec import largest_contrast, spec_for_axis, with_contrast

DIGITS = load_digits("uci")


def _plate(number, spec=None):
    spec = spec or spec_for_axis("deutan")
    return make_plate(digit_mask(DIGITS.images[number], spec), number, number, spec)


@pytest.fixture(scope="module")
def templates():
    train = DIGITS.train_indices
    return DigitTemplates.from_images(DIGITS.images[train], DIGITS.labels[train], 20)


@settings(max_examples=8, deadline=None)
@given(number=st.integers(0, 1700), axis=st.sampled_from(AXES))
def test_only_light_changes_and_every_dot_still_fits_the_display(number, axis):
    spec = spec_for_axis(axis)
    plain = _plate(number, spec)
    light = lit(plain, spec)
    assert is_lit(light)
    assert light.packing is plain.packing
    ratio = light.lms / plain.lms
    assert np.allclose(ratio, ratio[:, :1], rtol=1e-5)
    assert len(plate_bytes(light)) == len(plate_bytes(plain))
    top = with_contrast(light.lms, light.figure, axis, largest_contrast(axis, spec), spec)
    linear = lms_to_linear(top)
    assert linear.min() >= -1e-6
    assert linear.max() <= 1 + 1e-6


def test_a_plate_is_lit_only_by_its_own_figure():
    assert not is_lit(_plate(3))
    blank = make_plate(no_numeral_mask(), 1, 1)
    assert not is_lit(blank)
    assert not is_lit(lit(blank))


@pytest.fixture(scope="module")
def plates():
    held_out = DIGITS.held_out_indices[:40]
    return [(lit(_plate(int(index))), int(DIGITS.labels[index])) for index in held_out]


@pytest.mark.parametrize("axis", AXES[:2])
@pytest.mark.parametrize("strength", [0.0, 0.65, 1.0])
def test_anyone_reads_a_lit_plate_within_three_seconds(templates, plates, axis, strength):
    """Normal, anomalous and dichromat alike, at any contrast of colour."""
    rng = np.random.Generator(np.random.PCG64(1))
    for contrast in (0.0, 0.097):
        observer = Observer(axis, strength)
        shown = [(ShownPlate(plate, axis, contrast), digit) for plate, digit in plates]
        rate = reading_rate(observer, templates, shown, 3.0, rng)
        assert rate >= 0.95
