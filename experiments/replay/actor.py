"""Who sits before a replay's screens: somebody who does what the journal says."""

from collections.abc import Mapping
from typing import Any, Final

from experiments.engine.input import Press
from experiments.pages.interruptions import HELD
from experiments.pages.waiting import REASONS
from experiments.replay.stage import PaperStage
from experiments.robot_input.actor import AGREE, DECLINE
from experiments.robot_input.recalling import Past, Recall
from participants.session import BACK, LEAVE, LEAVE_FOR_GOOD, THEN, Question
from participants.session.kept_answers import SKIP

SOON_S: Final = 0.001
CHOSEN_S: Final = 0.3
"""How long a chosen answer is shown before it is confirmed; the journal doesn't say."""


class Recaller:
    """An `experiments.robot_input.actor.Actor` that follows a journal.

    Parameters
    ----------
    stage
        The replay's stage.
    recall
        Returns what the person did in a study's tasks.
    """

    injection = ""
    patience_s: float | None = None

    def __init__(self, stage: PaperStage, recall: Recall) -> None:
        self._stage, self._script, self._recall = stage, stage.script, recall
        self._task: Any = None
        self._where: Any = None

    def turn(self, key: str, from_s: float, modifiers: tuple[str, ...] = ()) -> None:
        """Press the page's key, or the one that leads back, unless something else comes first."""
        if self._is_interrupted():
            return
        answers = self._script.due().fields.get("answers") or {}
        self._press("left" if answers.get(THEN) == BACK else key, chord=bool(modifiers))

    def go_on_or_leave(self, on: str, leave: str, from_s: float) -> None:
        """Go on or stop at a break."""
        if not self._is_interrupted():
            then = (self._script.due().fields.get("answers") or {}).get(THEN)
            self._press(leave if then in (LEAVE, LEAVE_FOR_GOOD) else on)

    def hold(self, key: str, from_s: float) -> None:
        """Hold the key of the answer: for now, or for good."""
        then = self._script.due()["answers"][THEN]
        self._stage.hand.held = next(key for key, meant in HELD.items() if meant == then)
        self._press(self._stage.hand.held)

    def choose(self, question: Question, keys: Mapping[str, str], confirm: str) -> None:
        """Choose what the journal has, and confirm it."""
        if self._is_interrupted():
            return
        self._press(keys[self._answer_to(question, keys)])
        at_s = self._stage.now + CHOSEN_S
        self._stage.hand.give(at_s, Press(confirm, at_s))

    def expect(self, task: Any, where: Any = None) -> None:
        """Learn what comes next; words to copy have no event of their own before they appear."""
        self._task, self._where = task, where

    def onset(self, onset_s: float) -> None:
        """Do what was done during the stimulus."""
        stay, end = self._script.stay(), self._script.end()
        past = Past(self._task, stay, end, onset_s, self._stage.period_s)
        for heard_s, event in self._recall(self._task, self._where, past):
            self._stage.hand.give(heard_s, event)
        if past.led_to_end_s is not None and self._script.is_broken_off():
            self._stage.end_by_chord(past.led_to_end_s)

    def broken_off(self) -> None:
        """Do nothing: the journal says what comes next."""

    def _is_interrupted(self) -> bool:
        """Return whether the next event is a pause, or an end by the chord."""
        event = self._script.due()
        ends = event.event == "abort" and event["reason"] in REASONS.values()
        self._stage.page_waits = ends or event.event == "pause"
        return self._stage.page_waits

    def _answer_to(self, question: Question, keys: Mapping[str, str]) -> str:
        event = self._script.due()
        match event.event:
            case "consent":
                return AGREE if event["agreed"] else DECLINE
            case "check":
                return str(event["answers"][question.step])
            case "answer":
                return str(event["value"])
        # What people tell of themselves is kept apart from the journal.
        return SKIP if SKIP in keys else list(keys)[-1]

    def _press(self, key: str, *, chord: bool = False) -> None:
        at_s = self._stage.now + SOON_S
        self._stage.waits.append(len(self._stage.reel.shots))
        self._stage.hand.give(at_s, Press(key, at_s, chord))
