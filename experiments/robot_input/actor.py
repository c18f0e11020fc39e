"""Who sits before the screen: a person, or a robot that presses real keys."""

import time
from collections.abc import Mapping
from typing import Any, Protocol

from experiments.robot_input.inject import INJECTION, InputInjector, Refused
from experiments.robot_input.input_events import Stroke
from participants.session import Check, Consent, Question, SessionPlan, TimedChoice
from stimuli.errors import UserError

AGREE, DECLINE = "agree", "decline"
READING_S = 0.25
BETWEEN_KEYS_S = 0.15
PATIENCE_S = 30.0
LONG_HOLD_S = 1.6


class Actor(Protocol):
    """Is told what the screen waits for; a person sees it anyway.

    Attributes
    ----------
    injection
        How its key events are made; empty for people.
    patience_s
        After how long on one page something must have gone wrong; None for people.
    """

    injection: str
    patience_s: float | None

    def turn(self, key: str, from_s: float, modifiers: tuple[str, ...] = ()) -> None:
        """A page can be left by a key from a time on (seconds of `time.perf_counter`)."""

    def go_on_or_leave(self, on: str, leave: str, from_s: float) -> None:
        """A break can be left by a key, or the session for today by another, from a time on."""

    def hold(self, key: str, from_s: float) -> None:
        """What was asked for is confirmed by holding a key, from a time on."""

    def choose(self, question: Question, keys: Mapping[str, str], confirm: str) -> None:
        """A question waits for the key of one of its choices, and for a key to confirm."""

    def expect(self, task: Any, where: Any = None) -> None:
        """A task will be shown next; nothing is timed now.

        ``where`` is what the study's presenter tells of places on the screen.
        """

    def onset(self, onset_s: float) -> None:
        """The trial's stimulus came on; this is a timed moment."""

    def broken_off(self) -> None:
        """Something came between; keys not pressed yet are not wanted any more."""


class Person:
    """Somebody with eyes and hands."""

    injection = ""
    patience_s: float | None = None

    def turn(self, key: str, from_s: float, modifiers: tuple[str, ...] = ()) -> None:
        """See for oneself."""

    def go_on_or_leave(self, on: str, leave: str, from_s: float) -> None:
        """See for oneself."""

    def hold(self, key: str, from_s: float) -> None:
        """See for oneself."""

    def choose(self, question: Question, keys: Mapping[str, str], confirm: str) -> None:
        """See for oneself."""

    def expect(self, task: Any, where: Any = None) -> None:
        """See for oneself."""

    def onset(self, onset_s: float) -> None:
        """See for oneself."""

    def broken_off(self) -> None:
        """See for oneself."""


class RobotActor:
    """A robot that reads pages and answers questions by real keys.

    Parameters
    ----------
    robot
        Decides: ``choose(question)``.
    injector
        Presses.
    plan
        The session; robots know the guidelines that the check asks about.
    """

    injection = INJECTION
    patience_s: float | None = PATIENCE_S

    def __init__(self, robot: Any, injector: InputInjector, plan: SessionPlan) -> None:
        self._robot = robot
        self._injector = injector
        self._right = _known_answers(plan)

    def turn(self, key: str, from_s: float, modifiers: tuple[str, ...] = ()) -> None:
        """Press the key after a moment."""
        self._check_injector()
        at_s = max(from_s, time.perf_counter()) + READING_S
        self._injector.press(Stroke(key, at_s, modifiers=modifiers))

    def go_on_or_leave(self, on: str, leave: str, from_s: float) -> None:
        """Go on."""
        self.turn(on, from_s)

    def hold(self, key: str, from_s: float) -> None:
        """Hold the key for longer than it takes."""
        at_s = max(from_s, time.perf_counter()) + READING_S
        self._injector.press(Stroke(key, at_s, hold_s=LONG_HOLD_S))

    def choose(self, question: Question, keys: Mapping[str, str], confirm: str) -> None:
        """Press the key of the answer, and confirm."""
        self._check_injector()
        choice = self._right.get(question.step) or self._robot.choose(question)
        at_s = time.perf_counter() + READING_S
        self._injector.press(Stroke(keys[choice], at_s))
        self._injector.press(Stroke(confirm, at_s + BETWEEN_KEYS_S))

    def expect(self, task: Any, where: Any = None) -> None:
        """Make up its mind beforehand: seeing takes the robot longer than people."""
        self._check_injector()

    def onset(self, onset_s: float) -> None:
        """Do nothing: a study's actor answers here."""

    def broken_off(self) -> None:
        """Keep keys from being pressed."""
        self._injector.forget()

    def _check_injector(self) -> None:
        for report in self._injector.reports():
            if isinstance(report, Refused):
                raise UserError(
                    f"robot: key {report.key!r} was not pressed: {report.reason}; leave the "
                    "robot's display alone, or let it have a display of its own"
                )


class ChoiceActor(RobotActor):
    """A robot that answers timed choices: ``robot.answer(task)`` gives decision and time."""

    def expect(self, task: TimedChoice, where: Any = None) -> None:
        """Decide beforehand when to press what."""
        super().expect(task)
        self._task, self._response = task, self._robot.answer(task)

    def onset(self, onset_s: float) -> None:
        """Have the key pressed at its time."""
        response = self._response
        if response.rt_s is not None:
            key, at_s = self._task.key_of(response.decision), onset_s + response.rt_s
            self._injector.press(Stroke(key, at_s, device=self._task.device))


def _known_answers(plan: SessionPlan) -> dict[str, str]:
    answers: dict[str, str] = {}
    for step in plan.steps:
        if isinstance(step, Check):
            answers |= step.right
        elif isinstance(step, Consent):
            answers[step.step] = AGREE
    return answers
