"""The chord that ends a session is heeded whenever it comes."""

import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from experiments.engine.clock import StimulusClock
from experiments.engine.input import Press
from experiments.engine.stage import Overlay
from experiments.pages.context import SessionContext
from experiments.pages.pages import Pages
from experiments.pages.pausing import PauseTexts
from experiments.pages.waiting import ABORT_KEY, Waiting
from experiments.robot_input.actor import Person
from experiments.screens.look import Look
from participants.session import SessionAborted
from participants.texts import load_words
from tests.experiments.rehearsal import focus_kept

END = Press(ABORT_KEY, 0.0, chord=True)


class Confirming(Person):
    """A stage and who sits before it: Return goes down once the question came, and stays down."""

    def __init__(self):
        self.window = SimpleNamespace(size_px=(1280, 720))
        clock = StimulusClock(time.perf_counter, "none")
        self.keyboard = SimpleNamespace(is_down=lambda key: True, clock=clock)
        self.focus, self.overlay = focus_kept(), Overlay()
        self.strokes = []

    def broken_off(self):
        self.strokes.append("return")

    def picture(self, layers):
        return SimpleNamespace(free=lambda: None)

    def frame(self, picture):
        return time.perf_counter()

    def presses(self):
        now_s = time.perf_counter()
        return tuple(Press(self.strokes.pop(), now_s) for _ in self.strokes[:])


def pages_on(stage, study):
    """Return what waits on a stage whose actor it is too, and the pages that it waits for."""
    album = SimpleNamespace(keep=lambda *args: None)
    context = SessionContext(
        stage, stage, album, SimpleNamespace(append=lambda *args, **fields: None)
    )
    look = Look((1280, 720), (30, 30, 30), "en")
    words = load_words(study, "en", Path("none"))
    waiting = Waiting(context, look, words, PauseTexts("Pause", "Away", "Note"))
    return waiting, Pages(waiting, stage, look, words)


def test_a_chord_in_the_frame_of_an_answer_is_asked_about_before_the_next_trial():
    waiting, _ = pages_on(Confirming(), "accept_reject")
    waiting.between()
    waiting.note(END)
    with pytest.raises(SessionAborted):
        waiting.between()


def test_a_chord_in_the_frame_of_the_last_answer_is_asked_about_on_the_page_after_it():
    waiting, pages = pages_on(Confirming(), "accept_reject")
    waiting.note(END)
    with pytest.raises(SessionAborted):
        pages.read("page", "Some text")


class Leaving(Confirming):
    """Presses the keys of a script one by one, each as soon as something waits for it."""

    def __init__(self, keys):
        super().__init__()
        self.keys = list(keys)
        self.keyboard.is_down = lambda key: self.held
        self.held, self.asked = False, 0

    def go_on_or_leave(self, on, leave, from_s):
        self.held = False
        self.strokes.append({"on": on, "leave": leave}[self.keys.pop(0)])

    def hold(self, key, from_s):
        self.asked += 1
        answer = self.keys.pop(0)
        self.held = answer == "hold"
        self.strokes.append(key if self.held else "x")


@pytest.mark.parametrize(
    ("keys", "leaves", "asked"),
    [
        (["on"], False, 0),
        (["leave", "hold"], True, 1),
        (["leave", "no", "on"], False, 1),
        (["leave", "no", "leave", "hold"], True, 2),
    ],
)
def test_a_break_is_left_for_today_only_by_holding_a_key_when_asked(keys, leaves, asked):
    stage = Leaving(keys)
    _, pages = pages_on(stage, "progressive_reveal")
    shown_s, left = pages.rest_or_leave("break", "A break", 0.0, 0.5, "5 of 10 rounds done")
    assert (left, stage.asked, stage.keys) == (leaves, asked, [])
    assert shown_s > (1.0 if leaves else 0.0)
