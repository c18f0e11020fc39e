import sys

import pytest

from tests.experiments.windows.probing import told_by
from tests.experiments.windows.stamps import assert_stamped_as_made

pytestmark = [
    pytest.mark.window,
    pytest.mark.skipif(sys.platform != "linux", reason="needs a virtual display"),
]

FRAME_S = 1 / 60


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    return told_by("probe.py", tmp_path_factory.mktemp("home"))


def test_a_display_without_vsync_is_paced_by_the_clock_and_says_so(seen):
    assert (seen["pacing"], seen["hz"], seen["size"]) == ("software", pytest.approx(60), [800, 600])
    assert seen["backend"] == "ptb"


def test_a_window_opens_without_spreadsheets_and_icon_and_with_the_collector_on(seen):
    """A start that imports and converts them takes half a second longer."""
    assert seen["start"] == {"unused": [], "icon": False, "collects": True}


def test_a_flip_waits_for_its_time_right_before_the_swap_when_events_are_handled(seen):
    """A press that PsychoPy handles after the wait would make the frame late."""
    assert seen["swap"] == {"order": ["events", "wait", "swap"], "in_swap": True}


def test_the_software_renderer_has_no_thread_of_its_own(seen):
    """Its threads write into freed memory (`experiments.engine.virtual_display`)."""
    assert not [name for name in seen["threads"] if name.startswith("llvmpipe")]


def test_pictures_come_out_pixel_for_pixel_and_touch_nothing_else(seen):
    assert seen["pixels"]["exact"]
    assert seen["pixels"]["clear"]


def test_enlarged_pixels_are_squares_of_the_screens_and_nothing_is_interpolated(seen):
    assert seen["enlarged"]


def test_the_marker_is_white_on_critical_frames_and_black_on_others(seen):
    assert seen["pixels"]["marker"] == [0, 255]


def test_no_press_is_lost_however_short(seen):
    assert seen["presses"]["lost"] == 0


def test_presses_carry_the_time_at_which_they_were_made(seen):
    assert_stamped_as_made(seen["presses"]["errors_s"])


def test_mouse_buttons_are_stamped_as_they_go_down_and_none_is_lost(seen):
    assert seen["clicks"]["keys"] == ["mouse left", "mouse right"] * 7
    assert_stamped_as_made(seen["clicks"]["errors_s"])


def test_of_two_keys_in_one_frame_the_first_answers(seen):
    assert seen["both"]["key"] == "f"


def test_a_key_held_from_before_is_not_an_answer(seen):
    assert seen["held"]["key"] == "j"
    assert seen["held"]["rt_s"] > 0.1


def test_without_an_answer_the_limit_takes_the_stimulus_away(seen):
    assert seen["limit"]["key"] is None
    assert seen["limit"]["on_s"] > 0.3 - FRAME_S / 2
    assert seen["limit"]["shown"] == 18 or seen["limit"]["dropped"] > 0


def test_a_press_after_the_limit_is_no_answer(seen):
    assert seen["too_late"]["key"] is None


def test_an_exposure_lasts_its_frames_and_none_is_planned_where_the_answer_ends_it(seen):
    assert seen["exposure"]["planned"] == 12
    assert seen["exposure"]["shown"] >= 12
    assert seen["exposure"]["shown"] == 12 or seen["exposure"]["dropped"] > 0
    assert seen["after_exposure"]["planned"] == 12
    assert seen["after_exposure"]["key"] == "j"
    assert seen["cut_short"]["planned"] is None
    assert seen["cut_short"]["shown"] < 24


def test_a_chord_ends_a_presentation_and_is_no_answer(seen):
    assert seen["chord"]["interrupted"]
    assert seen["chord"]["key"] is None


def test_no_key_goes_to_another_window(seen):
    assert seen["unfocused"]["refused"] == [True]
    assert seen["unfocused"]["after"]["key"] == "f"
