import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stimuli.relevance import plate_disc, region_from_map
from stimuli.studies.accept_reject.controls import (
    PLAUSIBLE_WRONG,
    any_digit,
    elsewhere,
    plausible_wrong,
    shuffled,
)


@pytest.fixture(params=range(5))
def region(request):
    rng = np.random.Generator(np.random.PCG64(request.param))
    return region_from_map(rng.random((9, 9)), 0.25, 64, 3.0, str(request.param))


def test_elsewhere_keeps_the_area_within_the_plate_and_leaves_the_place(region):
    moved = elsewhere(region)
    assert moved.sum() == region.sum()
    assert not (moved & ~plate_disc(64)).any()
    assert (moved & region).sum() < 0.6 * region.sum()


def test_shuffled_keeps_the_area_within_the_plate_and_breaks_the_shape(region):
    mixed = shuffled(region, "key")
    assert mixed.sum() == region.sum()
    assert not (mixed & ~plate_disc(64)).any()
    assert (mixed != region).any()
    assert (shuffled(region, "key") == mixed).all()
    assert (shuffled(region, "other") != mixed).any()


@given(st.sampled_from(sorted(PLAUSIBLE_WRONG)), st.integers())
def test_a_wrong_digit_is_wrong_and_the_same_for_the_same_key(label, key):
    wrong = plausible_wrong(label, key)
    assert wrong != label
    assert wrong in "0123456789"
    assert wrong == plausible_wrong(label, key)


def test_any_digit_takes_every_digit():
    assert {any_digit("k", n) for n in range(200)} == set("0123456789")
