"""Which presses are for our window, whoever says that the focus was elsewhere."""

import time
from types import SimpleNamespace

import pytest

from experiments.engine import focus as module
from experiments.engine.focus import SETTLE_S, Focus
from experiments.engine.input import Press


class Handle:
    """A window whose system says where keys go, and tells of changes when events are handled."""

    def __init__(self, here=True):
        self.here, self.told, self.waiting = here, SimpleNamespace(), []
        self.focus = Focus(self, ask=lambda handle: handle.here)

    def push_handlers(self, **handlers):
        self.told = SimpleNamespace(**handlers)

    def dispatch_events(self):
        waiting, self.waiting = self.waiting, []
        for name in waiting:
            getattr(self.told, name)()

    def activate(self):
        self.here = True


@pytest.fixture
def now(monkeypatch):
    at = SimpleNamespace(s=100.0)
    monkeypatch.setattr(module.time, "perf_counter", lambda: at.s)
    yield at
    monkeypatch.undo()
    assert time.perf_counter() != at.s


def press(t_s):
    return Press("f", t_s)


def test_presses_count_where_the_window_has_the_focus(now):
    focus = Handle().focus
    assert focus.for_window([press(99.0), press(100.0)]) == (press(99.0), press(100.0))
    assert (focus.losses, focus.take_changes()) == (0, ())


def test_a_press_counts_not_where_the_system_names_another_window_before_it_told_so(now):
    handle = Handle()
    handle.here = False
    assert handle.focus.for_window([press(99.9)]) == ()
    assert handle.focus.losses == 1
    handle.waiting = ["on_deactivate"]
    assert not handle.focus.is_here()
    assert handle.focus.losses == 1


def test_a_press_counts_not_where_the_keyboard_was_taken_though_the_focus_stayed(now):
    handle = Handle()
    handle.told.on_deactivate()
    assert handle.focus.for_window([press(100.0)]) == ()
    handle.waiting = ["on_activate"]
    assert handle.focus.is_here()


def test_what_brings_the_window_back_is_no_answer_and_what_comes_later_is(now):
    handle = Handle()
    handle.told.on_deactivate()
    now.s = 101.0
    handle.told.on_activate()
    early, late = press(101.0 + SETTLE_S / 2), press(101.0 + SETTLE_S * 2)
    assert handle.focus.for_window([press(100.5), early, late]) == (late,)
    assert not handle.focus.listens_at(early.t_s)
    assert handle.focus.listens_at(late.t_s)


def test_what_covers_the_window_is_a_loss_and_what_is_typed_meanwhile_is_ours(now):
    handle = Handle()
    handle.focus._covered(True)
    assert handle.focus.for_window([press(100.0)]) == (press(100.0),)
    assert (handle.focus.losses, handle.focus.is_here()) == (1, False)
    handle.focus._covered(False)
    assert handle.focus.is_here()
    # Nothing has to settle: the keyboard was ours all the while.
    assert handle.focus.listens_at(100.0)
    assert [change.here for change in handle.focus.take_changes()] == [False, True]


def test_a_covered_window_that_loses_the_focus_too_is_back_when_both_are(now):
    handle = Handle()
    handle.focus._covered(True)
    handle.told.on_deactivate()
    handle.focus._covered(False)
    assert (handle.focus.losses, handle.focus.is_here()) == (1, False)
    handle.told.on_activate()
    assert handle.focus.is_here()


def test_a_loss_between_two_frames_is_noted_with_its_return(now):
    handle = Handle()
    handle.waiting = ["on_deactivate", "on_activate"]
    assert handle.focus.is_here()
    assert handle.focus.losses == 1
    assert [change.here for change in handle.focus.take_changes()] == [False, True]
    assert handle.focus.take_changes() == ()


def test_a_click_takes_the_focus_where_no_window_manager_gives_it(now):
    handle = Handle(here=False)
    assert not handle.focus.is_here()
    handle.told.on_mouse_press(1, 1, 1, 0)
    assert handle.focus.is_here()
