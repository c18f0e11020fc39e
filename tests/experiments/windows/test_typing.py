"""What is typed into the answer field by real keys, on a German keyboard, and when."""

import sys

import pytest

from tests.experiments.windows.probing import told_by
from tests.experiments.windows.stamps import assert_stamped_as_made

pytestmark = [
    pytest.mark.window,
    pytest.mark.skipif(sys.platform != "linux", reason="needs a virtual display"),
]

DEAD_KEYS = ("dead", "dead_outside", "dead_inside")


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    return told_by("typing_probe.py", tmp_path_factory.mktemp("home"))


def test_letters_of_the_layout_come_as_they_stand_on_the_keys(seen):
    assert seen["umlauts"]["texts"] == ["ä", "ö", "ü", "ß"]
    assert seen["umlauts"]["keys"] == ["apostrophe", "semicolon", "bracketleft", "minus"]
    assert seen["umlauts"]["entries"][-1] == "äöüß"


@pytest.mark.parametrize("scene", DEAD_KEYS)
def test_a_dead_key_and_a_letter_are_one_keystroke(seen, scene):
    assert seen[scene]["texts"] == ["é", "e"]
    assert seen[scene]["keys"] == ["e", "e"]


def test_a_composed_letter_is_stamped_as_it_was_made(seen):
    """Judged over all scenes: two presses alone may both be late on a busy machine."""
    assert_stamped_as_made([late for scene in DEAD_KEYS for late in seen[scene]["errors_s"]])


def test_a_composed_letter_comes_before_a_key_of_the_same_frame(seen):
    assert seen["dead_at_once"]["texts"] == ["ô", "x"]
    assert seen["dead_at_once"]["keys"] == ["o", "x"]


def test_the_third_level_is_typed_with_its_own_modifier(seen):
    assert seen["third_level"]["texts"] == ["@", "q"]
    assert seen["third_level"]["keys"] == ["q", "q"]


def test_a_key_whose_shift_came_up_first_is_heard_again(seen):
    assert seen["shift_first"]["texts"] == ["/", "/", "a"]
    assert seen["shift_first"]["keys"] == ["7", "7", "a"]
    assert_stamped_as_made(seen["shift_first"]["errors_s"])


def test_editing_keys_edit(seen):
    assert seen["edits"]["entries"] == [
        "a", "ab", "ab", "acb", "acb", "cb", "cb", "c", "cd", "", "e",
    ]  # fmt: skip
    assert seen["edits"]["carets"] == [1, 2, 1, 2, 0, 0, 2, 1, 2, 0, 1]
    assert seen["edits"]["keys"][-2:] == ["escape", "e"]


def test_enter_without_a_choice_is_refused_and_counts_as_no_attempt(seen):
    assert seen["no_choice"]["refused"] == ["choose"]
    assert seen["no_choice"]["confirmed"] == []
    assert seen["no_choice"]["entries"][-1] == "sch"


def test_arrows_choose_and_enter_confirms(seen):
    found = seen["arrows"]
    [[class_id, device, key, first_key_s, t_s]] = found["confirmed"]
    assert (class_id, device, key) == ("Schleie", "keyboard", "return")
    assert (first_key_s, t_s) == (found["t_s"][0], found["t_s"][-1])


def test_tab_completes(seen):
    assert seen["tab"]["entries"] == ["k", "ke", "Kettensäge", ""]
    assert seen["tab"]["confirmed"][0][0] == "Kettensäge"


def test_a_held_key_repeats_and_its_press_is_stamped_once(seen):
    found = seen["held"]
    presses = found["keys"].count("backspace")
    assert found["sent"] == 7
    assert presses > 3
    assert found["entries"][-1] == "abcdef"[: max(0, 6 - presses)]
    assert found["t_s"] == sorted(found["t_s"])


def test_on_a_robots_own_display_no_held_key_repeats(seen):
    """A robot that is starved of time lets go late, and would type a letter many times."""
    assert seen["held_on_a_robots_display"]["entries"] == ["a"]


def test_a_click_on_a_suggestion_confirms_it_with_the_buttons_stamp(seen):
    found = seen["clicked"]
    [[class_id, device, key, _, t_s]] = found["confirmed"]
    assert (class_id, device, key) == ("Schloss", "mouse", "left")
    assert found["keys"][-1] == "click"
    assert t_s == found["t_s"][-1]
    assert_stamped_as_made(found["errors_s"])


@pytest.mark.parametrize(("scene", "text"), [("burst", "schulb"), ("stalled", "kirch")])
def test_keys_within_one_frame_come_in_order_with_their_own_stamps(seen, scene, text):
    """All of them went down while one frame lasted (or hung)."""
    found = seen[scene]
    assert found["texts"] == list(text)
    assert_stamped_as_made(found["errors_s"])
    assert len(set(found["t_s"])) == len(text)


def test_what_was_pressed_before_the_onset_is_for_nobody(seen):
    assert seen["before"]["texts"] == ["b"]
    assert seen["before"]["refused"] == []


def test_letters_that_the_layout_lacks_can_be_typed_too(seen):
    assert seen["foreign"]["entries"][-1] == "łóŁя"


def test_fast_typing_loses_no_letter_and_stamps_each(seen):
    found = seen["fast"]
    assert found["entries"][-1] == "krankenwagen französisches horn zapf"
    assert len(set(found["t_s"])) == found["sent"] == len(found["t_s"])
    assert_stamped_as_made(found["errors_s"])


@pytest.mark.slow
def test_only_what_a_keystroke_changed_is_sent_to_the_card(seen):
    """A line, and the rows of the four names with S: they come, and go with a letter more."""
    assert seen["uploads"] == {"idle": 0, "first": 5, "both": 15}
