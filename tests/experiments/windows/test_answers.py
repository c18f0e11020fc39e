"""No answer is lost and none is made up, whatever a finger does: real keys, real buttons."""

import sys

import pytest

from tests.experiments.windows.probing import told_by

FIRST = {"keyboard": "f", "mouse": "left"}
SECOND = {"keyboard": "j", "mouse": "right"}
SANE_S = 0.2
"""Well under the .32 s by which a press would be late that is stamped when it is polled."""

pytestmark = [
    pytest.mark.window,
    pytest.mark.skipif(sys.platform != "linux", reason="needs a virtual display"),
]


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    return told_by("answers_probe.py", tmp_path_factory.mktemp("home"))


@pytest.fixture(params=["keyboard", "mouse"])
def device(request):
    return request.param


def test_a_press_during_a_dropped_frame_answers_by_its_own_stamp(told, device):
    """The frame hung for 350 ms; the press came and went meanwhile."""
    found = told[device]["stalled"]
    assert found["key"] == FIRST[device]
    assert found["dropped"] >= 5
    assert -0.001 < found["error_s"] < SANE_S


def test_of_two_presses_during_a_dropped_frame_the_first_answers(told, device):
    assert told[device]["stalled_twice"]["sent"] == 2
    assert told[device]["stalled_twice"]["key"] == SECOND[device]


def test_of_two_presses_in_one_frame_the_first_answers(told, device):
    assert told[device]["in_one_frame"]["key"] == FIRST[device]


def test_shift_makes_no_other_answer_of_a_key_or_button(told, device):
    assert told[device]["shifted"]["key"] == FIRST[device]


def test_a_key_of_the_experimenters_chord_is_no_answer(told):
    assert told["keyboard"]["chorded"]["sent"] == 1
    assert told["keyboard"]["chorded"]["key"] is None


def test_a_press_just_before_the_limit_answers(told, device):
    found = told[device]["at_the_limit"]
    if found["sent_rt_s"] >= 0.292:
        pytest.skip("this machine pressed too late")
    assert found["key"] == FIRST[device]


def test_a_key_or_button_held_through_a_trial_is_no_answer_to_it(told, device):
    """Nor is what the system makes of a held key: the same letter again and again."""
    found = told[device]["held_through"]
    assert found["sent"] == 1
    assert found["key"] is None
    assert found["leftover"] == []
    assert device == "mouse" or found["repeats"] > 2


def test_its_release_is_no_answer_to_the_next_trial(told, device):
    assert told[device]["after_release"]["key"] == SECOND[device]
