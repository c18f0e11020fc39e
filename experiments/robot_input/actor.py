"""Who sits before the screen: a person, or a robot that presses real keys."""

import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Protocol

from experiments.robot_input.inject import INJECTION, InputInjector, Refused
from experiments.robot_input.input_events import InputEvent, Stroke, presses
from experiments.screens.parts import Area
from participants.session import Check, Consent, Question, SessionPlan, TimedChoice
from stimuli.errors import UserError

AGREE, DECLINE = "agree", "decline"
READING_S = 0.25
BETWEEN_KEYS_S = 0.15
PATIENCE_S = 30.0
LONG_HOLD_S = 1.6


class Actor(Protocol):
    """Answers in a session; the screens tell it what they wait for, which a person sees anyway.

    Attributes
    ----------
    injection
        How its key events are made; empty for people.
    patience_s
        Time on one page after which something must have gone wrong; None for people.
    """

    injection: str
    patience_s: float | None

    def turn(self, key: str, from_s: float, modifiers: tuple[str, ...] = ()) -> None:
        """Learn which key leaves a page, and from when on (seconds of `time.perf_counter`)."""

    def go_on_or_leave(self, on: str, leave: str, from_s: float) -> None:
        """Learn which key ends a break and which ends the session for today, and from when on."""

    def hold(self, key: str, from_s: float) -> None:
        """Learn which key must be held to confirm a request, and from when on."""

    def choose(self, question: Question, keys: Mapping[str, str], confirm: str) -> None:
        """Learn the keys of a question's choices, and the key that confirms."""

    def expect(self, task: Any, where: Any = None) -> None:
        """Learn the task that is shown next; nothing is timed now.

        ``where`` has positions on the screen, from the study's presenter.
        """

    def onset(self, onset_s: float) -> None:
        """Learn that the trial's stimulus has appeared; this is time-critical."""

    def broken_off(self) -> None:
        """Learn of an interruption: keys that aren't pressed yet must not be pressed."""


class Person:
    """A person, who sees the screen and needs no messages."""

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
    """A robot that reads pages and answers questions with real key presses.

    Parameters
    ----------
    robot
        Decides, with ``choose(question)``.
    injector
        Presses keys.
    plan
        The session's plan; robots know the guidelines that the check asks about.
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
        """Continue the session."""
        self.turn(on, from_s)

    def hold(self, key: str, from_s: float) -> None:
        """Hold the key for longer than necessary."""
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
        """Decide beforehand: a robot takes longer to see than people do."""
        self._check_injector()

    def onset(self, onset_s: float) -> None:
        """Do nothing: a study's actor answers here."""

    def broken_off(self) -> None:
        """Cancel the planned key presses."""
        self._injector.forget()

    def _check_injector(self) -> None:
        for report in self._injector.reports():
            if isinstance(report, Refused):
                raise UserError(
                    f"robot: key {report.key!r} was not pressed: {report.reason}; leave the "
                    "robot's display alone, or let it have a display of its own"
                )


class ChoiceActor(RobotActor):
    """A robot that answers timed choices.

    ``robot.answer(task)`` returns decision and time, and of a task with a part that a key asks for
    ``help_s``: when the robot asks, or None.
    """

    def expect(self, task: TimedChoice, where: Any = None) -> None:
        """Decide beforehand which keys to press or areas to click, and when."""
        super().expect(task)
        self._coming = tuple(self._events(task, where or {}))

    def onset(self, onset_s: float) -> None:
        """Schedule the presses."""
        for event in self._coming:
            scheduled = replace(event, at_s=onset_s + event.at_s)
            if isinstance(scheduled, Stroke):
                self._injector.press(scheduled)
            else:
                self._injector.move([scheduled])

    def _events(self, task: TimedChoice, areas: Mapping[str, Area]) -> Iterator[InputEvent]:
        """Yield what the robot does; times are from the onset."""
        response = self._robot.answer(task)
        asks = task.later.key if task.later is not None else None
        if asks is not None and response.help_s is not None:
            yield from presses(asks, response.help_s, areas, task.device)
        if response.rt_s is not None:
            yield from presses(task.key_of(response.decision), response.rt_s, areas, task.device)


def _known_answers(plan: SessionPlan) -> dict[str, str]:
    answers: dict[str, str] = {}
    for step in plan.steps:
        if isinstance(step, Check):
            answers |= step.right
        elif isinstance(step, Consent):
            answers[step.step] = AGREE
    return answers
