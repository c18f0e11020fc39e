"""A participant's trials without a window."""

from dataclasses import replace

from participants.session import Choice
from participants.simulate.timed_choice import SimulatedChoices, simulated_choice
from participants.studies.human_ai_team.robots.judges import Response
from participants.studies.human_ai_team.trial import Asked, FeedbackShown, Judgement, PriorQuestion


class SimulatedTeam(SimulatedChoices):
    """A `TeamPresenter` whose participant is a robot."""

    def prior(self, question: PriorQuestion) -> Choice:
        """Answer whether such a thing was ever seen."""
        return self._choice(question, "samples")

    def judgement(self, judgement: Judgement) -> Choice:
        """Answer whether a label is right."""
        return self._choice(judgement, "image")

    def feedback(self, feedback: FeedbackShown) -> None:
        """Let the feedback's time pass."""
        self.clock.advance(feedback.feedback_s)

    def _choice(self, task: Asked, what: str) -> Choice:
        task.record_start(self.recorder, image_sha256="")
        answered: list[Response] = []

        def respond() -> Response:
            response = self.robot.answer(task)
            answered.append(response)
            if response.help_s is not None:
                at_s = self.clock.monotonic_s() + response.help_s
                self.recorder.append("help_shown", t_monotonic_s=at_s, trial=task.trial)
            return response

        chosen = simulated_choice(task, respond, self.clock, self.recorder, what)
        return replace(chosen, later_s=answered[0].help_s)
