"""What a robot presses: pages first, then its answer, by keys or by clicks in the right places."""

from types import SimpleNamespace

import pytest

from experiments.robot_input.input_events import Move, Stroke
from experiments.robot_input.recalling import Past
from experiments.studies.simulatability.actor import ATTEMPTS, PredictorActor, recalled_case
from experiments.studies.simulatability.cases import choice_of
from participants.journal import Event
from tests.experiments.studies.simulatability.laid import screens_at
from tests.experiments.studies.simulatability.made_cases import case, looked_at, predicted, rated

ROBOT = SimpleNamespace(
    look=lambda task: 0.3,
    rate=lambda task: SimpleNamespace(rating=5, rt_s=0.3),
    answer=lambda task: SimpleNamespace(decision=task.stimulus.classes[1][0], rt_s=0.3),
)


def pressed(task):
    """Return what the robot has pressed at a task, and where what it can click lies."""
    at, found = screens_at((1280, 720)), []
    injector = SimpleNamespace(
        prepare=found.extend, forget=found.clear, reports=lambda: (), press=found.append
    )
    deck = at.deck(task)
    areas = at.areas(task, deck)
    actor = PredictorActor(ROBOT, injector, SimpleNamespace(steps=()))
    actor.expect(choice_of(task, deck), areas)
    return found, areas, len(deck.answered)


@pytest.mark.parametrize(
    ("task", "key"),
    [
        (looked_at(case("text", None)), "space"),
        (rated(case("text", "composite")), "5"),
        (predicted(case("text", "composite", changed=True)), "j"),
    ],
)
def test_all_pages_are_turned_before_the_answer(task, key):
    found, _, pages = pressed(task)
    keys = [stroke.key for stroke in sorted(found, key=lambda stroke: stroke.at_s)]
    assert keys == ["right"] * (pages - 1) + [key] * ATTEMPTS
    assert all(one.device == "keyboard" for one in found)


def test_where_a_mouse_answers_each_press_is_a_click_in_its_area():
    task = predicted(case("text", "composite", changed=True), device="mouse")
    found, areas, pages = pressed(task)
    moves = [one for one in found if isinstance(one, Move)]
    clicks = [one for one in found if isinstance(one, Stroke)]
    assert {(click.key, click.device) for click in clicks} == {("left", "mouse")}
    wanted = ["pagedown"] * (pages - 1) + ["right"] * ATTEMPTS
    for move, click, key in zip(moves, clicks, wanted, strict=True):
        left, top, right, bottom = areas[key]
        assert left <= move.x_px < right
        assert top <= move.y_px < bottom
        assert move.at_s < click.at_s


PERIOD_S = 0.05
ONSET_S = 100.0


def turn_recalled(frame, page, late_frames=0.0):
    """Return when, in frames from the onset, and what was pressed for a page that came."""
    task = predicted(case("text", "composite", changed=True))
    choice = choice_of(task, screens_at((1280, 720)).deck(task))
    stamp_s = ONSET_S + (frame + late_frames) * PERIOD_S
    flip = Event("flip", 1, stamp_s, "", {"what": f"case_page_{page}", "frame": frame})
    past = Past(choice, (flip,), {}, ONSET_S, PERIOD_S)
    return [
        ((heard_s - ONSET_S) / PERIOD_S, press.key)
        for heard_s, press in recalled_case(choice, {}, past)
    ]


@pytest.mark.parametrize("late_frames", [0.0, 0.4, 1.2])
def test_a_replay_turns_a_page_in_time_for_its_frame_however_late_its_stamp_is(late_frames):
    [(heard, key)] = turn_recalled(frame=9, page=2, late_frames=late_frames)
    assert key == "right"
    # A frame shows what was heard by the end of the frame before it.
    assert 7 < heard < 8


def test_a_replay_turns_as_many_pages_as_were_turned_between_two_frames():
    assert [key for _, key in turn_recalled(frame=9, page=3)] == ["right", "right"]
