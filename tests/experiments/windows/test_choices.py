"""Choices on pages by clicks: real buttons in a real window."""

import sys

import pytest

from tests.experiments.windows.probing import told_by

SANE_S = 0.3

pytestmark = [
    pytest.mark.window,
    pytest.mark.skipif(sys.platform != "linux", reason="needs a virtual display"),
]


@pytest.fixture(scope="module", params=["keys", "mouse"])
def told(request, tmp_path_factory):
    """Sessions answered by keys, and those that listen to the mouse's buttons anyway."""
    return told_by("choice_probe.py", tmp_path_factory.mktemp("home"), request.param)


def test_a_click_on_an_answer_chooses_it_and_one_on_the_hint_confirms(told):
    assert told["by_click"]["choice"] == "two"
    assert [(one["key"], one["device"]) for one in told["by_click"]["taken"]] == [
        ("2", "mouse"), ("return", "mouse"),
    ]  # fmt: skip


def test_keys_and_clicks_go_together(told):
    assert told["by_click_and_key"]["choice"] == "three"
    assert told["changed"]["choice"] == "one"
    assert [one["device"] for one in told["changed"]["taken"]] == [
        "mouse", "mouse", "keyboard", "mouse", "mouse",
    ]  # fmt: skip
    assert told["by_key"]["choice"] == "three"


def test_a_click_beside_the_answers_is_none(told):
    assert [one["key"] for one in told["beside"]["taken"]] == ["2", "return"]


def test_a_click_before_the_question_is_none(told):
    assert [one["key"] for one in told["early"]["taken"]] == ["2", "return"]
    assert told["early"]["choice"] == "two"


def test_a_click_bears_the_stamp_of_its_press(told):
    """Not of when it was seen: without its stamp it would be taken after three polls of .4 s."""
    assert told["seldom"]["choice"] == "two"
    click = told["seldom"]["taken"][0]
    assert (click["key"], click["device"]) == ("2", "mouse")
    assert -0.01 < click["error_s"] < SANE_S


def test_the_pointer_is_there_only_while_something_can_be_clicked(told):
    assert not told["pointer"]
