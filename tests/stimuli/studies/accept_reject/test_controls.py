import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stimuli.maps.relevance import plate_disc, region_from_map
from stimuli.studies.accept_reject.lists import (
    PLAUSIBLE_WRONG,
    any_digit,
    elsewhere,
    plausible_wrong,
    shuffled,
    strewn,
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


def test_strewn_discs_keep_the_area_and_meet_a_region_as_chance_would():
    _, columns = np.mgrid[:64, :64]
    region = plate_disc(64) & (abs(columns - 20) < 6)
    found = [strewn(region, "key", number) for number in range(60)]
    assert {int(one.sum()) for one in found} == {int(region.sum())}
    assert (strewn(region, "key", 0) == found[0]).all()
    met = np.mean([(one & region).sum() / region.sum() for one in found])
    assert met == pytest.approx(region.sum() / plate_disc(64).sum(), abs=0.05)


@given(st.sampled_from(sorted(PLAUSIBLE_WRONG)), st.integers())
def test_a_wrong_digit_is_wrong_and_the_same_for_the_same_key(label, key):
    wrong = plausible_wrong(label, key)
    assert wrong != label
    assert wrong in "0123456789"
    assert wrong == plausible_wrong(label, key)


def test_any_digit_takes_every_digit():
    assert {any_digit("k", n) for n in range(200)} == set("0123456789")
