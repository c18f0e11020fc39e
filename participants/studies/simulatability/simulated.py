"""A participant's items without a window."""

from math import ceil

from participants.session import Choice, Presented
from participants.simulate.timed_choice import REFRESH_HZ, SimulatedChoices
from participants.studies.simulatability.trial import Learn, Look, Predict, Rate, Rated, Shown


class SimulatedCases(SimulatedChoices):
    """A `CasePresenter` whose participant is a robot."""

    def example(self, example: Learn) -> Look:
        """Look at an example."""
        look_s = self.robot.look(example)
        return Look(look_s, self._shown(example, look_s))

    def rating(self, rate: Rate) -> Rated:
        """Rate an explanation."""
        rated = self.robot.rate(rate)
        return Rated(rated.rating, rated.rt_s, self._shown(rate, rated.rt_s))

    def prediction(self, predict: Predict) -> Choice:
        """Predict an output."""
        predict.record_start(self.recorder)
        return self.answer(predict, "case")

    def _shown(self, task: Shown, seconds: float) -> Presented:
        """Show something for so long, in whole frames; the press ends it."""
        task.record_start(self.recorder)
        onset_s, frames = self.clock.monotonic_s(), ceil(seconds * REFRESH_HZ)
        self.recorder.append("flip", what="case_on", trial=task.trial, frame=0)
        self.clock.advance(frames / REFRESH_HZ)
        self.recorder.append("flip", what="case_off", trial=task.trial, frame=frames)
        return Presented(onset_s, None, frames, 0, 1 / REFRESH_HZ, False)
