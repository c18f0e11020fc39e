"""Clicks on a page: where each was, and when its button went down.

The window knows where a click was, the hardware's queue when (`engine.joining`). Without such a
queue a click bears the time at which it was seen: on a page nothing is timed to a frame.
"""

import time
from collections.abc import Iterable

from experiments.engine.input import Press
from experiments.engine.joining import Happening, Joiner
from experiments.engine.mouse import MouseButtons
from experiments.engine.pointer import Pointer
from experiments.engine.window import Window

BUTTON = "left"


class Clicks:
    """Listens to a window's clicks of the left button for as long as the window is open.

    Parameters
    ----------
    window
        Whose clicks.
    mouse
        Stamps them, where the stage's own presses hold none of the mouse's.
    """

    def __init__(self, window: Window, mouse: MouseButtons | None = None) -> None:
        self._pointer = Pointer(window, moves=False)
        self._mouse = mouse
        self._joiner = Joiner()

    def poll(self, presses: Iterable[Press] = ()) -> tuple[Press, ...]:
        """Return the clicks since the last poll, each with its place.

        Parameters
        ----------
        presses
            The mouse's since the last poll, where the stage listens to it.
        """
        happenings = [
            Happening("down", BUTTON, None, "mouse", (event.x_px, event.y_px))
            for event in self._pointer.poll()
            if (event.kind, event.button) == ("down", BUTTON)
        ]
        own = () if self._mouse is None else self._mouse.poll()
        stamped = [press for press in (*presses, *own) if press.key == BUTTON]
        return tuple(
            Press(BUTTON, click.t_s, device="mouse", place_px=click.place_px)
            for click in self._joiner.join(happenings, stamped, time.perf_counter())
        )

    def forget(self) -> None:
        """Let go of what was clicked so far."""
        self.poll()
        self._joiner.clear()
