"""The trivector: interleaved staircases on the protan, deutan and tritan lines.

In the manner of the Cambridge Colour Test's test of that name (Regan, Reffin & Mollon 1994;
Mollon & Regan 2000): a C whose gap points one of four ways, staircases that begin with a
colour that anyone tells, trials in between that show whether somebody attends.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

from participants.screening.staircase import Staircase, Threshold
from stimuli.colour.cones import AXES, Axis
from stimuli.io.canonical import keyed_order, seed_of
from stimuli.plates.plate import Plate
from stimuli.protocol.screening import Screening
from stimuli.screening.gap_plates import GAPS, Gap, catch_plate, gap_plate


@dataclass(frozen=True, slots=True)
class GapTrial:
    """One plate of the trivector.

    Attributes
    ----------
    number
        From 0 on.
    axis
        The line; None for a catch trial, whose gap differs in lightness.
    gap
        Where the gap points.
    excursion_1e4
        10⁻⁴ of u′v′; 0 for a catch trial.
    plate_seed
        Of dots and noise.
    """

    number: int
    axis: Axis | None
    gap: Gap
    excursion_1e4: float
    plate_seed: int

    def plate(self) -> Plate:
        """Return what is shown; `stimuli.screening.gap_plates.picture` draws it."""
        if self.axis is None:
            return catch_plate(self.gap, self.plate_seed)
        return gap_plate(self.axis, self.gap, self.excursion_1e4, self.plate_seed)


@dataclass(frozen=True, slots=True)
class TrivectorResult:
    """What a trivector found.

    Attributes
    ----------
    thresholds
        By line.
    catches, catches_right
        Catch trials, and those answered rightly.
    trials
        All of them.
    """

    thresholds: Mapping[Axis, Threshold]
    catches: int
    catches_right: int
    trials: int


@dataclass(frozen=True, slots=True)
class Trivector:
    """A trivector after some answers; made by `start`.

    Pure: the same seed and answers give the same trials, so that a journal's answers bring an
    interrupted one back.
    """

    rules: Screening
    seed: int
    staircases: tuple[Staircase, ...]
    queue: tuple[Axis, ...] = ()
    number: int = 0
    rounds: int = 0
    catches: int = 0
    catches_right: int = 0

    @classmethod
    def start(cls, rules: Screening, seed: int) -> Self:
        """Return a trivector before its first trial."""
        stairs = tuple(Staircase(rules, axis, rules.start_1e4) for axis in AXES)
        return cls(rules, seed, stairs)._with_queue()

    @property
    def done(self) -> bool:
        """Whether no trial is left."""
        return all(stairs.done for stairs in self.staircases)

    @property
    def progress(self) -> float:
        """About which share of it is done, 0…1."""
        shares = [
            max(len(s.turns_1e4) / self.rules.reversals, s.trials / self.rules.most_trials)
            for s in self.staircases
        ]
        return 1.0 if self.done else min(sum(shares) / len(shares), 1.0)

    @property
    def trial(self) -> GapTrial | None:
        """The trial that comes next; None at the end."""
        if self.done:
            return None
        axis = None if self._is_catch else self.queue[0]
        return GapTrial(
            number=self.number,
            axis=axis,
            gap=GAPS[seed_of("gap", self.seed, self.number) % len(GAPS)],
            excursion_1e4=0.0 if axis is None else self._staircase(axis).excursion_1e4,
            plate_seed=seed_of("gap plate", self.seed, self.number),
        )

    def answer(self, gap: Gap | None) -> "Trivector":
        """Return the trivector after an answer to its trial; None is no answer in time.

        Raises
        ------
        ValueError
            If no trial is left.
        """
        trial = self.trial
        if trial is None:
            raise ValueError("the trivector is done")
        right, following = gap == trial.gap, replace(self, number=self.number + 1)
        if trial.axis is None:
            caught = self.catches_right + right
            return replace(following, catches=self.catches + 1, catches_right=caught)
        stairs = tuple(s.answered(right) if s.axis == trial.axis else s for s in self.staircases)
        return replace(following, staircases=stairs, queue=self.queue[1:])._with_queue()

    def result(self) -> TrivectorResult:
        """Return what has been found so far."""
        found = {stairs.axis: stairs.threshold() for stairs in self.staircases}
        return TrivectorResult(found, self.catches, self.catches_right, self.number)

    @property
    def _is_catch(self) -> bool:
        if not self.rules.catch_share:
            return False
        # One in each stretch, anywhere in it.
        length = round(1 / self.rules.catch_share)
        stretch, at = divmod(self.number, length)
        return at == seed_of("catch", self.seed, stretch) % length

    def _staircase(self, axis: Axis) -> Staircase:
        return next(stairs for stairs in self.staircases if stairs.axis == axis)

    def _with_queue(self) -> Self:
        """Return the same with the lines of a new round, should the last one be over."""
        waiting = tuple(axis for axis in self.queue if not self._staircase(axis).done)
        if waiting or self.done:
            return replace(self, queue=waiting)
        lines = [stairs.axis for stairs in self.staircases if not stairs.done]
        drawn = tuple(keyed_order(lines, "lines", self.seed, self.rounds))
        return replace(self, queue=drawn, rounds=self.rounds + 1)
