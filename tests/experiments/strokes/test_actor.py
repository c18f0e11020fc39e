"""A robot's real keys and mouse moves give back the strokes that it intends."""

from types import SimpleNamespace

import pytest

from experiments.engine.input import Press
from experiments.engine.window_events import PointerEvent
from experiments.robot_input.input_events import Move
from experiments.screens.strokes import PictureBox
from experiments.strokes.actor import StrokeActor
from experiments.strokes.presenter import StrokeWork
from participants.robots.strokes import Intent
from participants.strokes import Act
from participants.studies.accept_reject.annotation import PAINTING
from participants.studies.progressive_reveal.bubbling import BUBBLING
from stimuli.images.sets import NO_SOLUTION

BOX = PictureBox(left_px=400, top_px=100, side_px=512)
ONSET_S = 100.0


def strokes(radius):
    """A dab that is taken back, and a line; at places that are whole pixels of the screen."""
    dab = Act("brush", 900, radius, ((900, 200, 100),))
    line = Act("brush", 1500, radius, ((1500, 400, 400), (1600, 440, 420), (1700, 520, 440)))
    return dab, Act("undo", 1200), line


def acted(kind, intent):
    """Return the work that a robot's events lead to, each taken in at its own time."""
    events = []
    injector = SimpleNamespace(press=events.append, move=events.extend, reports=lambda: ())
    actor = StrokeActor(
        SimpleNamespace(intend=lambda task: intent), injector, SimpleNamespace(steps=())
    )
    actor.expect(SimpleNamespace(kind=kind), BOX)
    actor.onset(ONSET_S)
    work = StrokeWork(BOX, kind)
    work.onset_s = ONSET_S
    moments = []
    for event in events:
        if isinstance(event, Move):
            moments.append((event.at_s, 0, event))
        else:
            moments.append((event.at_s, 1, event))
            moments.append((event.at_s + event.hold_s, 2, event))
    at = (0, 0)
    for at_s, order, event in sorted(moments, key=lambda moment: moment[:2]):
        if isinstance(event, Move):
            at = (event.x_px, event.y_px)
            work.pointer(PointerEvent("move", *at), at_s)
        elif event.device == "keyboard":
            if order == 1:
                work.press(Press(event.key, at_s))
        elif event.key.startswith("wheel"):
            steps = {1: 1.0 if event.key == "wheel_up" else -1.0, 2: 0.0}[order]
            work.pointer(PointerEvent("wheel", *at, steps=steps), at_s)
        else:
            kind_of = {1: "down", 2: "up"}[order]
            work.pointer(PointerEvent(kind_of, *at, button=event.key), at_s)
    return work


@pytest.mark.parametrize(
    ("kind", "radius", "answer"),
    [(PAINTING, 64, "7"), (PAINTING, 12, "0"), (BUBBLING, 36, None)],
)
def test_what_a_robot_intends_is_what_its_events_do(kind, radius, answer):
    intent = Intent(strokes(radius), 2000, answer, 0.6)
    work = acted(kind, intent)
    assert [(act.act, act.radius) for act in work.acts] == [
        (act.act, act.radius) for act in intent.acts
    ]
    for done, meant in zip(work.acts, intent.acts, strict=True):
        assert {point[1:] for point in done.points} == {point[1:] for point in meant.points}
    assert (work.label, work.done_s) == (answer, ONSET_S + 2.0)
    assert answer is None or work.label_s == ONSET_S + 0.6


def test_a_robot_that_sees_nothing_says_so_and_paints_nothing():
    work = acted(PAINTING, Intent((), 900, NO_SOLUTION, 0.5))
    assert (work.label, work.acts, work.done_s) == (NO_SOLUTION, (), ONSET_S + 0.9)
