"""What a robot presses: pages first, then its answer, by keys or by clicks in the right places."""

from types import SimpleNamespace

import pytest

from experiments.robot_input.input_events import Move, Stroke
from experiments.studies.simulatability.actor import ATTEMPTS, PredictorActor
from experiments.studies.simulatability.cases import choice_of
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
