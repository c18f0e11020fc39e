"""Interruptions of a session: pauses, the question whether to stop, a disk that refuses the data.

A pause has a page, the experimenter's note, and a countdown before the session goes on. The
question is whether to go on, to stop for now, or to leave the study for good. If the disk refuses
the data, a screen tells the experimenter what is wrong and what to do. `Awaited` says which presses
a page waits for, during a pause or at any other time.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from experiments.engine.input import MODIFIERS, Press
from experiments.engine.picture import Layers
from experiments.engine.stage import Stage
from experiments.engine.text import TypedLine, typed_line
from experiments.pages.context import SessionContext
from experiments.screens.look import Look
from experiments.screens.page import note_layers, page_layers, rest_layers, sheets_of
from experiments.screens.parts import Area, Footer, Hint, Option
from participants.journal import JournalError
from participants.journal.events import LONGEST_NOTE
from participants.notes import NamingError, refuse_names
from participants.session import GO_ON, LEAVE, LEAVE_FOR_GOOD
from participants.texts import Words
from stimuli.errors import UserError


@dataclass(frozen=True, slots=True)
class Awaited:
    """The presses that end a wait.

    Attributes
    ----------
    keys
        Keys, any of which ends the wait.
    chord
        Whether the chord's modifiers must be down too.
    since_s
        Presses count from this time on; None for the time at which the page came.
    areas
        Areas in which a click stands for a key, by the key.
    """

    keys: frozenset[str]
    chord: bool = False
    since_s: float | None = None
    areas: Mapping[str, Area] = field(default_factory=dict)

    def is_met_by(self, press: Press, after_s: float) -> bool:
        """Return whether a press after a time ends the wait."""
        return press.key in self.keys and press.chord == self.chord and press.t_s > after_s


CONFIRM: Final = "return"
CHORD_CAPS: Final = ("lctrl", "lshift")
POLL_S: Final = 0.004
REFLIP_S: Final = 0.25


@dataclass(frozen=True, slots=True)
class PauseSettings:
    """Texts of the pages around a pause, in Markdown, and the pause's countdown.

    Attributes
    ----------
    pause
        Shown while the session is paused.
    away
        Shown while another window has the keyboard's focus: how to come back.
    note
        Shown above the note that the experimenter types.
    countdown_s
        Time from the key that ends the pause until the session continues.
    """

    pause: str
    away: str
    note: str
    countdown_s: float = 0.0


class Waiter(Protocol):
    """The methods of `experiments.pages.waiting.Waiting` that a pause uses."""

    def between(self) -> None:
        """React to chords and to a lost focus."""

    def for_key(
        self, name: str, layers: Layers, awaited: Awaited, tell: Callable[[float], None]
    ) -> Any:
        """Show layers until one of the keys goes down."""

    def notice(self, name: str, layers: Layers, shown_s: float) -> None:
        """Show something for a while."""

    def is_disturbed_again(self) -> bool:
        """Return whether the session must pause again just before it continues."""


class Pause:
    """Holds a session until the experimenter continues it.

    Parameters
    ----------
    waiting
        Waits for keys.
    context
        The open window, the actor and the recorder.
    look, words, settings
        Look of the screens, short words, and the pause's texts and countdown.

    Attributes
    ----------
    on
        Whether the session is paused now.
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
        """Pause until Enter is pressed and the countdown runs to its end undisturbed."""
        recorder, actor = self._context.recorder, self._context.actor
        actor.broken_off()
        recorder.append("pause", reason=reason)
        note = Hint((*map(self._words.cap, CHORD_CAPS), "N"), self._words["write_note"])
        on = Hint((self._words.cap("return"),), self._words["continue"])
        layers = rest_layers(self._look, self._settings.pause, Footer(on=on, back=note))
        self.on = True
        try:
            going_on = False
            while not going_on:
                self._waiting.between()
                self._waiting.for_key(
                    "pause",
                    layers,
                    Awaited(frozenset({CONFIRM})),
                    lambda from_s: actor.turn("return", from_s),
                )
                going_on = self._counted_down()
        finally:
            self.on = False
        recorder.append("continue")

    def await_focus(self) -> None:
        """Show how to come back for as long as another window has the keyboard's focus."""
        if self._stage.focus.is_here():
            return
        layers = rest_layers(self._look, self._settings.away, Footer())
        picture = self._stage.picture(layers)
        self._context.album.keep("away", self._stage, picture)
        began_s = shown_s = self._stage.frame(picture)
        while not self._stage.focus.is_here():
            self._stage.nap(POLL_S)
            if self._stage.now_s() - shown_s > REFLIP_S:
                shown_s = self._stage.frame(picture)
            self._check_patience(began_s)
        picture.free()

    def write_note(self) -> None:
        """Let the experimenter type a note that names nobody; record it unless it is empty."""
        with typed_line(self._stage.window, LONGEST_NOTE) as line:
            refused = ""
            while line.open:
                self._stage.nap(POLL_S)
                # Chords count before and after a note, not while it is typed.
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
        """Return the message about a note that names somebody; empty for any other note."""
        try:
            refuse_names(note)
        except NamingError as naming:
            return self._words.filled("note_refused", found=naming.named)
        return ""

    def _show(self, line: TypedLine, refused: str) -> None:
        cap, words = self._words.cap, self._words
        footer = Footer(
            on=Hint((cap("return"),), words["keep_note"]),
            back=Hint((cap("escape"),), words["drop_note"]),
        )
        note = self._settings.note
        text = f"{note}\n\n{refused}" if refused else note
        picture = self._stage.picture(note_layers(self._look, text, line.text, footer))
        self._stage.frame(picture)
        picture.free()

    def _counted_down(self) -> bool:
        """Count down until the session continues; return False if something interrupts it."""
        until_s = self._stage.now_s() + self._settings.countdown_s
        while (left_s := until_s - self._stage.now_s()) > 0:
            seconds = math.ceil(left_s)
            text = self._words.filled("count_down", seconds=str(seconds))
            layers = rest_layers(self._look, f"# {text}", Footer())
            self._waiting.notice("countdown", layers, left_s - seconds + 1)
            if self._waiting.is_disturbed_again():
                return False
        return True

    def _check_patience(self, began_s: float) -> None:
        patience_s = self._context.actor.patience_s
        if patience_s is not None and self._stage.now_s() - began_s > patience_s:
            raise UserError(
                "robot: another window has the keyboard's focus; leave the robot's display "
                "alone, or let it have a display of its own"
            )


