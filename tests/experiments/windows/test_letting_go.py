"""A robot that ends lets go of what it holds down: others use its display after it."""

import sys
import time

import pytest

from experiments.engine.virtual_display import virtual_display
from experiments.robot_input.inject import robot_injector
from experiments.robot_input.input_events import Stroke
from tests.experiments.windows.session_lab import PATIENCE_S

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs a virtual display")


@pytest.mark.window
def test_a_chord_that_ends_a_session_is_not_held_down_after_it():
    from Xlib import X, display

    with virtual_display((200, 200)):
        screen = display.Display()
        root = screen.screen()
        window = root.root.create_window(0, 0, 100, 100, 0, root.root_depth)
        window.map()
        window.set_input_focus(X.RevertToParent, X.CurrentTime)
        screen.sync()
        with robot_injector(window.id) as injector:
            chord = Stroke("return", time.perf_counter(), PATIENCE_S, ("lctrl", "lshift"))
            injector.press(chord)
            until = time.monotonic() + PATIENCE_S
            while not injector.reports() and time.monotonic() < until:
                time.sleep(0.01)
            assert any(screen.query_keymap())
        assert not any(screen.query_keymap())
        screen.close()
