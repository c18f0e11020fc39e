"""Hands at our window and at another one, which take the keyboard's focus as a window manager does.

A probe's script runs in a thread of its own; what it does is done before the next line of it.
"""

import os
import threading
import time
import traceback
from contextlib import contextmanager

from experiments.robot_input.inject import robot_injector
from experiments.robot_input.input_events import Stroke

HOLD_S = 0.03
CHORD = ("lctrl", "lshift")


class Hands:
    """Types into our window and into another, each with the focus before it."""

    def __init__(self, display, ours, other, injectors):
        self._display = display
        self._windows = {"ours": display.create_resource_object("window", ours), "other": other}
        self._injectors = injectors

    def focus(self, name):
        """Have a window focused, as a window manager does."""
        from Xlib import X

        self._windows[name].set_input_focus(X.RevertToParent, X.CurrentTime)
        self._display.sync()

    def type(self, name, *keys, modifiers=(), hold_s=HOLD_S):
        """Press keys one by one in a window that has the focus; return when the last is up."""
        for key in keys:
            injector = self._injectors[name]
            injector.reports()
            injector.press(Stroke(key, time.perf_counter(), hold_s, modifiers))
            while not injector.reports():
                time.sleep(0.01)
            time.sleep(hold_s + 0.06)

    def lay(self, name, *, over):
        """Lay a window over all others or below them; the focus stays where it is."""
        from Xlib import X

        self._windows[name].configure(stack_mode=X.Above if over else X.Below)
        self._display.sync()

    def click(self, x_px, y_px):
        """Click at a place of the screen, whoever has the focus."""
        from Xlib import X
        from Xlib.ext import xtest

        xtest.fake_input(self._display, X.MotionNotify, x=x_px, y=y_px)
        for kind in (X.ButtonPress, X.ButtonRelease):
            xtest.fake_input(self._display, kind, 1)
        self._display.sync()

    def lock(self):
        """Take the keyboard and leave the focus, as a locked screen does."""
        from Xlib import X

        self._windows["other"].grab_keyboard(True, X.GrabModeAsync, X.GrabModeAsync, X.CurrentTime)
        self._display.sync()

    def unlock(self):
        from Xlib import X

        self._display.ungrab_keyboard(X.CurrentTime)
        self._display.sync()

    def seen(self, box):
        """Return the pixels of a part of the screen (left, top, width, height), as bytes."""
        from Xlib import X

        root = self._display.screen().root
        return root.get_image(*box, X.ZPixmap, 0xFFFFFF).data

    @contextmanager
    def doing(self, script, *arguments):
        """Run a script beside the block; if it fails, the process ends.

        Otherwise our window would wait for keys that nobody presses.
        """

        def run():
            try:
                script(self, *arguments)
            except BaseException:
                traceback.print_exc()
                os._exit(1)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        yield
        thread.join()


@contextmanager
def hands_at(window_id):
    """Give hands at our window (by its id) and at a small one below it, at the lower right."""
    from Xlib import X, display

    screen = display.Display()
    root = screen.screen()
    wide, high = root.width_in_pixels, root.height_in_pixels
    other = root.root.create_window(wide - 60, high - 60, 50, 50, 0, root.root_depth)
    other.configure(stack_mode=X.Below)
    other.map()
    screen.sync()
    with robot_injector(window_id) as ours, robot_injector(other.id) as others:
        yield Hands(screen, window_id, other, {"ours": ours, "other": others})
    screen.close()


class Watched:
    """An onset that a script waits for."""

    def __init__(self):
        self._came = threading.Event()

    def onset(self, onset_s):
        self._came.set()

    @property
    def came(self):
        """Whether there was an onset since the last one that was waited for."""
        return self._came.is_set()

    def wait(self):
        assert self._came.wait(timeout=60), "no stimulus came"
        self._came.clear()
