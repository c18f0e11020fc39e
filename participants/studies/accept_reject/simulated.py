"""A lead's trials without a window."""

from dataclasses import dataclass
from typing import Any

from participants.journal import Recorder
from participants.session import Choice
from participants.simulate.clock import VirtualClock
from participants.simulate.timed_choice import simulated_choice
from participants.studies.accept_reject.trial import Feedback, Trial


@dataclass(frozen=True, slots=True)
class SimulatedLead:
    """A `LeadPresenter` whose lead is a robot.

    Attributes
    ----------
    robot
        Who answers: ``answer(trial)`` gives decision and time.
    clock
        The journal's clock, moved on by what is shown.
    recorder
        Where trials' events go.
    """

    robot: Any
    clock: VirtualClock
    recorder: Recorder

    def trial(self, trial: Trial) -> Choice:
        """Answer a trial."""
        trial.record_start(self.recorder, plate_sha256="")
        return simulated_choice(
            trial, lambda: self.robot.answer(trial), self.clock, self.recorder, "plate"
        )

    def feedback(self, feedback: Feedback) -> None:
        """Let the feedback's time pass."""
        self.clock.advance(feedback.feedback_s)


def simulated_lead(robot: Any, habits: Any, clock: VirtualClock, recorder: Recorder) -> Any:
    """Return the presenter of a simulated lead's trials; a lead has no habits."""
    return SimulatedLead(robot, clock, recorder)
