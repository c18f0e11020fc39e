"""A pause: its page, the experimenter's note, and the countdown after it."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol

from experiments.engine.picture import Layers
from experiments.engine.typed_line import TypedLine, typed_line
from experiments.pages.awaited import Awaited
from experiments.pages.context import SessionContext
from experiments.screens.look import Look
from experiments.screens.page import rest_layers
from experiments.screens.parts import Footer, Hint
from experiments.screens.pauses import note_layers
from participants.journal.events import LONGEST_NOTE
from participants.nameless import NamingError, refuse_names
from participants.texts import Words
from stimuli.errors import UserError

CONFIRM: Final = frozenset({"return", "num_enter"})
NOTE_CAPS: Final = ("lctrl", "lshift")
POLL_S: Final = 0.004
REFLIP_S: Final = 0.25


@dataclass(frozen=True, slots=True)
class PauseSettings:
    """What pages around a pause say, in Markdown, and how it ends.

    Attributes
    ----------
    pause
        While the session is paused.
    away
        While another window has the keyboard's focus: how to come back.
    note
        Above the note that the experimenter types.
    countdown_s
        From the key that ends the pause to the session's going on.
    """

    pause: str
    away: str
    note: str
    countdown_s: float = 0.0


class Waiter(Protocol):
    """What a pause asks of whoever waits for keys; see `experiments.pages.waiting.Waiting`."""

    def between(self) -> None:
        """React to chords and to a lost focus."""

    def for_key(
        self, name: str, layers: Layers, awaited: Awaited, tell: Callable[[float], None]
    ) -> Any:
        """Show layers until one of the keys goes down."""

    def notice(self, name: str, layers: Layers, shown_s: float) -> None:
        """Show something for a while."""

    def is_disturbed_again(self) -> bool:
        """Return whether something asks for a pause while the session is about to go on."""


class Pause:
    """Holds a session until the experimenter lets it go on.

    Parameters
    ----------
    waiting
        Waits for keys.
    context
        Where it is shown, and who answers and keeps it.
    look, words, settings
        How it looks, what it says and how it ends.

    Attributes
    ----------
    on
        Whether it holds the session now.
    """

    def __init__(
        self,
        waiting: Waiter,
        context: SessionContext,
        look: Look,
        words: Words,
        settings: PauseSettings,
    ) -> None:
        self._waiting, self._context, self._stage = waiting, context, context.stage
        self._look, self._words, self._settings = look, words, settings
        self.on = False

    def hold(self, reason: str) -> None:
        """Pause until Enter was pressed and the countdown ran to its end undisturbed."""
        recorder, actor = self._context.recorder, self._context.actor
        actor.broken_off()
        recorder.append("pause", reason=reason)
        note = Hint((*map(self._words.cap, NOTE_CAPS), "N"), self._words["write_note"])
        on = Hint((self._words.cap("return"),), self._words["continue"])
        layers = rest_layers(self._look, self._settings.pause, Footer(on=on, back=note))
        self.on = True
        try:
            going_on = False
            while not going_on:
                self._waiting.between()
                self._waiting.for_key(
                    "pause", layers, Awaited(CONFIRM), lambda from_s: actor.turn("return", from_s)
                )
                going_on = self._counted_down()
        finally:
            self.on = False
        recorder.append("continue")

    def await_focus(self) -> None:
        """Tell how to come back, for as long as another window has the keyboard's focus."""
        if self._stage.focus.is_here():
            return
        layers = rest_layers(self._look, self._settings.away, Footer())
        picture = self._stage.picture(layers)
        self._context.album.keep("away", self._stage, picture)
        began_s = shown_s = self._stage.frame(picture)
        while not self._stage.focus.is_here():
            time.sleep(POLL_S)
            if time.perf_counter() - shown_s > REFLIP_S:
                shown_s = self._stage.frame(picture)
            self._check_patience(began_s)
        picture.free()

    def write_note(self) -> None:
        """Have a note typed that names nobody, and record it unless it is empty."""
        with typed_line(self._stage.window, LONGEST_NOTE) as line:
            refused = ""
            while line.open:
                time.sleep(POLL_S)
                # Chords are asked for before or after a note, not within it.
                self._stage.presses()
                if not self._stage.focus.is_here():
                    self.await_focus()
                    self._show(line, refused)
                elif line.has_changed():
                    self._show(line, refused)
                if not line.open and (refused := self._refused(line.text)):
                    line.open = True
                    self._show(line, refused)
        if line.text:
            self._context.recorder.append("note", at="pause", text=line.text)

    def _refused(self, note: str) -> str:
        """Return what is said of a note that names somebody; empty of any other."""
        try:
            refuse_names(note)
        except NamingError as naming:
            return self._words.filled("note_refused", found=naming.found)
        return ""

    def _show(self, line: TypedLine, refused: str) -> None:
        cap, words = self._words.cap, self._words
        footer = Footer(
            on=Hint((cap("return"),), words["keep_note"]),
            back=Hint((cap("escape"),), words["drop_note"]),
        )
        said = self._settings.note
        text = f"{said}\n\n{refused}" if refused else said
        picture = self._stage.picture(note_layers(self._look, text, line.text, footer))
        self._stage.frame(picture)
        picture.free()

    def _counted_down(self) -> bool:
        """Tell how soon the session goes on; return False where something came between."""
        until_s = time.perf_counter() + self._settings.countdown_s
        while (left_s := until_s - time.perf_counter()) > 0:
            seconds = math.ceil(left_s)
            text = self._words.filled("count_down", seconds=str(seconds))
            layers = rest_layers(self._look, f"# {text}", Footer())
            self._waiting.notice("countdown", layers, left_s - seconds + 1)
            if self._waiting.is_disturbed_again():
                return False
        return True

    def _check_patience(self, began_s: float) -> None:
        patience_s = self._context.actor.patience_s
        if patience_s is not None and time.perf_counter() - began_s > patience_s:
            raise UserError(
                "robot: another window has the keyboard's focus; leave the robot's display "
                "alone, or let it have a display of its own"
            )
