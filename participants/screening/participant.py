"""A robot in the place of somebody who is screened."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np

from participants.robots.times import WHOLE
from participants.screening.ishihara import Edition
from participants.screening.robots import ROBOTS, ScreenedRobot
from participants.screening.stages import EDITION
from participants.screening.trials import ScreeningPlate, ScreeningTrial
from participants.session import Question
from participants.session.choices import NO, TOLD_RESULT, YES
from stimuli.errors import UserError
from stimuli.images.digits import load_digits
from stimuli.io.canonical import seed_of
from stimuli.pack import Pack
from stimuli.plates.observer import ShownPlate
from stimuli.plates.spec import PlateSpec
from stimuli.plates.templates import DigitTemplates, digits_in_mind
from stimuli.screening.gap_plates import UNIT

UNTOLD: Final = frozenset({"between"})
"""Robots that would rather not be told."""
BOOK_FAILED_FROM: Final = 0.3
"""Strength of a red-green deficit from which a robot fails the book's plates."""
SLOWEST_S: Final = 2.0
"""Robots say soon what they have seen after the whole exposure, so that nobody waits for them."""


@dataclass(frozen=True, slots=True)
class ScreenedParticipant:
    """One individual of a kind of robot.

    Attributes
    ----------
    name, robot
        Which kind, and its eyes.
    templates, spec
        Digits in mind, and the look of the plates that bear them.
    code, seed
        Root of its draws: the same trial is answered alike whenever it is shown.
    """

    name: str
    robot: ScreenedRobot
    templates: Callable[[], DigitTemplates]
    spec: PlateSpec
    code: str
    seed: int

    def plate(self, trial: ScreeningTrial) -> tuple[str, float]:
        """Return what is answered to a plate, and when (seconds from its onset)."""
        rng = self._rng(trial.procedure, trial.number)
        rt_s = min(WHOLE.draw(rng), SLOWEST_S, trial.longest_look_s / 2)
        if trial.gap_trial is not None:
            return self.robot.gap(trial.gap_trial, rng), rt_s
        shown: ScreeningPlate = trial.stimulus
        assert shown.axis, "a plate with a digit has a confusion line"
        plate = ShownPlate(shown.plate, shown.axis, shown.excursion_1e4 * UNIT, self.spec)
        digit = self.robot.digit(plate, trial.longest_look_s, self.templates(), rng)
        return str(digit), rt_s

    def caps(self) -> tuple[int, ...]:
        """Return the order in which the caps are put after the fixed one."""
        return self.robot.caps(self._rng("caps", 0))

    def score(self, edition: Edition) -> int:
        """Return how many plates of the book are read."""
        eyes = self.robot.observer
        fails = eyes.axis != "tritan" and eyes.strength >= BOOK_FAILED_FROM
        return edition.deficient_to if fails else edition.normal_from

    def choose(self, question: Question) -> str:
        """Return the choice of a question."""
        if question.question == TOLD_RESULT:
            return NO if self.name in UNTOLD else YES
        return question.choices[0] if question.question == EDITION else question.choices[-1]

    def _rng(self, *key: str | int) -> np.random.Generator:
        seed = seed_of("screened robot", self.seed, self.code, self.name, *key)
        return np.random.Generator(np.random.PCG64(seed))


def robots(pack: Pack, language: str) -> Callable[[str, str, int], ScreenedParticipant]:
    """Return what makes a robot in front of a screening from its kind, its code and a seed."""
    protocol: Any = pack.protocol  # of any study that offers screening
    plates = protocol.plates
    spec = PlateSpec(**{name: getattr(plates, name) for name in PlateSpec.__dataclass_fields__})

    @cache
    def templates() -> DigitTemplates:
        return digits_in_mind(load_digits(plates.source), spec)

    def robot(name: str, code: str, seed: int) -> ScreenedParticipant:
        if name not in ROBOTS:
            raise UserError(f"robot {name!r}: unknown; take one of {', '.join(ROBOTS)}")
        return ScreenedParticipant(name, ROBOTS[name], templates, spec, code, seed)

    return robot
