"""A robot's timed choices without a window: the same events, computed times."""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from typing import Any, Final, Protocol

from participants.journal import Recorder
from participants.session import Choice, ChoiceTrial, Presented, TimedChoice
from participants.simulate.clock import VirtualClock

REFRESH_HZ: Final = 60.0


class Response(Protocol):
    """What a robot chose, and when; None where the limit passed without a choice."""

    @property
    def decision(self) -> str:
        """The choice."""

    @property
    def rt_s(self) -> float | None:
        """Its time since the onset."""


def simulated_choice(
    task: TimedChoice,
    respond: Callable[[], Response],
    clock: VirtualClock,
    recorder: Recorder,
    what: str,
) -> Choice:
    """Take a robot through a timed choice, and record flips and the press.

    Stimuli come and go on the frames of a display of 60 Hz that drops none.

    Parameters
    ----------
    task
        The trial; its start is recorded already.
    respond
        Asks the robot.
    clock
        The journal's clock, moved on by what is shown.
    recorder
        Where the events go.
    what
        Name of the stimulus in ``flip`` events: ``plate`` gives ``plate_on``, ``plate_off``.
    """

    def flip(change: str, frame: int) -> None:
        recorder.append("flip", what=f"{what}_{change}", trial=task.trial, frame=frame)

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
    presented = Presented(onset_s, planned if stays else None, frames, 0, 1 / REFRESH_HZ, False)
    return Choice(response.decision, rt_s, 0.0, presented)


@dataclass(frozen=True, slots=True)
class SimulatedChoices:
    """A `ChoicePresenter` whose participant is a robot.

    Attributes
    ----------
    robot
        Who answers: ``answer(task)`` gives decision and time.
    habits
        What else the study's presenter needs to know of the person.
    clock
        The journal's clock, moved on by what is shown.
    recorder
        Where trials' events go.
    """

    robot: Any
    habits: Any
    clock: VirtualClock
    recorder: Recorder

    def choose(self, trial: ChoiceTrial) -> Choice:
        """Run a trial."""
        trial.record_start(self.recorder)
        return self.answer(trial, "stimulus")

    def answer(self, task: TimedChoice, what: str) -> Choice:
        """Ask the robot; see `simulated_choice`."""
        return simulated_choice(
            task, lambda: self.robot.answer(task), self.clock, self.recorder, what
        )