HOLD_S: Final = 1.0
GO_ON_KEY, STOP_KEY, LEAVE_KEY = "space", "return", "delete"
HELD: Final = {STOP_KEY: LEAVE, LEAVE_KEY: LEAVE_FOR_GOOD}
"""A break's answer for each key that is held; any other key is `GO_ON`."""


def ask_whether_to_stop(
    context: SessionContext,
    look: Look,
    words: Words,
    pressed: Callable[[], Iterable[Press]],
    tell: Callable[[float], None],
    name: str,
) -> str:
    """Ask whether to stop, and return a break's answer.

    An answer that ends something is confirmed by holding its key; any other key continues.

    Parameters
    ----------
    context
        The open window, and the album for pictures of it.
    look, words
        Look of the screens, and the short words in the session's language.
    pressed
        Returns the key presses since the last call, in order.
    tell
        Called when the question is shown, with the time (monotonic seconds).
    name
        The screen's name.
    """
    stage = context.stage
    picture = stage.picture(_layers(look, words))
    context.album.keep(name, stage, picture)
    shown_s = stage.frame(picture)
    picture.free()
    tell(shown_s)
    held: Press | None = None
    while True:
        stage.nap(POLL_S)
        for press in pressed():
            if press.t_s <= shown_s or press.chord or press.key in MODIFIERS:
                continue
            if press.key not in HELD:
                return GO_ON
            held = press
        if held is None or not _is_down(stage, HELD[held.key]):
            held = None
        elif stage.now_s() - held.t_s >= HOLD_S:
            return HELD[held.key]


