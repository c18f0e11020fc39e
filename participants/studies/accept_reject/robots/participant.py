"""A robot in the place of one participant."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from participants.session import Question, TimedChoice
from participants.studies.accept_reject.robots.leads import ROBOTS, Response, Robot
from participants.studies.accept_reject.robots.percept import Sight
from stimuli.errors import UserError
from stimuli.io.canonical import seed_of
from stimuli.pack import Pack


@dataclass(frozen=True, slots=True)
class RobotParticipant:
    """One individual of a kind of robot, in front of a pack.

    Attributes
    ----------
    robot
        The individual.
    sight
        What it sees of the pack.
    seed, participant
        Root of its draws: the same trial is answered alike whenever it is shown.
    """

    robot: Robot
    sight: Sight
    seed: int
    participant: str

    @classmethod
    def of(cls, name: str, pack: Pack, participant: str, seed: int) -> "RobotParticipant":
        """Return a robot of that name; UserError if there is none."""
        if name not in ROBOTS:
            raise UserError(f"robot {name!r}: unknown; take one of {', '.join(ROBOTS)}")
        rng = _rng("individual", seed, participant, name)
        robot = ROBOTS[name].individual(rng)
        return cls(robot, Sight.of(pack, robot.observer), seed, participant)

    def answer(self, trial: TimedChoice) -> Response:
        """Return the response to a trial."""
        rng = _rng("answer", self.seed, self.participant, trial.trial, trial.presentation)
        percept = self.sight.percept(trial.stimulus, trial.longest_look_s, rng)
        return self.robot.respond(trial, percept, rng)

    def choose(self, question: Question) -> str:
        """Return the choice of a question of the questionnaire."""
        if self.robot.relies_on in question.choices:
            return self.robot.relies_on
        rng = _rng("question", self.seed, self.participant, question.question)
        return question.choices[int(rng.integers(len(question.choices)))]


def _rng(*key: str | int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed_of("robot", *key)))


def leads(pack: Pack, language: str) -> Callable[[str, str, int], RobotParticipant]:
    """Return what makes a robot in front of a pack from its kind, its code and a seed."""
    return lambda name, code, seed: RobotParticipant.of(name, pack, code, seed)
