"""Brush, eraser and keys on a real plate, by real key and mouse events."""

import sys

import pytest

from tests.experiments.windows.probing import told_by

pytestmark = [
    pytest.mark.window,
    pytest.mark.skipif(sys.platform != "linux", reason="needs a virtual display"),
]


@pytest.fixture(scope="module")
def seen(tmp_path_factory, mini_tasks):
    home = tmp_path_factory.mktemp("home")
    told = told_by("easel_probe.py", home, mini_tasks, home / "shots")
    return told | {"shots": {path.stem for path in home.glob("shots/*.png")}}


def test_every_tool_does_what_stands_beside_the_plate(seen):
    """Backspace takes back, Delete clears, E and the right button erase."""
    assert seen["every_tool"]["acts"] == [
        "brush", "eraser", "brush", "undo", "brush", "undo", "clear", "undo", "eraser",
    ]  # fmt: skip
    assert seen["every_tool"]["mask"] == {
        "line": True,
        "hole": False,
        "end": False,
        "strays": False,
    }


def test_the_wheel_changes_the_brush_for_good(seen):
    assert set(seen["every_tool"]["radii"]) == set(seen["painted"]["radii"]) == {6}


def test_what_cannot_stand_is_refused_in_words_and_then_goes_on(seen):
    assert {name[4:] for name in seen["shots"]} >= {
        "plate-no_answer", "plate-nothing_painted", "plate-painted_without_solution",
    }  # fmt: skip
    assert seen["every_tool"]["label"] == "7"
    assert seen["passed"]["label"] == "no_solution"


def test_the_answer_that_stands_at_the_end_counts_with_its_own_time(seen):
    told = seen["every_tool"]
    assert told["responses"] == ["4", "n", "7"]
    assert 0.1 < told["done_s"] - told["rt_s"] < 1, "drags of over a second lie between 4 and 7"


def test_the_plate_comes_and_goes_once(seen):
    for name in ("every_tool", "passed", "painted"):
        assert seen[name]["flips"] == ["plate_on", "plate_off"]


def test_every_place_the_mouse_reported_is_in_the_strokes(seen):
    """125 samples a second for 4 strokes of .6 s, also where several fall into one frame."""
    assert seen["painted"]["samples"] >= 0.97 * 4 * 75


def test_painted_places_get_a_lighter_ground_and_no_dot_changes(seen):
    assert seen["veil"] == {"painted": True, "bare": True, "veil": [90]}
