"""A person's session of the tutorial: begun at a terminal, gone through by real keys.

What is pressed follows from the session's plan; whether it had its effect is seen in the journal.
"""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from experiments.engine.virtual_display import virtual_display
from participants.folder import DataFolder
from participants.journal import Event
from participants.session import Check, Consent, Page, Question, SessionPlan, done_steps
from participants.studies.progressive_reveal.rounds import CopyTask, RevealRound
from participants.watching.following import Followed, newest_session, plan_of_journal
from tests.experiments.windows.launched import WAIT_S, Hand, front_window, press
from tests.experiments.windows.terminal import Terminal

Chord = tuple[str, ...]

SIZE_PX: Final = (1280, 720)
ON: Final[Chord] = ("space",)
CONFIRM: Final[Chord] = ("Return",)
END: Final[Chord] = ("Control_L", "Shift_L", "Return")
ANYWHERE: Final = ""
"""Part of any window's title: on this display there is the session's alone."""
NOTE: Final = "Incident note"
"""What the terminal asks for at the end."""
RECOGNISED_AT: Final = (2, 5, 3)
"""Steps of rounds, in turn, at which the name is typed."""


def take_part(
    words: Sequence[str], folder: Path, data: DataFolder, environment: Mapping[str, str]
) -> tuple[int, str]:
    """Type a command that begins a session, and take part in it to its end.

    Parameters
    ----------
    words
        Of the command.
    folder
        Where it is typed.
    data
        Where its journal will be; no other session is there.
    environment
        The command's.

    Returns
    -------
    tuple
        The exit status, and what the terminal showed.
    """
    with virtual_display(SIZE_PX) as shown:
        terminal = Terminal({**environment, "DISPLAY": shown.name}, *words, folder=folder)
        _Reader(terminal, data).take_part()
        terminal.await_words(NOTE)
        said = terminal.shown
        terminal.type("")
        return terminal.end(), said + terminal.shown


class _Reader:
    """Who sits before the screen.

    Parameters
    ----------
    terminal
        Where the session was begun.
    data
        Where its journal is.
    """

    def __init__(self, terminal: Terminal, data: DataFolder) -> None:
        self._terminal, self._hand = terminal, Hand(terminal)
        self._hand.until(lambda: newest_session(data))
        paths = newest_session(data)
        assert paths is not None
        self._followed = Followed(data, paths)
        self._hand.until(self._events)
        plan = plan_of_journal(data, self._events()[0])
        assert plan is not None
        self._plan: SessionPlan = plan

    def take_part(self) -> None:
        """Do each step of the plan in its turn, as far as it is asked for."""
        *steps, end = self._plan.steps
        for step in steps:
            if not self._is_done(step):
                self._do(step)
        assert isinstance(end, Page)
        self._hand.until(lambda: self._of("session_end"), [(ANYWHERE, [END])])

    def _do(self, step: Any) -> None:
        keys: list[Chord] = []
        match step:
            case Page():
                keys = [ON]
            case Consent() | Question():
                keys = [ON, ("1",), CONFIRM]
            case Check():
                for question in step.questions:
                    right = question.choices.index(step.right[question.step])
                    self._answer(str(right + 1))
            case CopyTask():
                keys = [key for word in step.words for key in typed(word)]
            case RevealRound():
                self._look(step)
                keys = typed(step.right_class)
        self._hand.until(lambda: self._is_done(step), [(ANYWHERE, keys)])

    def _answer(self, number: str) -> None:
        """Choose an answer and confirm it, each until the screen shows that it was heard."""
        while not (_shows((number,)) and _shows(CONFIRM)):
            assert self._terminal.poll() is None

    def _look(self, shown: RevealRound) -> None:
        """Wait until enough of a round's image is uncovered."""
        self._hand.until(lambda: shown.trial in self._trials("trial_start"))
        step = RECOGNISED_AT[shown.trial % len(RECOGNISED_AT)]
        time.sleep(shown.fixation_s + (step - 0.5) * shown.step_s)

    def _is_done(self, step: Any) -> bool:
        """Return whether a step is over; one that was skipped is, and a running round isn't."""
        running = self._trials("trial_start") - self._trials("trial_end")
        is_running = isinstance(step, RevealRound) and step.trial in running
        return step.step in done_steps(self._plan, self._events()) and not is_running

    def _trials(self, name: str) -> set[int]:
        return {event["trial"] for event in self._of(name)}

    def _of(self, name: str) -> list[Event]:
        return [event for event in self._events() if event.event == name]

    def _events(self) -> tuple[Event, ...]:
        self._followed.progress()
        return self._followed.events


def typed(word: str) -> list[Chord]:
    """Return the keys of a word, the one that confirms it, and those that delete it if refused."""
    letters: list[Chord] = [("space" if sign == " " else sign,) for sign in word.lower()]
    return [*letters, CONFIRM, *[("BackSpace",)] * len(word)]


def _shows(chord: Chord) -> bool:
    """Press keys together, and return whether the screen changes soon."""
    before, until_s = _seen(), time.monotonic() + WAIT_S
    press(*chord)
    while _seen() == before and time.monotonic() < until_s:
        time.sleep(0.05)
    return _seen() != before


def _seen() -> bytes:
    """Return the pixels of the screen."""
    from Xlib import X

    with front_window() as (screen, _, _):
        return screen.screen().root.get_image(0, 0, *SIZE_PX, X.ZPixmap, 0xFFFFFF).data
