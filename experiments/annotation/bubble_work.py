"""One image's bubbles in the making: what keys and pointer do to them."""

from typing import Final

import numpy as np

from experiments.annotation.work import CLEAR_KEY, DONE_KEYS, UNDO_KEY, UNDO_WITH_CONTROL
from experiments.engine.input import Press
from experiments.engine.pointer import PointerEvent
from experiments.screens.painting import PlateBox
from participants.strokes.bubble_canvas import BubbleCanvas
from participants.strokes.painting import Act, Box

NOTHING_MARKED: Final = "nothing_marked"


class BubbleWork:
    """Takes presses and the pointer's events, and knows whether the image is done.

    Parameters
    ----------
    box
        Where the image lies on the screen.

    Attributes
    ----------
    onset_s
        When the image came first; set by whoever shows it.
    canvas
        The bubbles.
    shown
        float32 (256, 256): how strongly they show on the screen, 0…1; kept by whoever shows it.
    message
        Why the last try to go on was refused; None after anything else was done.
    done_s
        Time of the press that confirmed; None before it.
    """

    def __init__(self, box: PlateBox) -> None:
        self.onset_s = 0.0
        self.canvas = BubbleCanvas()
        self.shown = np.zeros_like(self.canvas.counts)
        self.message: str | None = None
        self.done_s: float | None = None
        self._box = box
        self._changed: list[Box] = []

    @property
    def acts(self) -> tuple[Act, ...]:
        """All that was done."""
        return self.canvas.acts

    def press(self, press: Press, *, control: bool) -> bool:
        """Take a key; return whether it confirms.

        Parameters
        ----------
        press
            The key, stamped when it went down.
        control
            Whether Ctrl is held.
        """
        if press.chord or self.done_s is not None:
            return False
        if press.key in DONE_KEYS:
            self.canvas.end()
            self.message = None if self.canvas.marked else NOTHING_MARKED
            self.done_s = press.t_s if self.canvas.marked else None
            return self.canvas.marked
        at_ms = self._ms(press.t_s)
        if press.key == UNDO_KEY or (control and press.key == UNDO_WITH_CONTROL):
            self._note(self.canvas.undo(at_ms))
        elif press.key == CLEAR_KEY:
            self._note(self.canvas.clear(at_ms))
        return False

    def pointer(self, event: PointerEvent, now_s: float) -> None:
        """Take something that the pointer did since the last frame."""
        if self.done_s is not None:
            return
        at_ms, (x, y) = self._ms(now_s), self._box.to_mask(event.x_px, event.y_px)
        if event.kind == "move":
            self._note(self.canvas.move(at_ms, x, y))
        elif event.kind == "down" and event.button == "left":
            self.message = None
            self._note(self.canvas.begin(at_ms, x, y))
        elif event.kind == "up" and event.button == "left":
            self.canvas.end()

    def let_go(self) -> None:
        """End a stroke under way: the image is taken away, or what is marked was confirmed."""
        self.canvas.end()

    def take_changes(self) -> list[Box]:
        """Return rows and columns that may have changed since the last call."""
        changed, self._changed = self._changed, []
        return changed

    def _note(self, changed: Box | None) -> None:
        if changed is not None:
            self.message = None
            self._changed.append(changed)

    def _ms(self, time_s: float) -> int:
        return max(0, round((time_s - self.onset_s) * 1000))
