"""A robot in place of a person, without a window: the same events, with computed times.

The robot reads pages, agrees, answers questions, rests, and makes timed choices. The clock of a
simulation moves only when it is advanced.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from math import ceil
from typing import Any, Final, Protocol

from participants import session
from participants.journal import Recorder
from participants.lab_settings import consent_values
from participants.texts import load_text

EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
"""Start of simulated time, so that no simulated time can be mistaken for a real one."""
READING_S = 8.0
QUESTION_S = 4.0
REST_S = 20.0
REFRESH_HZ: Final = 60.0


class VirtualClock:
    """A journal's clock that stands still between calls of `advance`.

    Parameters
    ----------
    start
        Time of day at monotonic second 0.
    """

    def __init__(self, start: datetime = EPOCH) -> None:
        self._start = start
        self._now_s = 0.0

    def monotonic_s(self) -> float:
        """Return the seconds that have passed."""
        return self._now_s

    def utc(self) -> datetime:
        """Return the start plus the seconds that have passed."""
        return self._start + timedelta(seconds=self._now_s)

    def advance(self, seconds: float) -> None:
        """Move the time forward; ValueError for a negative step."""
        if seconds < 0:
            raise ValueError(f"time can't pass by {seconds} s")
        self._now_s += seconds


@dataclass(frozen=True, slots=True)
class Reader:
    """A `participants.session.PagePresenter` whose reader is a robot, in computed times.

    Attributes
    ----------
    plan
        The session.
    choose
        Answers a question.
    clock
        The journal's clock, which the screens advance.
    stops_at
        Breaks at which it stops for the day, by the ids of their steps.
    """

    plan: session.SessionPlan
    choose: Callable[[session.Question], str]
    clock: VirtualClock
    stops_at: frozenset[str] = frozenset()

    def page(self, page: session.Page) -> session.PageResult:
        """Read a page."""
        self.clock.advance(READING_S)
        return session.PageResult(READING_S)

    def consent(self, consent: session.Consent) -> session.ConsentResult:
        """Agree to the study's shipped text."""
        lab = consent_values(self.plan.text_folder, self.plan.language, {})
        text = load_text(self.plan.text_folder, self.plan.language, consent.text)
        filled = text.filled({**lab, **consent.values})
        self.clock.advance(READING_S)
        return session.ConsentResult(True, filled.version, filled.sha256)

    def check(self, check: session.Check, attempt: int) -> Mapping[str, str]:
        """Answer rightly: robots know the guidelines, even if they don't follow them."""
        self.clock.advance(QUESTION_S * len(check.questions))
        return check.right

    def question(self, question: session.Question) -> str:
        """Answer a question."""
        self.clock.advance(QUESTION_S)
        return self.choose(question)

    def rest(self, pause: session.Break) -> session.PageResult:
        """Rest for a while, at least for the minimum."""
        shown_s = max(REST_S, pause.minimum_s)
        self.clock.advance(shown_s)
        then = session.LEAVE if pause.step in self.stops_at else session.GO_ON
        return session.PageResult(shown_s, {session.THEN: then} if pause.may_leave else {})


class Response(Protocol):
    """A robot's choice and its time; None if the limit passed without a choice."""

    @property
    def decision(self) -> str:
        """The choice."""

    @property
    def rt_s(self) -> float | None:
        """Its time since the onset."""

    @property
    def help_s(self) -> float | None:
        """When a later part of the stimulus appeared; None if it didn't."""


def simulated_choice(
    task: session.TimedChoice,
    respond: Callable[[], Response],
    clock: VirtualClock,
    recorder: Recorder,
    stimulus: str,
) -> session.Choice:
    """Run a timed choice with a robot, and record flips and the press.

    Stimuli appear and disappear on the frames of a 60 Hz display that drops none.

    Parameters
    ----------
    task
        The trial; its start is recorded already.
    respond
        Returns the robot's response.
    clock
        The journal's clock, which the screens advance.
    recorder
        Records the events.
    stimulus
        Name of the stimulus in ``flip`` events: ``plate`` gives ``plate_on``, ``plate_off``.
    """

    def flip(change: str, frame: int) -> None:
        recorder.append("flip", what=f"{stimulus}_{change}", trial=task.trial, frame=frame)

    clock.advance(task.fixation_s)
    onset_s = clock.monotonic_s()
    flip("on", 0)
    response = respond()
    ended_s = task.limit_s if response.rt_s is None else response.rt_s
    planned = None if task.exposure_s is None else round(task.exposure_s * REFRESH_HZ)
    stays = planned is not None and ended_s > planned / REFRESH_HZ
    frames = planned if stays else ceil(ended_s * REFRESH_HZ)

    def take_off() -> None:
        clock.advance(onset_s + frames / REFRESH_HZ - clock.monotonic_s())
        flip("off", frames)

    if stays:
        take_off()
    rt_s = None
    if response.rt_s is not None:
        press_s = onset_s + response.rt_s
        rt_s = press_s - onset_s
        recorder.append(
            "response",
            t_monotonic_s=press_s,
            trial=task.trial,
            device=task.device,
            key=task.key_of(response.decision),
        )
    if stays:
        clock.advance(onset_s + ended_s - clock.monotonic_s())
    else:
        take_off()
    presented = session.Presented(
        onset_s, planned if stays else None, frames, 0, 1 / REFRESH_HZ, False
    )
    return session.Choice(response.decision, rt_s, 0.0, presented)


@dataclass(frozen=True, slots=True)
class SimulatedChoices:
    """Shows timed choices to a robot.

    Attributes
    ----------
    robot
        The robot: ``answer(task)`` returns decision and time.
    habits
        What else the study's presenter needs to know of the person.
    clock
        The journal's clock, which the screens advance.
    recorder
        Records the trials' events.
    """

    robot: Any
    habits: Any
    clock: VirtualClock
    recorder: Recorder

    def answer(self, task: session.TimedChoice, stimulus: str) -> session.Choice:
        """Ask the robot; see `simulated_choice`."""
        response = self.robot.answer(task)

        def respond() -> Response:
            if response.help_s is not None:
                at_s = self.clock.monotonic_s() + response.help_s
                self.recorder.append("help_shown", t_monotonic_s=at_s, trial=task.trial)
            return response

        chosen = simulated_choice(task, respond, self.clock, self.recorder, stimulus)
        return replace(chosen, later_s=response.help_s)

    def feedback(self, feedback: Any) -> None:
        """Wait until the feedback's time is over."""
        self.clock.advance(feedback.feedback_s)
