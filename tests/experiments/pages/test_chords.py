"""Chords: the one that ends a session is heeded whenever it comes; a note names nobody."""

import time
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

from experiments.engine.clock import StimulusClock
from experiments.engine.input import Press
from experiments.engine.stage import Overlay
from experiments.pages import interruptions
from experiments.pages.context import SessionContext
from experiments.pages.interruptions import Pause, PauseSettings
from experiments.pages.text_pages import Pages
from experiments.pages.waiting import ABORT_KEY, Waiting
from experiments.robot_input.actor import Person
from experiments.screens.look import Look
from participants.session import GO_ON, LEAVE, LEAVE_FOR_GOOD, LEFT_FOR_GOOD, Page, SessionAborted
from participants.texts import load_words
from tests.experiments.rehearsal import focus_kept

END = Press(ABORT_KEY, 0.0, chord=True)


class Confirming(Person):
    """A stage and who sits before it: a key goes down once the question came, and stays down."""

    def __init__(self, key="return"):
        self.key = key
        self.window = SimpleNamespace(size_px=(1280, 720))
        clock = StimulusClock(time.perf_counter, "none")
        self.keyboard = SimpleNamespace(is_down=lambda key: key == self.key, clock=clock)
        self.focus, self.overlay = focus_kept(), Overlay()
        self.strokes = []

    def broken_off(self):
        self.strokes.append(self.key)

    def now_s(self):
        return time.perf_counter()

    def nap(self, duration_s):
        time.sleep(duration_s)

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
    waiting = Waiting(context, look, words, PauseSettings("Pause", "Away", "Note"))
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
        pages.read(Page("page", "page"), "Some text")


class Leaving(Confirming):
    """Presses the keys of a script one by one, each as soon as something waits for it."""

    def __init__(self, keys):
        super().__init__()
        self.keys = list(keys)
        self.keyboard.is_down = lambda key: key == self.held
        self.held, self.asked = "", 0

    def go_on_or_leave(self, on, leave, from_s):
        self.held = ""
        self.strokes.append({"on": on, "leave": leave}[self.keys.pop(0)])

    def hold(self, key, from_s):
        self.asked += 1
        answer = self.keys.pop(0)
        self.held = answer if answer in ("return", "delete") else ""
        self.strokes.append(answer)


@pytest.mark.parametrize(
    ("keys", "then", "asked"),
    [
        (["on"], GO_ON, 0),
        (["leave", "return"], LEAVE, 1),
        (["leave", "delete"], LEAVE_FOR_GOOD, 1),
        (["leave", "space", "on"], GO_ON, 1),
        (["leave", "x", "leave", "return"], LEAVE, 2),
    ],
)
def test_a_break_is_left_for_today_or_for_good_only_by_holding_a_key_when_asked(keys, then, asked):
    stage = Leaving(keys)
    _, pages = pages_on(stage, "progressive_reveal")
    shown_s, found = pages.rest_or_leave("break", "A break", 0.0, 0.5, "5 of 10 rounds done")
    assert (found, stage.asked, stage.keys) == (then, asked, [])
    assert shown_s > (0.0 if then == GO_ON else 1.0)


@pytest.mark.parametrize(
    ("key", "reason"), [("return", "confirmed by key"), ("delete", LEFT_FOR_GOOD)]
)
def test_the_chord_asks_whether_to_stop_for_now_or_for_good(key, reason):
    stage = Confirming(key)
    waiting, _ = pages_on(stage, "accept_reject")
    waiting.note(END)
    with pytest.raises(SessionAborted) as aborted:
        waiting.between()
    assert aborted.value.reason == reason


def test_a_key_that_is_let_go_goes_on():
    """A short press is no confirmation; any other key then goes on."""
    stage = Leaving([])
    stage.strokes = ["delete"]
    waiting, _ = pages_on(stage, "accept_reject")
    waiting.note(END)
    stage.broken_off = lambda: stage.strokes.extend(["delete", "return", "x"])
    waiting.between()


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_note_that_names_somebody_is_not_kept(monkeypatch, language):
    """It went into the journal, where it can't be corrected; now it stays to be mended."""
    typed = iter(["call 030 123 4567", "fire alarm"])
    shown, kept = [], []

    class Line:
        open, text = True, ""

        def has_changed(self):
            self.text, self.open = next(typed), False
            return True

    stage = Confirming()
    recorder = SimpleNamespace(append=lambda event, **fields: kept.append((event, fields)))
    context = SessionContext(stage, stage, SimpleNamespace(), recorder, recorder)
    words = load_words("accept_reject", language, Path("none"))
    settings = PauseSettings("Pause", "Away", "Note")
    pause = Pause(None, context, Look((1280, 720), (30, 30, 30), language), words, settings)
    monkeypatch.setattr(interruptions, "typed_line", lambda window, longest: nullcontext(Line()))
    monkeypatch.setattr(
        interruptions, "note_layers", lambda look, text, *_: shown.append(text) or ()
    )
    pause.write_note()
    assert kept == [("note", {"at": "pause", "text": "fire alarm"})]
    assert [("030 123 4567" in text) for text in shown] == [False, True, True]
