"""One picture's answer and strokes in the making: what keys and pointer do to them."""

from typing import Final

from experiments.engine.input import Press
from experiments.engine.pointer import PointerEvent
from experiments.screens.strokes import PictureBox
from participants.session import StrokeKind
from participants.strokes.acts import Act, Box, Tool
from participants.strokes.canvas import Canvas

ERASER_KEY: Final = "e"
UNDO_KEY: Final = "backspace"
UNDO_WITH_CONTROL: Final = "z"
CLEAR_KEY: Final = "delete"
DONE_KEYS: Final = frozenset({"return", "num_enter"})
LARGER_KEY, SMALLER_KEY = "up", "down"


class StrokeWork:
    """Takes presses and the pointer's events, and knows whether the picture is done.

    Parameters
    ----------
    box
        Where the picture lies on the screen.
    kind
        What the strokes are for.
    radius
        Of the brush at the beginning; None for the brush's first.

    Attributes
    ----------
    canvas
        What is marked.
    onset_s
        When the picture came first; set by whoever shows it, 0 before.
    label, label_s
        The answer as it stands, and the time of the press that gave it.
    tool
        What the left button does.
    message
        Why the last try to go on was refused; None after anything else was done.
    done_s
        Time of the press that confirmed; None before it.
    """

    def __init__(self, box: PictureBox, kind: StrokeKind, radius: int | None = None) -> None:
        self.canvas = Canvas(kind.brush, radius)
        self.onset_s = 0.0
        self.label: str | None = None
        self.label_s = 0.0
        self.tool: Tool = "brush"
        self.message: str | None = None
        self.done_s: float | None = None
        self._box, self._kind = box, kind
        self._held: str | None = None
        self._changed: list[Box] = []

    @property
    def shown_tool(self) -> Tool:
        """What is being drawn with, or would be."""
        return "eraser" if self._held == "right" else self.tool

    @property
    def acts(self) -> tuple[Act, ...]:
        """All that was done with the brush."""
        return self.canvas.acts

    def press(self, press: Press, *, control: bool) -> bool:
        """Take a key; return whether it is a response.

        A response is an answer, or, where none is asked for, the press that confirms.

        Parameters
        ----------
        press
            The key, stamped when it went down.
        control
            Whether Ctrl is held.
        """
        if press.chord or self.done_s is not None:
            return False
        answers = self._kind.answer_keys
        if press.key in DONE_KEYS:
            self._try_to_finish(press.t_s)
            return self.done_s is not None and not answers
        if press.key in answers:
            self.label, self.label_s, self.message = answers[press.key], press.t_s, None
            return True
        self._change(press, control=control)
        return False

    def pointer(self, event: PointerEvent, now_s: float) -> None:
        """Take something that the pointer did since the last frame."""
        if self.done_s is not None:
            return
        x, y = self._box.to_mask(event.x_px, event.y_px)
        at_ms = self._ms(now_s)
        if event.kind == "move":
            self._note(self.canvas.move(at_ms, x, y))
        elif event.kind == "wheel" and event.steps and self._has_sizes:
            self._resize(1 if event.steps > 0 else -1, at_ms, x, y)
        elif event.kind == "down" and self._draws(event.button):
            self._held = event.button
            self.message = None
            self._note(self.canvas.begin(self.shown_tool, at_ms, x, y))
        elif event.kind == "up" and event.button == self._held:
            self.let_go()

    def let_go(self) -> None:
        """End an open stroke: the picture is taken away, or the button was let go."""
        self._held = None
        self.canvas.end()

    def take_changes(self) -> list[Box]:
        """Return rows and columns of the canvas that may have changed since the last call."""
        changed, self._changed = self._changed, []
        return changed

    @property
    def _has_eraser(self) -> bool:
        return "eraser" in self._kind.brush.tools

    @property
    def _has_sizes(self) -> bool:
        return len(self._kind.brush.radii) > 1

    def _draws(self, button: str | None) -> bool:
        return button == "left" or (button == "right" and self._has_eraser)

    def _try_to_finish(self, t_s: float) -> None:
        self.let_go()
        self.message = self._kind.refusal(self.label, self.canvas.marked)
        if self.message is None:
            self.done_s = t_s

    def _change(self, press: Press, *, control: bool) -> None:
        at_ms = self._ms(press.t_s)
        if press.key == UNDO_KEY or (control and press.key == UNDO_WITH_CONTROL):
            self._note(self.canvas.undo(at_ms))
        elif press.key == CLEAR_KEY:
            self._note(self.canvas.clear(at_ms))
        elif press.key == ERASER_KEY and self._has_eraser:
            self.canvas.end()
            self.tool = "brush" if self.tool == "eraser" else "eraser"
        elif press.key in (LARGER_KEY, SMALLER_KEY) and self._has_sizes:
            self.canvas.resize(1 if press.key == LARGER_KEY else -1)
        else:
            return
        self.message = None

    def _resize(self, steps: int, at_ms: int, x: int, y: int) -> None:
        """Change the brush's size; with a button down, go on with the new size."""
        self.canvas.resize(steps)
        if self._held is not None:
            self._note(self.canvas.begin(self.shown_tool, at_ms, x, y))

    def _note(self, changed: Box | None) -> None:
        if changed is not None:
            self._changed.append(changed)

    def _ms(self, time_s: float) -> int:
        return max(0, round((time_s - self.onset_s) * 1000))