def _is_down(stage: Stage, answer: str) -> bool:
    """Return whether a key for an answer is down while our window has the focus."""
    keys = (key for key, meant in HELD.items() if meant == answer)
    return stage.focus.is_here() and any(stage.keyboard.is_down(key) for key in keys)


def _layers(look: Look, words: Words) -> Layers:
    options = [
        Option(words.cap(GO_ON_KEY), words["continue"]),
        Option(words.cap(STOP_KEY), words["stop_for_now"]),
        Option(words.cap(LEAVE_KEY), words["leave_for_good"]),
    ]
    saved = words.filled("stop_saved", stop_key=words.key(STOP_KEY), leave_key=words.key(LEAVE_KEY))
    question = f"# {words['stop_question']}\n\n{saved}"
    (sheet, *_) = sheets_of(look, question, options)
    return page_layers(look, sheet, Footer())


END_KEY: Final = "x"
"""Ends the session together with the chord's modifiers; Q lies elsewhere on French keyboards."""
DISK_REFUSED: Final = "disk refused"
"""Reason for a pause, in the journal."""


class Pauser(Protocol):
    """Something that can pause a session, such as `experiments.pages.waiting.Waiting`."""

    def pause_next(self, reason: str) -> None:
        """Pause before the next stimulus."""


class Unsaved:
    """Asks what to do if the journal can't be written; the question itself isn't recorded.

    Parameters
    ----------
    pauser
        Pauses the session once the journal can be written again.
    context
        The open window and the actor.
    look, words
        Look of the screens, and the short words in the session's language.
    text
        Text for any cause, Markdown.
    """

    def __init__(
        self, pauser: Pauser, context: SessionContext, look: Look, words: Words, text: str
    ) -> None:
        self._pauser, self._context, self._stage = pauser, context, context.stage
        self._look, self._words, self._text = look, words, text

    def ask(self, error: JournalError, tries: int) -> bool:
        """Show the error until Enter tries again (True) or the chord ends the session (False).

        A robot doesn't answer for the experimenter: its session ends if nobody answers.

        Parameters
        ----------
        error
            The error.
        tries
            Number of failed attempts so far. The screen shows it, or it would look as if nobody
            had pressed the key.
        """
        self._context.actor.broken_off()
        again = self._answered(error, tries)
        if again:
            # The participant was interrupted.
            self._pauser.pause_next(DISK_REFUSED)
        return again

    def _answered(self, error: JournalError, tries: int) -> bool:
        words, caps = self._words, map(self._words.cap, CHORD_CAPS)
        parts = [self._text, words[f"unsaved_{error.cause}"], words["unsaved_then"]]
        if tries:
            parts.insert(1, words.filled("unsaved_again", tries=str(tries)))
        footer = Footer(
            on=Hint((words.cap("return"),), words["try_again"]),
            back=Hint((*caps, END_KEY.upper()), words["end_session"]),
        )
        picture = self._stage.picture(rest_layers(self._look, "\n\n".join(parts), footer))
        name = f"unsaved-{error.cause}{'-again' if tries else ''}"
        self._context.album.keep(name, self._stage, picture)
        shown_s = flipped_s = self._stage.frame(picture)
        patience_s = self._context.actor.patience_s
        try:
            while True:
                self._stage.nap(POLL_S)
                for press in self._stage.presses():
                    if press.t_s > shown_s and (answer := _answer(press)) is not None:
                        return answer
                if patience_s is not None and self._stage.now_s() - shown_s > patience_s:
                    return False
                if self._stage.now_s() - flipped_s > REFLIP_S:
                    flipped_s = self._stage.frame(picture)
        finally:
            picture.free()


def _answer(press: Press) -> bool | None:
    """Return True if a press tries again, False if it ends the session, None for any other."""
    if press.key == CONFIRM and not press.chord:
        return True
    return False if press.chord and press.key == END_KEY else None
