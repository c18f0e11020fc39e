"""Robots that make timed choices by chance: each option with a probability of its own."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from participants.robots.times import WHOLE
from participants.session import NO_CHOICE, Question, TimedChoice
from stimuli.io.canonical import seed_of

Chances = Callable[[TimedChoice], Mapping[str, float]]
"""Returns the probability of each option of a trial."""


@dataclass(frozen=True, slots=True)
class Response:
    """A decision and its time since the onset; None when the limit passed without one."""

    decision: str
    rt_s: float | None


@dataclass(frozen=True, slots=True)
class ChoosingRobot:
    """A robot that draws its choices.

    Attributes
    ----------
    chances
        The probability of each option.
    study, name, participant, seed
        Its study and name, whom it stands for, and what its draws follow from.
    """

    chances: Chances
    study: str
    name: str
    participant: str
    seed: int

    def answer(self, task: TimedChoice) -> Response:
        """Return the choice and its time; the same whenever it is asked."""
        draw = seed_of(self.study, self.seed, self.participant, task.presentation)
        rng = np.random.Generator(np.random.PCG64(draw))
        chances = self.chances(task)
        options = list(task.options.values())
        decision = rng.choice(options, p=[chances[option] for option in options])
        rt_s = WHOLE.draw(rng)
        return Response(str(decision), rt_s) if rt_s <= task.limit_s else Response(NO_CHOICE, None)

    def choose(self, question: Question) -> str:
        """Return the first choice of a question."""
        return question.choices[0]
