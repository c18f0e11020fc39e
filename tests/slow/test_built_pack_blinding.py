"""A pack that was really built, network and robots' paintings: nothing on its lead's side tells."""

import pytest

from tests.stimuli.studies.accept_reject.built import DISCS, SMALL, build_small
from tests.stimuli.studies.accept_reject.lead_side import FORM, guessing, lead_side, seconds_to_draw

KINDS = ("items", "size", "order", "area", "abstention")


@pytest.fixture(scope="module", params=[SMALL, DISCS], ids=["free", "discs"])
def seen(request, tmp_path_factory):
    pack = build_small(tmp_path_factory.mktemp("built"), request.param).pack
    table = lead_side(pack)
    return pack, table[table["items_rung"] == 1].reset_index(drop=True)


@pytest.mark.slow
@pytest.mark.parametrize("kinds", [*((kind,) for kind in KINDS), KINDS], ids="+".join)
def test_no_feature_tells_the_solver_of_a_built_pack(seen, kinds):
    area, limit = guessing(seen[1], kinds)
    assert area < limit < 0.65


@pytest.mark.slow
def test_the_time_to_draw_a_contour_tells_nothing(seen):
    """What a lead might wait for between trials is no longer for one solver."""
    pack, table = seen
    drawn = table[table["explained"] & (table["abstention_no_region"] == 0)]
    drawn = drawn.reset_index(drop=True)
    timed = drawn.assign(timing_draw_s=seconds_to_draw(pack, drawn))
    area, limit = guessing(timed, ("timing",))
    assert area < limit < 0.70
    slower_for_one = timed["timing_draw_s"] * (1 + 0.5 * (timed["solver"] == "S"))
    area, limit = guessing(timed.assign(timing_draw_s=slower_for_one), ("timing",))
    assert area > limit


@pytest.mark.slow
def test_the_form_of_discs_tells_nothing_and_that_of_a_free_outline_does(seen):
    pack, table = seen
    explained = table[table["explained"] & (table["abstention_no_region"] == 0)]
    area, limit = guessing(explained.reset_index(drop=True), FORM)
    assert limit < 0.70
    assert (area < limit) == (pack.protocol.explanation.outline == "discs")


@pytest.mark.slow
def test_the_areas_of_a_plates_regions_are_equal(seen):
    table = seen[1]
    explained = table[table["explained"] & (table["abstention_no_region"] == 0)]
    by_item = explained.groupby("item")["area_pixels"].nunique()
    assert (by_item == 1).all()
