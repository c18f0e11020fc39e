"""What stands on the screen until a key or a time comes; the chords that pause and end."""

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import asdict, replace
from typing import Final

from experiments.engine.clock import ClockWatch, Moment, nap
from experiments.engine.input import MODIFIERS, Press
from experiments.engine.picture import Layers, Picture
from experiments.engine.pointer import pointer_shown
from experiments.pages.context import SessionContext
from experiments.pages.records import record_triggers
from experiments.screens.look import Look
from experiments.screens.notices import question_layers
from experiments.screens.page import rest_layers
from experiments.screens.parts import Area, Footer, Hint, key_at
from participants.session import SessionAborted
from participants.texts import Words

CONFIRM: Final = frozenset({"return", "num_enter"})
PAUSE_KEY, ABORT_KEY = "p", "q"
HOLD_S = 1.0
POLL_S = 0.004
REFLIP_S = 0.25
CONFIRMED_BY_KEY: Final = "confirmed by key"

Tell = Callable[[float], None]
"""Tells who answers that something waits, since a time (seconds of `time.perf_counter`)."""


def untold(from_s: float) -> None:
    """Tell nobody."""


class Waiting:
    """Shows pictures on a stage and waits; nothing here is timed to a frame.

    All the while it answers the chords that pause and end the session.

    Parameters
    ----------
    context
        Where it is shown, and who answers and keeps it.
    look, words
        How it looks, and the short words in the language.
    pause_text
        The text of the pause page, Markdown.
    """

    def __init__(self, context: SessionContext, look: Look, words: Words, pause_text: str) -> None:
        self._context, self._stage, self._actor = context, context.stage, context.actor
        self._album, self._recorder = context.album, context.recorder
        self._look = look
        self._words = words
        self._pause_text = pause_text
        self._pause_asked = self._end_asked = False
        self._inbox: deque[Press] = deque()
        self._buttons: list[Press] = []
        self._clocks = ClockWatch(context.stage.keyboard.clock)

    def check_clock(self, at: Moment) -> None:
        """Compare the clocks and record their offsets; a step of either is flagged."""
        self._recorder.append("clock", at=at, **asdict(self._clocks.compare()))

    def begin_block(self) -> None:
        """Compare the clocks, send the trigger of a block's start and record it."""
        self.check_clock("block")
        self._stage.triggers.send("block")
        record_triggers(self._context, None)

    def for_key(
        self,
        name: str,
        layers: Layers,
        keys: frozenset[str],
        tell: Tell,
        *,
        chord: bool = False,
        since_s: float | None = None,
        areas: Mapping[str, Area] | None = None,
    ) -> Press:
        """Show layers until one of the keys goes down, and return that press.

        Parameters
        ----------
        name, layers
            Of the screen.
        keys
            That end it.
        tell
            Is called when it came, and again after an interruption.
        chord
            Whether the chord's modifiers have to be down too.
        since_s
            A press counts from then on; None from when the layers came.
        areas
            Where a click stands for a key, by the key.
        """
        picture = self._stage.picture(layers)
        clickable = areas if areas and self._stage.clicks is not None else {}
        try:
            self._album.keep(name, self._stage, picture)
            began_s = self._stage.frame(picture)
            if clickable and since_s is None:
                self._buttons.clear()
                self._stage.clicks.forget()
            tell(began_s)
            after_s = began_s if since_s is None else since_s
            with pointer_shown(self._stage.window) if clickable else nullcontext():
                while True:
                    press = self._next_press(picture, keys, clickable, after_s, tell, chord=chord)
                    if press is not None:
                        return press
                    self._check_patience(name, began_s)
        finally:
            picture.free()

    def notice(self, name: str, layers: Layers, shown_s: float) -> None:
        """Show something for a while."""
        picture = self._stage.picture(layers)
        self.keep_up(name, picture, shown_s)
        picture.free()

    def keep_up(self, name: str, picture: Picture, shown_s: float) -> None:
        """Show a picture for a while."""
        self._album.keep(name, self._stage, picture)
        until_s = self._stage.frame(picture) + shown_s
        while time.perf_counter() < until_s:
            nap(min(POLL_S, max(0.0, until_s - time.perf_counter())))
            self._answer_chords()

    def confirmed(self, name: str, tell: Tell = untold) -> bool:
        """Ask something that is confirmed by holding a key; any other key answers no."""
        question = self._words.filled(f"{name}_question", key=self._words.key("return"))
        layers = question_layers(self._look, _sentences(question))
        picture = self._stage.picture(layers)
        self._album.keep(name, self._stage, picture)
        shown_s = self._stage.frame(picture)
        picture.free()
        tell(shown_s)
        held_since_s: float | None = None
        while True:
            nap(POLL_S)
            for press in self._pressed():
                if press.t_s <= shown_s or press.chord or press.key in MODIFIERS:
                    continue
                if press.key not in CONFIRM:
                    return False
                held_since_s = press.t_s
            down = any(self._stage.keyboard.is_down(key) for key in CONFIRM)
            if not down:
                held_since_s = None
            elif held_since_s is not None and time.perf_counter() - held_since_s >= HOLD_S:
                return True

    def note(self, press: Press) -> bool:
        """Take note of a pause's chord; return whether a press is the chord that ends."""
        self._pause_asked = self._pause_asked or _is_chord(press, PAUSE_KEY)
        return _is_chord(press, ABORT_KEY)

    def note_all(self, presses: Iterable[Press]) -> bool:
        """Take note of all presses; return whether the chord that ends is among them."""
        # All of them: a pause may be asked for as well.
        ending = [self.note(press) for press in presses]
        return any(ending)

    def ask_to_end_next(self) -> None:
        """Ask whether to end as soon as what goes on now is over: the chord met an answer."""
        self._end_asked = True

    def between(self) -> None:
        """React to chords pressed since the last page or trial."""
        self._answer_chords()
        self._pause_if_asked()

    def confirm_abort(self) -> None:
        """Ask whether to end the session; return if not.

        Raises
        ------
        SessionAborted
            If it was confirmed by holding a key.
        """
        self._actor.broken_off()
        if self.confirmed("abort"):
            raise SessionAborted(CONFIRMED_BY_KEY)

    def _pause_if_asked(self) -> bool:
        """Ask what was put off, or pause; return whether something came between."""
        if self._end_asked:
            self._end_asked = False
            self.confirm_abort()
            return True
        if not self._pause_asked:
            return False
        self._pause_asked = False
        self._actor.broken_off()
        self._recorder.append("pause", reason="by key")
        footer = Footer(on=go_on(self._words, "return"))
        layers = rest_layers(self._look, self._pause_text, footer)
        self.for_key("pause", layers, CONFIRM, lambda from_s: self._actor.turn("return", from_s))
        self._recorder.append("continue")
        return True

    def _next_press(
        self,
        picture: Picture,
        keys: frozenset[str],
        areas: Mapping[str, Area],
        after_s: float,
        tell: Tell,
        *,
        chord: bool,
    ) -> Press | None:
        """Return the press of one of the keys, or a click in its area; None if none comes soon."""
        until_s = time.perf_counter() + REFLIP_S
        while time.perf_counter() < until_s:
            nap(POLL_S)
            for press in self._pressed():
                if self.note(press):
                    self.confirm_abort()
                    tell(self._stage.frame(picture))
                elif press.key in keys and press.chord == chord and press.t_s > after_s:
                    return press
            for click in self._clicked() if areas else ():
                key = key_at(areas, click.place_px)
                if key is not None and click.t_s > after_s:
                    return replace(click, key=key)
            if self._pause_if_asked():
                tell(self._stage.frame(picture))
        self._stage.frame(picture)
        return None

    def _pressed(self) -> Iterator[Press]:
        """Yield the keys' presses one by one; what isn't taken now is there the next time."""
        presses = self._stage.presses()
        self._inbox.extend(press for press in presses if press.device == "keyboard")
        self._buttons += [press for press in presses if press.device == "mouse"]
        while self._inbox:
            yield self._inbox.popleft()

    def _clicked(self) -> tuple[Press, ...]:
        """Return the clicks since the last time."""
        stamps, self._buttons = self._buttons, []
        return self._stage.clicks.poll(stamps)

    def _answer_chords(self) -> None:
        for press in self._pressed():
            if self.note(press):
                self.confirm_abort()

    def _check_patience(self, name: str, began_s: float) -> None:
        patience_s = self._actor.patience_s
        if patience_s is not None and time.perf_counter() - began_s > patience_s:
            raise RuntimeError(f"the robot's key never came on page {name!r}")


def go_on(words: Words, key: str) -> Hint:
    """Return what says by which key a page is left."""
    return Hint((words.cap(key),), words["continue"])


def _is_chord(press: Press, key: str) -> bool:
    return press.chord and press.key == key


def _sentences(text: str) -> list[str]:
    sentences, start = [], 0
    for at, sign in enumerate(text):
        if sign in ".?!" and text[at + 1 : at + 2] in (" ", ""):
            sentences.append(text[start : at + 1].strip())
            start = at + 1
    rest = text[start:].strip()
    return [*sentences, rest] if rest else sentences
