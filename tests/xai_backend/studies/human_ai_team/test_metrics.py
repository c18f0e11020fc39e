"""What metrics say of maps: hand-worked cases, and one threshold for an arm."""

import numpy as np
import pytest

from stimuli.protocol import load_protocol
from stimuli.studies.human_ai_team.material import Metric
from xai_backend.studies.human_ai_team.draw import Judged
from xai_backend.studies.human_ai_team.gather import metrics_of

RULE = load_protocol("human_ai_team", None, {"metrics": {"pointing_tolerance_px": 1.0}}).metrics
BOX = (2.0, 2.0, 6.0, 6.0)


def steps_map(*patches):
    """Rectangles (value, x0, y0, x1, y1) on nothing, 10 by 10."""
    values = np.zeros((10, 10), dtype=np.float32)
    for value, left, top, right, lower in patches:
        values[top:lower, left:right] = value
    return values


def found_of(maps, wrong=(), attacked=()):
    judged = [
        Judged(item, "a", "b" if item in wrong else "a", 0.9, item in attacked) for item in maps
    ]
    return metrics_of("x", maps, dict.fromkeys(maps, (BOX,)), judged, RULE)


def test_a_map_that_is_the_box_hits_everything():
    assert found_of({"i": steps_map((1, 2, 2, 6, 6))}) == {("i", "x"): Metric(1.0, 1.0, 1.0)}


def test_overlaps_are_counted_in_pixels():
    """Half of the box: 8 of 16 pixels; the boxes' overlap is .5, which isn't more than .5."""
    assert found_of({"i": steps_map((1, 2, 2, 4, 6))}) == {("i", "x"): Metric(1.0, 0.5, 0.0)}
    # 12 of 16 pixels and 3 beside them.
    found = found_of({"i": steps_map((1, 3, 2, 6, 6), (1, 9, 0, 10, 3))})
    assert found["i", "x"].iou == pytest.approx(12 / 19)


@pytest.mark.parametrize(("place", "hit"), [(6, 1.0), (7, 0.0)])
def test_the_pointing_game_forgives_what_is_near(place, hit):
    found = found_of({"i": steps_map((0.5, 2, 2, 6, 6), (1, place, 3, place + 1, 4))})
    assert found["i", "x"].pointing_game == hit


def test_an_empty_map_misses_everything():
    assert found_of({"i": steps_map()}) == {("i", "x"): Metric(0.0, 0.0, 0.0)}


def test_one_threshold_for_an_arm_by_images_as_they_are_that_the_ai_gets_right():
    """By the first alone a threshold above .2 is best; the others would want one below."""
    narrow = steps_map((0.2, 0, 0, 10, 10), (1, 2, 2, 6, 6))
    wide = steps_map((0.2, 2, 2, 6, 6), (1, 2, 2, 3, 3))
    maps = {"first": narrow, "second": wide, "third": wide}
    found = found_of(maps, wrong=("second",), attacked=("third",))
    assert found["first", "x"].iou == 1
    assert found["second", "x"].iou == found["third", "x"].iou == pytest.approx(1 / 16)
