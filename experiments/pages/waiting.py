"""What stands on the screen until a key or a time comes; the chords that pause and end."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import asdict, replace
from typing import Final

from experiments.engine.clock import ClockWatch, Moment
from experiments.engine.input import Press
from experiments.engine.picture import Layers, Picture
from experiments.engine.window_events import pointer_shown
from experiments.pages.context import SessionContext, record_triggers
from experiments.pages.interruptions import (
    END_KEY,
    POLL_S,
    REFLIP_S,
    Awaited,
    Pause,
    PauseSettings,
    ask_whether_to_stop,
)
from experiments.screens.look import Look
from experiments.screens.page import heard_layers, sign_layers
from experiments.screens.parts import Hint, key_at
from participants.session import LEAVE, LEAVE_FOR_GOOD, LEFT_FOR_GOOD, SessionAborted
from participants.texts import Words
from stimuli.devices import is_pointing

PAUSE_KEY, NOTE_KEY, ABORT_KEY = "p", "n", END_KEY
LONGEST_HOLD_S: Final = 5.0
CONFIRMED_BY_KEY: Final = "confirmed by key"
REASONS: Final = {LEAVE: CONFIRMED_BY_KEY, LEAVE_FOR_GOOD: LEFT_FOR_GOOD}
"""Reasons for the end of a session by the chord, in the journal, by the answer."""
BY_KEY: Final = "by key"
FOCUS_LOST: Final = "focus lost"
"""Reason for a pause, in the journal."""

Tell = Callable[[float], None]
"""Tells the actor that a screen waits, and since when (monotonic seconds)."""


def tell_nobody(from_s: float) -> None:
    """Do nothing."""


class Waiting:
    """Shows pictures on a stage and waits for keys; nothing is frame-timed.

    Meanwhile it handles the chords that pause and end the session, and pauses the session if
    another window takes the keyboard's focus.

    Parameters
    ----------
    context
        The open window, the actor and the recorder.
    look, words
        Look of the screens, and the short words in the session's language.
    pausing
        Texts around a pause, and its countdown.
    """

    def __init__(
        self,
        context: SessionContext,
        look: Look,
        words: Words,
        pausing: PauseSettings,
    ) -> None:
        self._context, self._stage, self._actor = context, context.stage, context.actor
        self._album, self._recorder = context.album, context.recorder
        self._look = look
        self._words = words
        self._pause = Pause(self, context, look, words, pausing)
        self._heard = self._stage.picture(heard_layers(look, words["pause_heard"]))
        self._pause_asked: str | None = None
        self._note_asked = self._end_asked = False
        self._losses = self._stage.focus.losses
        self._inbox: deque[Press] = deque()
        self._buttons: list[Press] = []
        self._clocks = ClockWatch(context.stage.keyboard.clock)

    def check_clock(self, at: Moment) -> None:
        """Compare the clocks, record their offsets and flag a step of either clock."""
        self._recorder.append("clock", at=at, **asdict(self._clocks.compare()))

    def begin_block(self) -> None:
        """Compare the clocks, then send and record the trigger for the start of a block."""
        self.check_clock("block")
        self._stage.triggers.send("block")
        record_triggers(self._context, None)

    def now_s(self) -> float:
        """Return the stage's time, monotonic seconds."""
        return self._stage.now_s()

    def for_key(
        self,
        name: str,
        layers: Layers,
        awaited: Awaited,
        tell: Tell,
    ) -> Press:
        """Show layers until one of the keys goes down, and return that press.

        Parameters
        ----------
        name, layers
            The screen's name and layers.
        awaited
            The presses that end the wait.
        tell
            Called when the screen has appeared, and again after an interruption.
        """
        picture = self._stage.picture((*layers, *self._news_layers()))
        if awaited.areas and self._stage.clicks is None:
            awaited = replace(awaited, areas={})
        clickable, since_s = bool(awaited.areas), awaited.since_s
        try:
            self._album.keep(name, self._stage, picture)
            began_s = self._stage.frame(picture)
            if clickable and since_s is None:
                self._forget_clicks()
            tell(began_s)
            after_s = began_s if since_s is None else since_s
            with pointer_shown(self._stage.window) if clickable else nullcontext():
                while True:
                    press = self._next_press(picture, awaited, after_s, tell)
                    if press is not None:
                        return press
                    self._check_patience(name, began_s)
                    self._context.watch.idle()
        finally:
            picture.free()

    def until_up(self, key: str) -> None:
        """Wait until a pressed key is up again, or for a limited time."""
        until_s = self._stage.now_s() + LONGEST_HOLD_S
        while self._stage.keyboard.is_down(key) and self._stage.now_s() < until_s:
            self._stage.nap(POLL_S)
            self._take_presses()

    def notice(self, name: str, layers: Layers, shown_s: float) -> None:
        """Show something for a while."""
        picture = self._stage.picture(layers)
        self.keep_up(name, picture, shown_s)
        picture.free()

    def notice_one_of(
        self, kinds: Mapping[str, Callable[[], Layers]], name: str, shown_s: float
    ) -> None:
        """Show one of several kinds of a notice for a while; the album has all of them."""
        for kind, layers in kinds.items():
            if self._album.lacks(kind):
                picture = self._stage.picture(layers())
                self._album.keep(kind, self._stage, picture)
                picture.free()
        self.notice(name, kinds[name](), shown_s)

    def keep_up(self, name: str, picture: Picture, shown_s: float) -> None:
        """Show a picture for a while."""
        self._album.keep(name, self._stage, picture)
        until_s = self._stage.frame(picture) + shown_s
        while self._stage.now_s() < until_s:
            self._stage.nap(min(POLL_S, max(0.0, until_s - self._stage.now_s())))
            asked = self._pause_asked
            self._answer_chords()
            if self._pause_asked != asked:
                # Shows the sign that the chord was registered.
                self._stage.frame(picture)

    def ask_whether_to_stop(self, name: str, tell: Tell = tell_nobody) -> str:
        """Ask whether to stop for now or for good; return a break's answer."""
        return ask_whether_to_stop(
            self._context, self._look, self._words, self._pressed, tell, name
        )

    def note(self, press: Press) -> bool:
        """Remember a chord; return whether it is the chord that ends the session.

        The next page, or `between`, does what the chord asks for.
        """
        if _is_chord(press, PAUSE_KEY) or _is_chord(press, NOTE_KEY):
            self._note_asked = self._note_asked or press.key == NOTE_KEY
            self.pause_next(BY_KEY)
        self._end_asked = self._end_asked or _is_chord(press, ABORT_KEY)
        return _is_chord(press, ABORT_KEY)

    def note_all(self, presses: Iterable[Press]) -> bool:
        """Remember the chords among presses; return whether one of them ends the session."""
        # A list, so that `note` sees every press: there may be a chord for a pause too.
        ending = [self.note(press) for press in presses]
        return any(ending)

    def pause_next(self, reason: str) -> None:
        """Pause before the next stimulus; a sign over the screen says so from now on.

        Parameters
        ----------
        reason
            Reason for the journal.
        """
        self._pause_asked = self._pause_asked or reason
        self._stage.overlay.picture = self._heard

    @property
    def lost_focus(self) -> bool:
        """Whether the window has lost the focus since `between`; doesn't ask the window system."""
        return self._stage.focus.losses != self._losses

    def disturbed(self) -> bool:
        """Return whether a pause was requested, or the focus was lost, since `between`.

        A presenter calls this after a presentation, to flag it. Changes of the focus that the
        window system has reported are recorded now.
        """
        self._record_focus()
        return self._pause_asked is not None or self.lost_focus

    def between(self) -> None:
        """React to chords and to a lost focus since the last page or trial.

        Raises
        ------
        SessionAborted
            If the chord asked to end the session, and holding a key confirmed it.
        """
        self._answer_chords()
        while self._react():
            pass

    def is_disturbed_again(self) -> bool:
        """Return whether the session must pause again just before it continues."""
        return self._pause_asked is not None or self._focus_was_lost()

    def _news_layers(self) -> Layers:
        """Return a sign that tells the experimenter, once, what is wrong with the registry."""
        word = self._context.watch.news()
        return sign_layers(self._look, self._words[word]) if word else ()

    def _confirm_abort(self) -> None:
        """Ask whether to end the session, for now or for good; return if it continues."""
        self._end_asked = False
        self._actor.broken_off()
        answer = self.ask_whether_to_stop("abort")
        if answer in REASONS:
            raise SessionAborted(REASONS[answer])

    def _react(self) -> bool:
        """Handle a requested end, pause or note, or a lost focus; return whether there was one."""
        if self._end_asked:
            self._confirm_abort()
            return True
        lost = self._focus_was_lost()
        asked, self._pause_asked = self._pause_asked, None
        self._stage.overlay.picture = None
        if self._pause.on:
            return self._react_in_pause(lost=lost)
        if lost or asked:
            self._pause.hold(FOCUS_LOST if lost else str(asked))
            return True
        return False

    def _react_in_pause(self, *, lost: bool) -> bool:
        if lost:
            self._record_focus()
            self._pause.await_focus()
            self._losses = self._stage.focus.losses
            self._record_focus()
        elif self._note_asked:
            self._note_asked = False
            self._actor.broken_off()
            self._pause.write_note()
        else:
            return False
        return True

    def _focus_was_lost(self) -> bool:
        return not self._stage.focus.is_here() or self.lost_focus

    def _record_focus(self) -> None:
        for change in self._stage.focus.take_changes():
            self._recorder.append("focus", t_monotonic_s=change.t_s, here=change.here)

    def _next_press(
        self, picture: Picture, awaited: Awaited, after_s: float, tell: Tell
    ) -> Press | None:
        """Return a press of one of the keys or a click in its area; None if none comes soon."""
        until_s = self._stage.now_s() + REFLIP_S
        while self._stage.now_s() < until_s:
            self._stage.nap(POLL_S)
            for press in self._pressed():
                if self.note(press):
                    break
                if awaited.is_met_by(press, after_s):
                    return press
            for click in self._clicked() if awaited.areas else ():
                key = key_at(awaited.areas, click.place_px)
                if key is not None and click.t_s > after_s:
                    return replace(click, key=key)
            if self._react():
                tell(self._stage.frame(picture))
        self._stage.frame(picture)
        return None

    def _pressed(self) -> Iterator[Press]:
        """Yield key presses one by one; the next call yields what this one leaves."""
        self._take_presses()
        while self._inbox:
            yield self._inbox.popleft()

    def _take_presses(self) -> None:
        presses = self._stage.presses()
        self._inbox.extend(press for press in presses if not is_pointing(press.device))
        self._buttons += [press for press in presses if is_pointing(press.device)]

    def _clicked(self) -> tuple[Press, ...]:
        """Return the clicks since the last call."""
        stamps, self._buttons = self._buttons, []
        if self._stage.clicks is None:
            return ()
        clicks = self._stage.clicks.poll(stamps)
        return self._stage.focus.for_window(clicks) if clicks else clicks

    def _forget_clicks(self) -> None:
        self._buttons.clear()
        if self._stage.clicks is not None:
            self._stage.clicks.forget()

    def _answer_chords(self) -> None:
        for press in self._pressed():
            if self.note(press):
                self._confirm_abort()

    def _check_patience(self, name: str, began_s: float) -> None:
        patience_s = self._actor.patience_s
        if patience_s is not None and self._stage.now_s() - began_s > patience_s:
            raise RuntimeError(f"the robot's key never came on page {name!r}")


def go_on(words: Words, key: str) -> Hint:
    """Return the hint that names the key for leaving a page."""
    return Hint((words.cap(key),), words["continue"])


def _is_chord(press: Press, key: str) -> bool:
    return press.chord and press.key == key
