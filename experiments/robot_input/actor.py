"""Who sits before the screen: a person, or a robot with a hand."""

import time
from collections.abc import Callable, Mapping
from typing import Protocol

from experiments.robot_input.inject import INJECTION, InputInjector, Refused
from experiments.robot_input.input_events import Stroke
from experiments.screens.painting import PlateBox
from participants.robots import AnyRobot, Response
from participants.session import (
    Check,
    Consent,
    PaintTask,
    Question,
    RevealRound,
    SessionPlan,
    Trial,
)
from stimuli.errors import UserError

AGREE, DECLINE = "agree", "decline"
READING_S = 0.25
BETWEEN_KEYS_S = 0.15
PATIENCE_S = 30.0
LONG_HOLD_S = 1.6


LinePx = Callable[[str, str], tuple[int, int] | None]


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

    def expect(self, trial: Trial) -> None:
        """A trial will be shown next; nothing is timed now."""

    def expect_plate(self, task: PaintTask, box: PlateBox) -> None:
        """A plate to be painted will be shown next, in that place; nothing is timed now."""

    def expect_round(self, step: RevealRound, line_px: LinePx) -> None:
        """An image to be named will be uncovered next; nothing is timed now.

        ``line_px(typed, class_id)`` is where a class's line of the list lies on the screen once
        something is typed; None if it has none.
        """

    def expect_word(self, word: str) -> None:
        """A word to be copied will be shown next; nothing is timed now."""

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

    def expect(self, trial: Trial) -> None:
        """See for oneself."""

    def expect_plate(self, task: PaintTask, box: PlateBox) -> None:
        """See for oneself."""

    def expect_round(self, step: RevealRound, line_px: LinePx) -> None:
        """See for oneself."""

    def expect_word(self, word: str) -> None:
        """See for oneself."""

    def onset(self, onset_s: float) -> None:
        """See for oneself."""

    def broken_off(self) -> None:
        """See for oneself."""


class RobotActor:
    """A robot whose answers are pressed as real keys.

    Parameters
    ----------
    robot
        Decides.
    injector
        Presses.
    plan
        The session; robots know the guidelines that the check asks about.
    """

    injection = INJECTION
    patience_s: float | None = PATIENCE_S

    def __init__(self, robot: AnyRobot, injector: InputInjector, plan: SessionPlan) -> None:
        self._robot = robot
        self._injector = injector
        self._keys = {"accept": plan.accept_key, "reject": plan.reject_key}
        self._device = plan.device
        self._right = _known_answers(plan)
        self._response = Response("none", None)

    def turn(self, key: str, from_s: float, modifiers: tuple[str, ...] = ()) -> None:
        """Press the key after a moment."""
        self._check_hand()
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
        self._check_hand()
        choice = self._right.get(question.step) or self._robot.choose(question)
        at_s = time.perf_counter() + READING_S
        self._injector.press(Stroke(keys[choice], at_s))
        self._injector.press(Stroke(confirm, at_s + BETWEEN_KEYS_S))

    def expect(self, trial: Trial) -> None:
        """Decide beforehand when to press what: seeing takes the robot longer than people."""
        self._check_hand()
        self._response = self._robot.answer(trial)

    def onset(self, onset_s: float) -> None:
        """Have the key pressed at its time."""
        response = self._response
        if response.rt_s is not None:
            key, at_s = self._keys[response.decision], onset_s + response.rt_s
            self._injector.press(Stroke(key, at_s, device=self._device))

    def broken_off(self) -> None:
        """Keep keys from being pressed."""
        self._injector.forget()

    def _check_hand(self) -> None:
        for report in self._injector.reports():
            if isinstance(report, Refused):
                raise UserError(
                    f"robot: key {report.key!r} was not pressed: {report.reason}; leave the "
                    "robot's display alone, or let it have a display of its own"
                )


def _known_answers(plan: SessionPlan) -> dict[str, str]:
    answers: dict[str, str] = {}
    for step in plan.steps:
        if isinstance(step, Check):
            answers |= step.right
        elif isinstance(step, Consent):
            answers[step.step] = AGREE
    return answers
