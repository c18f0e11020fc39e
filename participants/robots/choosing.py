"""Robots that make timed choices at random, with a probability for each option; their times.

Response times are ex-Gaussian, in seconds.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from participants.session import NO_CHOICE, Question, TimedChoice
from stimuli.io.canonical import seed_of


@dataclass(frozen=True, slots=True)
class ExGaussian:
    """A normal variable plus an exponential one; draws are cut off at ``least_s``.

    Attributes
    ----------
    mean_s, sd_s
        Of the normal part.
    tail_s
        Mean of the exponential part.
    least_s
        Shortest time that is drawn.
    """

    mean_s: float
    sd_s: float
    tail_s: float
    least_s: float = 0.12

    def draw(self, rng: np.random.Generator) -> float:
        """Return one time in seconds."""
        time_s = rng.normal(self.mean_s, self.sd_s) + rng.exponential(self.tail_s)
        return max(self.least_s, float(time_s))


WHOLE = ExGaussian(0.5, 0.05, 0.15)
"""Time of an answer that needs no look at the plate: jsPsych's defaults for
simulated reaction times (normal 500 ms, SD 50 ms, exponential rate 1/150 per ms)."""

MOTOR = ExGaussian(0.2, 0.05, 0.15)
"""From the decision to the press, for those who look: the same without the 300 ms that
go into seeing, which the observer's latency holds."""


Chances = Callable[[TimedChoice], Mapping[str, float]]
"""Returns the probability of each option of a trial."""


@dataclass(frozen=True, slots=True)
class Response:
    """A decision and its time since the onset; None if the limit passed without one.

    ``help_s`` is when a part that a key asks for was asked for; None if it wasn't.
    """

    decision: str
    rt_s: float | None
    help_s: float | None = None


@dataclass(frozen=True, slots=True)
class ChoosingRobot:
    """A robot that draws its choices.

    Attributes
    ----------
    chances
        The probability of each option.
    study, name, participant, seed
        Its study and name, the participant it stands for, and the seed of its draws.
    """

    chances: Chances
    study: str
    name: str
    participant: str
    seed: int

    def answer(self, task: TimedChoice) -> Response:
        """Return the choice and its time; the same for the same trial."""
        draw = seed_of(self.study, self.seed, self.participant, self.drawn_for(task))
        rng = np.random.Generator(np.random.PCG64(draw))
        chances = self.chances(task)
        options = list(task.choices)
        decision = rng.choice(options, p=[chances[option] for option in options])
        rt_s = WHOLE.draw(rng)
        return Response(str(decision), rt_s) if rt_s <= task.limit_s else Response(NO_CHOICE, None)

    def drawn_for(self, task: TimedChoice) -> str:
        """Return what the draw of a trial is seeded with."""
        return task.presentation

    def choose(self, question: Question) -> str:
        """Return the first choice of a question."""
        return question.choices[0]
