"""Another window takes the keyboard's focus while images are uncovered and words are copied."""

import sys

import pytest

from experiments.pages.waiting import FOCUS_LOST
from tests.experiments.windows.probing import told_by
from tests.experiments.windows.rounds import sealed_rounds

pytestmark = [
    pytest.mark.window(tolerance_ms=200),
    pytest.mark.skipif(sys.platform != "linux", reason="needs a virtual display"),
]


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    pack = sealed_rounds(tmp_path_factory)
    return told_by("reveal_focus_probe.py", tmp_path_factory.mktemp("home"), pack)


def test_a_round_that_lost_the_focus_is_flagged_and_no_chord_elsewhere_leaves_it(seen):
    assert seen["lost"]["flagged"]
    assert not seen["lost"]["left"]
    assert (seen["lost"]["attempts"], seen["lost"]["here"]) == (0, [False, True])


def test_the_next_image_waits_for_the_pause_and_for_the_focus(seen):
    after = seen["after"]
    assert after["reasons"] == [FOCUS_LOST, FOCUS_LOST]
    assert after["images_before"] == [False]
    assert after["rights"] == [True]


@pytest.mark.slow
def test_a_word_that_another_window_came_before_is_copied_again(seen):
    assert seen["copied"]["reasons"] == [FOCUS_LOST]
    assert seen["copied"]["keys"] == ["a", "b", "return"]
