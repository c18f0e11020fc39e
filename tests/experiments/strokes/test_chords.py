"""Chords while a picture is painted: none is lost, and no answer that one met."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

import pytest

from experiments.engine.input import Press
from experiments.pages.context import SessionContext
from experiments.pages.interruptions import Pause, PauseSettings
from experiments.pages.settings import ScreenSettings
from experiments.pages.waiting import ABORT_KEY, BY_KEY, PAUSE_KEY, Waiting
from experiments.rig.profile import read_rig
from experiments.robot_input.actor import Person
from experiments.screens.library import Library
from experiments.screens.look import Look
from experiments.strokes import presenter as window
from experiments.studies.accept_reject.painter import PlatePainter
from experiments.studies.accept_reject.painting import expert_presenter
from experiments.study import background_of
from participants.session import StrokeTask
from participants.studies.accept_reject.annotation import plan_annotation
from stimuli.pack import open_pack
from tests.experiments.rehearsal import Scripted

SIZE = (1280, 720)
END = Press(ABORT_KEY, 0.0, chord=True)
FIXATION_S = 0.1
ONSET = 7


class Asked(Person):
    """Wants to go on whenever it is asked whether to end, and then answers."""

    def __init__(self):
        self.times, self.stage = 0, None

    def broken_off(self):
        self.times += 1
        frame = self.stage.frames
        self.stage.script |= {frame + 1: [Press("x", 0.0)], frame + 40: [*answer()]}


def answer():
    return Press("n", 0.0), Press("return", 0.0)


@pytest.fixture
def shown(mini_tasks):
    def run(script, fixation_s=FIXATION_S):
        pack = open_pack(Path(mini_tasks), "tasks")
        rig = read_rig(Path("no such rig"))
        background = background_of(pack.protocol, rig.colours)
        plan, library = plan_annotation(pack, None, "en", "AAAAA"), Library("accept_reject", "en")
        look = Look(SIZE, background, "en")
        lab = {"institution": "a", "contact": "b", "terms": "c"}
        painter = PlatePainter(pack, pack.protocol, rig.colours)
        settings = ScreenSettings(painter, rig, look, library.words(), lab)
        actor, stage = Asked(), Scripted(SIZE, script)
        actor.stage = stage
        events = []
        recorder = SimpleNamespace(
            append=lambda event, **fields: events.append((event, fields.get("what")))
        )
        album = SimpleNamespace(keep=lambda *args: None)
        plate = SimpleNamespace(free=lambda: None, update=lambda *args: None)
        easel = SimpleNamespace(picture=lambda *args: plate, place=lambda text: plate)
        pointer = SimpleNamespace(poll=lambda: (), x_px=0, y_px=0)
        stage.pointer = lambda: pointer
        with patch.object(window, "Easel", lambda *args: easel):
            context = SessionContext(stage, actor, album, recorder)
            waiting = Waiting(context, look, library.words(), PauseSettings("", "", ""))
            presenter = expert_presenter(context, settings, plan, waiting)
            task = next(step for step in plan.steps if isinstance(step, StrokeTask))
            result = presenter.strokes(replace(task, fixation_s=fixation_s))
            before = actor.times
            waiting.between()
        run.plates, run.events = stage.plates, events
        return result, before, actor.times

    return run


@pytest.mark.parametrize("at", [1, ONSET - 1])
def test_the_chord_before_a_plate_comes_is_asked_about_and_nothing_of_it_glimpsed(shown, at):
    result, during, after = shown({at: [END]})
    assert (result.label, result.interruptions) == ("no_solution", 0)
    assert (during, after) == (1, 1)
    # After the chord: the question, and a fixation of its own before the plate.
    assert shown.plates[0] == at + 1 + ONSET
    assert shown.plates == list(range(shown.plates[0], shown.plates[-1] + 1))
    flips = [what for event, what in shown.events if event == "flip"]
    assert flips == ["plate_on", "plate_off"]
    assert [event for event, _ in shown.events].count("trial_start") == 1
    assert result.rt_s > 0
    assert result.presented.frames_shown == len(shown.plates)


def test_without_a_fixation_too_the_chord_before_a_picture_is_no_interruption(shown):
    """It came while the picture was made ready: after the chords between two tasks were heeded."""

    between, coming = Waiting.between, [END]

    def pressed_while_made_ready(waiting):
        between(waiting)
        while coming:
            waiting._stage.pressed.append(coming.pop())

    with patch.object(Waiting, "between", pressed_while_made_ready):
        result, during, _ = shown({}, fixation_s=0.0)
    assert (result.label, result.interruptions, during) == ("no_solution", 0, 1)


def test_the_chord_for_a_pause_before_a_plate_comes_lets_the_plate_be_done_first(shown):
    pause = Press(PAUSE_KEY, 0.0, chord=True)
    with patch.object(Pause, "hold", lambda self, reason: paused.append(reason)):
        paused = []
        result, during, _ = shown({3: [pause], 60: [*answer()]})
    assert (result.interruptions, during) == (0, 0)
    assert paused == [BY_KEY]
    assert result.presented.flagged


def test_the_chord_with_a_plate_on_is_asked_about_and_the_plate_shown_again(shown):
    result, during, after = shown({ONSET + 4: [END, *answer()]})
    assert (result.label, result.interruptions) == ("no_solution", 1)
    assert (during, after) == (1, 1)


def test_the_chord_that_meets_the_answer_is_asked_about_once_the_plate_is_done(shown):
    result, during, after = shown({ONSET + 4: [*answer(), END]})
    assert (result.label, result.interruptions) == ("no_solution", 0)
    assert (during, after) == (0, 1)
