"""A lead's trials without a window."""

from participants.session import Choice
from participants.simulate.timed_choice import SimulatedChoices
from participants.studies.accept_reject.trial import Feedback, Trial


class SimulatedLead(SimulatedChoices):
    """A `LeadPresenter` whose lead is a robot."""

    def trial(self, trial: Trial) -> Choice:
        """Answer a trial."""
        trial.record_start(self.recorder, plate_sha256="")
        return self.answer(trial, "plate")

    def feedback(self, feedback: Feedback) -> None:
        """Let the feedback's time pass."""
        self.clock.advance(feedback.feedback_s)
