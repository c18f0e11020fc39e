"""One plate's answer and painting in the making: what keys and pointer do to them."""

from typing import Final

from experiments.engine.input import Press
from experiments.engine.pointer import PointerEvent
from experiments.screens.painting import PlateBox
from participants.strokes.canvas import Canvas
from participants.strokes.painting import Act, Box, Tool
from participants.studies.accept_reject.annotation import Refusal, refusal
from stimuli.images.predictions import NO_SOLUTION

DIGITS: Final = {
    **{str(digit): str(digit) for digit in range(10)},
    **{f"num_{digit}": str(digit) for digit in range(10)},
}
NO_SOLUTION_KEY: Final = "n"
ERASER_KEY: Final = "e"
UNDO_KEY: Final = "backspace"
UNDO_WITH_CONTROL: Final = "z"
CLEAR_KEY: Final = "delete"
DONE_KEYS: Final = frozenset({"return", "num_enter"})
LARGER_KEY, SMALLER_KEY = "up", "down"


class PlateWork:
    """Takes presses and the pointer's events, and knows whether the plate is done.

    Parameters
    ----------
    box
        Where the plate lies on the screen.
    radius
        Of the brush at the beginning.

    Attributes
    ----------
    onset_s
        When the plate came first; set by whoever shows it.
    label, label_s
        The answer as it stands, and the time of the press that gave it.
    tool
        What the left button does.
    message
        Why the last try to go on was refused; None after anything else was done.
    done_s
        Time of the press that confirmed; None before it.
    """

    def __init__(self, box: PlateBox, radius: int) -> None:
        self.onset_s = 0.0
        self.label: str | None = None
        self.label_s = 0.0
        self.tool: Tool = "brush"
        self.message: Refusal | None = None
        self.done_s: float | None = None
        self._box = box
        self._canvas = Canvas(radius)
        self._held: str | None = None
        self._changed: list[Box] = []

    @property
    def radius(self) -> int:
        """Of the brush now."""
        return self._canvas.radius

    @property
    def shown_tool(self) -> Tool:
        """What is being drawn with, or would be."""
        return "eraser" if self._held == "right" else self.tool

    @property
    def canvas(self) -> Canvas:
        """The painting."""
        return self._canvas

    @property
    def acts(self) -> tuple[Act, ...]:
        """All that was done with brush and eraser."""
        return self._canvas.acts

    def press(self, press: Press, *, control: bool) -> bool:
        """Take a key; return whether it answers (a digit, or no solution).

        Parameters
        ----------
        press
            The key, stamped when it went down.
        control
            Whether Ctrl is held.
        """
        if press.chord or self.done_s is not None:
            return False
        label = NO_SOLUTION if press.key == NO_SOLUTION_KEY else DIGITS.get(press.key)
        if press.key in DONE_KEYS:
            self._try_to_finish(press.t_s)
        elif label is not None:
            self.label, self.label_s, self.message = label, press.t_s, None
        else:
            self._change(press, control=control)
        return label is not None

    def pointer(self, event: PointerEvent, now_s: float) -> None:
        """Take something that the pointer did since the last frame."""
        if self.done_s is not None:
            return
        x, y = self._box.to_mask(event.x_px, event.y_px)
        at_ms = self._ms(now_s)
        if event.kind == "move":
            self._note(self._canvas.move(at_ms, x, y))
        elif event.kind == "wheel" and event.steps:
            self._resize(1 if event.steps > 0 else -1, at_ms, x, y)
        elif event.kind == "down" and event.button in ("left", "right"):
            self._held = event.button
            self.message = None
            self._note(self._canvas.begin(self.shown_tool, at_ms, x, y))
        elif event.kind == "up" and event.button == self._held:
            self._held = None
            self._canvas.end()

    def let_go(self) -> None:
        """End a stroke under way: the plate is taken away, or the answer was confirmed."""
        self._held = None
        self._canvas.end()

    def take_changes(self) -> list[Box]:
        """Return rows and columns of the mask that may have changed since the last call."""
        changed, self._changed = self._changed, []
        return changed

    def _try_to_finish(self, t_s: float) -> None:
        self._canvas.end()
        self._held = None
        self.message = refusal(self.label, painted=bool(self._canvas.mask.any()))
        if self.message is None:
            self.done_s = t_s

    def _change(self, press: Press, *, control: bool) -> None:
        at_ms = self._ms(press.t_s)
        if press.key == UNDO_KEY or (control and press.key == UNDO_WITH_CONTROL):
            self._note(self._canvas.undo(at_ms))
        elif press.key == CLEAR_KEY:
            self._note(self._canvas.clear(at_ms))
        elif press.key == ERASER_KEY:
            self._canvas.end()
            self.tool = "brush" if self.tool == "eraser" else "eraser"
        elif press.key in (LARGER_KEY, SMALLER_KEY):
            self._canvas.resize(1 if press.key == LARGER_KEY else -1)
        else:
            return
        self.message = None

    def _resize(self, steps: int, at_ms: int, x: int, y: int) -> None:
        """Change the brush's size; with a button down, go on with the new size."""
        self._canvas.resize(steps)
        if self._held is not None:
            self._note(self._canvas.begin(self.shown_tool, at_ms, x, y))

    def _note(self, changed: Box | None) -> None:
        if changed is not None:
            self._changed.append(changed)

    def _ms(self, time_s: float) -> int:
        return max(0, round((time_s - self.onset_s) * 1000))
