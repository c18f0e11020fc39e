"""Another window takes the keyboard's focus, as a window manager gives it; pauses by chords."""

import sys

import pytest

from experiments.pages.waiting import BY_KEY, FOCUS_LOST
from tests.experiments.windows.focus_probe import COUNTDOWN_S
from tests.experiments.windows.probing import told_by

pytestmark = [
    pytest.mark.window(tolerance_ms=200),
    pytest.mark.skipif(sys.platform != "linux", reason="needs a virtual display"),
]

LOST_AND_BACK = ["focus", "focus", "pause", "continue"]


@pytest.fixture(scope="module")
def seen(tmp_path_factory, mini_pack):
    return told_by("focus_probe.py", tmp_path_factory.mktemp("home"), "trials", mini_pack)


@pytest.fixture(scope="module")
def painted(tmp_path_factory, mini_tasks):
    return told_by("focus_probe.py", tmp_path_factory.mktemp("home"), "painting", mini_tasks)


def test_consent_that_is_typed_into_another_window_is_not_given(seen):
    assert seen["consent"]["agreed"] is False
    assert sorted(seen["consent"]["kinds"]) == sorted(LOST_AND_BACK)
    assert seen["consent"]["reasons"] == [FOCUS_LOST]
    assert seen["consent"]["here"] == [False, True]


def test_a_trial_is_not_decided_in_another_window_and_is_flagged(seen):
    lost = seen["trial"]["lost"]
    assert (lost["choice"], lost["flagged"]) == ("none", True)
    assert lost["here"] == [False, True]


def test_after_a_lost_focus_the_session_pauses_before_the_next_stimulus(seen):
    after = seen["trial"]["after"]
    assert after["reasons"] == [FOCUS_LOST]
    assert (after["choice"], after["flagged"]) == ("reject", after["dropped"] > 0)


def test_a_plate_whose_fixation_lost_the_focus_is_not_shown_before_the_pause(seen):
    told = seen["fixation"]
    assert told["plates_before"] == [False]
    assert (told["starts"], told["reasons"]) == (2, [FOCUS_LOST])
    assert (told["choice"], told["flagged"]) == ("reject", told["dropped"] > 0)


def test_what_unlocks_the_screen_decides_no_trial(seen):
    """A locked screen takes the keyboard and leaves the focus where it is."""
    assert (seen["locked"]["choice"], seen["locked"]["flagged"]) == ("none", True)
    assert seen["locked"]["after"] == [FOCUS_LOST]


def test_a_window_that_covers_ours_without_the_focus_flags_the_trial_and_pauses(seen):
    told = seen["covered"]
    assert (told["choice"], told["flagged"]) == ("accept", True)
    assert (told["here"], told["after"]) == ([False, True], [FOCUS_LOST])


@pytest.mark.slow
def test_a_click_elsewhere_is_none_nor_is_the_one_that_brings_the_window_back(seen):
    assert seen["mouse"] == {"answers": [None, None], "a_click_brings_it_back": True}


def test_the_pause_chord_shows_a_sign_at_once_and_flags_the_trial(seen):
    during = seen["pause"]["during"]
    assert during["sign"]
    assert (during["choice"], during["flagged"]) == ("accept", True)


def test_a_session_goes_on_after_a_countdown_that_a_chord_takes_back(seen):
    after = seen["pause"]["after"]
    assert after["kinds"] == ["pause", "continue"]
    assert after["reasons"] == [BY_KEY]
    assert after["after_s"] >= COUNTDOWN_S


def test_notes_of_a_pause_are_kept_unless_they_are_dropped(seen):
    assert seen["pause"]["after"]["notes"] == [{"at": "pause", "text": "fire 8"}]


def test_a_plate_is_not_named_in_another_window_and_goes_on_after_the_pause(painted):
    assert painted["responses"] == ["4", "n"]
    assert painted["label"] == "no_solution"
    assert (painted["interruptions"], painted["flagged"]) == (1, True)
    assert painted["reasons"] == [FOCUS_LOST]
