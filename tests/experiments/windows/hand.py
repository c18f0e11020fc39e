"""An experimenter's hand at a session's window."""

import time
from contextlib import contextmanager

from experiments.robot_input.inject import robot_injector
from experiments.robot_input.input_events import Stroke
from tests.experiments.windows.session_lab import PATIENCE_S


@contextmanager
def experimenters_hand():
    """A hand in whatever window has the focus, as soon as one has."""
    from Xlib import display

    screen = display.Display()
    root, until_s = screen.screen().root.id, time.monotonic() + PATIENCE_S
    # Without a window the focus is none's (0), the pointer's (1) or the root's.
    while (focus := _focus_of(screen)) in (0, 1, root) and time.monotonic() < until_s:
        time.sleep(0.05)
    with robot_injector(focus) as injector:
        yield injector
    screen.close()


def _focus_of(screen):
    focus = screen.get_input_focus().focus
    return getattr(focus, "id", focus)


def press_chord(injector, key):
    injector.press(Stroke(key, time.perf_counter() + 0.05, modifiers=("lctrl", "lshift")))
    time.sleep(0.4)


def confirm_until_ended(injector, process):
    """Hold Return, and again: on a busy PC the question may not be up when it goes down."""
    until_s = time.monotonic() + PATIENCE_S
    while process.poll() is None and time.monotonic() < until_s:
        injector.press(Stroke("return", time.perf_counter() + 0.4, hold_s=1.6))
        time.sleep(2.4)
