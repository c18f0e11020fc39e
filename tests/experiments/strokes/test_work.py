"""What keys and pointer do to an answer and a painting, without a window."""

import numpy as np
import pytest

from experiments.engine.input import Press
from experiments.engine.window_events import PointerEvent
from experiments.screens.strokes import PictureBox
from experiments.strokes.presenter import StrokeWork
from experiments.studies.accept_reject.painting import ring
from participants.strokes import RADII, SIDE, mask_of
from participants.studies.accept_reject.annotation import PAINTING
from participants.studies.progressive_reveal.bubbles import HALF_BUBBLE, bubble_counts
from participants.studies.progressive_reveal.bubbling import BUBBLING

BOX = PictureBox(left_px=400, top_px=100, side_px=512)


@pytest.fixture
def work():
    work = StrokeWork(BOX, PAINTING, RADII[4])
    work.onset_s = 100.0
    return work


@pytest.fixture
def bubbling():
    """Work without answers, eraser and sizes."""
    work = StrokeWork(BOX, BUBBLING)
    work.onset_s = 100.0
    return work


def press(work, key, t_s=101.0, *, chord=False):
    return work.press(Press(key, t_s, chord))


def point(work, kind, x_px=656.0, y_px=356.0, now_s=102.0, **more):
    work.pointer(PointerEvent(kind, x_px, y_px, **more), now_s)


def stroke(work, button="left", x_px=656.0, to_px=700.0):
    point(work, "down", x_px, button=button)
    point(work, "move", to_px)
    point(work, "up", to_px, button=button)


def test_the_last_digit_counts_with_its_own_time(work):
    assert press(work, "3", 101.0)
    assert press(work, "8", 101.5)
    assert (work.label, work.label_s) == ("8", 101.5)


@pytest.mark.parametrize(
    ("keys", "painted", "message"),
    [
        ((), False, "no_answer"),
        (("7",), False, "nothing_painted"),
        (("n",), True, "painted_without_solution"),
    ],
)
def test_what_cannot_stand_is_refused_until_something_else_is_done(work, keys, painted, message):
    for key in keys:
        press(work, key)
    if painted:
        stroke(work)
    press(work, "return")
    assert (work.message, work.done_s) == (message, None)
    press(work, "7")
    assert work.message is None


def test_enter_finishes_and_nothing_after_it_counts(work):
    press(work, "7")
    stroke(work)
    press(work, "return", 105.0)
    before = work.acts
    assert work.done_s == 105.0
    assert not press(work, "3")
    stroke(work, "right")
    assert (work.label, work.acts) == ("7", before)


def test_enter_during_a_stroke_ends_the_stroke(work):
    press(work, "7")
    point(work, "down", button="left")
    press(work, "return")
    assert work.done_s is not None
    assert [act.act for act in work.acts] == ["brush"]


def test_the_right_button_erases_and_e_swaps_the_left_ones_tool(work):
    stroke(work)
    stroke(work, "right")
    press(work, "e")
    assert work.shown_tool == "eraser"
    press(work, "e")
    stroke(work)
    assert [act.act for act in work.acts] == ["brush", "eraser", "brush"]
    assert np.array_equal(work.canvas.values, mask_of(work.acts))


def test_only_the_key_that_is_shown_takes_back(work):
    """Not Ctrl+Z: a German keyboard has Z where others have Y."""
    stroke(work)
    for key in ("lctrl", "z", "y", "w"):
        press(work, key)
    assert work.canvas.values.any()
    press(work, "backspace")
    assert not work.canvas.values.any()


def test_a_wheel_turned_during_a_stroke_goes_on_with_the_new_size(work):
    point(work, "down", button="left")
    point(work, "move", 700.0)
    point(work, "wheel", 700.0, steps=1.0)
    point(work, "move", 760.0)
    point(work, "up", 760.0, button="left")
    assert [act.radius for act in work.acts] == [RADII[4], RADII[5]]
    assert work.acts[1].points[0][1:] == work.acts[0].points[-1][1:]


def test_a_click_beside_the_plate_leaves_nothing_behind(work):
    stroke(work, x_px=20.0, to_px=30.0)
    assert work.acts == ()


def test_where_no_answer_is_asked_for_the_confirming_press_is_the_response(bubbling):
    assert not press(bubbling, "return")
    assert (bubbling.message, bubbling.done_s) == ("nothing_marked", None)
    stroke(bubbling)
    assert bubbling.message is None
    assert not press(bubbling, "7")
    assert press(bubbling, "return", 105.0)
    assert (bubbling.label, bubbling.done_s) == (None, 105.0)


def test_a_brush_of_one_tool_and_size_knows_no_other(bubbling):
    stroke(bubbling, "right")
    assert bubbling.acts == ()
    point(bubbling, "down", button="left")
    point(bubbling, "down", button="right")
    press(bubbling, "e")
    press(bubbling, "up")
    point(bubbling, "wheel", steps=1.0)
    point(bubbling, "move", 700.0)
    point(bubbling, "up", 700.0, button="left")
    assert [(act.act, act.radius) for act in bubbling.acts] == [("brush", HALF_BUBBLE)]
    assert len(bubbling.acts[0].points) == 2
    assert np.array_equal(bubbling.canvas.values, bubble_counts(bubbling.acts))


def test_bubbles_keep_the_points_at_which_the_pointer_rests(work, bubbling):
    for one in (work, bubbling):
        point(one, "down", button="left")
        point(one, "move", now_s=102.5)
        point(one, "up", button="left")
    assert [len(one.acts[0].points) for one in (work, bubbling)] == [1, 2]


def test_places_of_screen_and_mask_agree():
    assert BOX.to_mask(400, 100) == (0, 0)
    assert BOX.to_mask(912, 612) == (SIDE, SIDE)
    for place in ((0, 0), (512, 300), (SIDE, 7)):
        x, y = BOX.to_mask(*BOX.to_screen(*place))
        assert abs(x - place[0]) <= 2
        assert abs(y - place[1]) <= 2


@pytest.mark.parametrize("radius_px", [3.0, 16.5, 90.0])
def test_a_ring_is_drawn_in_black_and_white_about_its_radius(radius_px):
    picture = ring(radius_px, "brush")
    side = len(picture)
    at = np.arange(side) + 0.5 - side / 2
    distance = np.hypot(at[:, None], at)
    near = np.abs(distance - radius_px) <= 0.3
    assert side % 2 == 0
    assert (picture[near][:, 3] > 200).all()
    assert (picture[distance < radius_px - 4][:, 3] == 0).all()
    assert np.array_equal(picture[..., 0], picture[..., 1])
    assert picture[picture[..., 3] > 0][:, 0].min() == 0


def test_a_chord_is_no_answer(work):
    assert not press(work, "3", chord=True)
    assert work.label is None


def test_moving_without_a_button_paints_nothing_and_only_its_own_release_ends_a_stroke(work):
    point(work, "move", 700.0)
    assert work.take_changes() == []
    point(work, "down", button="left")
    point(work, "up", button="right")
    point(work, "move", 700.0)
    assert len(work.acts) == 0
    point(work, "up", 700.0, button="left")
    assert len(work.acts[0].points) == 2


def test_times_are_counted_from_the_plates_onset(work):
    stroke(work)
    assert work.acts[0].t_ms == 2000


def test_the_erasers_ring_is_dashed():
    solid, dashed = ((ring(30.0, tool)[..., 3] > 0).sum() for tool in ("brush", "eraser"))
    assert 0.4 * solid < dashed < 0.8 * solid
