"""The trivector: interleaved staircases on the protan, deutan and tritan lines.

In the manner of the Cambridge Colour Test's test of that name (Regan, Reffin & Mollon 1994;
Mollon & Regan 2000): a C whose gap points one of four ways, staircases that begin with a
colour that anyone tells, trials in between that show whether somebody attends.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import log, log10
from typing import Final, Self

from participants.screening.quest import Psychometric, Quest
from stimuli.colour.spaces import AXES, Axis
from stimuli.io.canonical import keyed_order, seed_of
from stimuli.plates.plate import Plate
from stimuli.screening.gap_plates import GAPS, Gap, catch_plate, gap_plate
from stimuli.screening.rules import Screening

UP_STEPS: Final = 3
"""Steps up for each step down, which converges on 75 % right answers (Kaernbach 1991)."""

FUNCTION: Final = Psychometric(share=0.75, slope=1.5, guess=0.25, lapse=0.03)
"""One gap of four. The slope is that of an observer whose d′ is proportional to contrast."""

PRIOR: Final = (2.0, 0.7)
"""Mean and SD of log₁₀ thresholds before the first answer: anything from 4 to 2500."""

GRID: Final = (0.0, 4.0)


@dataclass(frozen=True, slots=True)
class Threshold:
    """The result of a staircase.

    Attributes
    ----------
    axis
        The line.
    threshold_1e4
        Excursion at which 75 % of answers are right, 10⁻⁴ of u′v′.
    se_1e4
        Its standard error; None if the threshold lies at the ceiling.
    trials, reversals
        How many the staircase had.
    at_ceiling
        Whether the threshold lies at the largest excursion or beyond.
    """

    axis: Axis
    threshold_1e4: float
    se_1e4: float | None
    trials: int
    reversals: int
    at_ceiling: bool


@dataclass(frozen=True, slots=True)
class Staircase:
    """A weighted up-down staircase in equal ratios, after some answers.

    Attributes
    ----------
    rules
        The protocol's.
    axis
        The line.
    excursion_1e4
        Of the next trial, 10⁻⁴ of u′v′.
    belief
        The belief about the threshold from all answers.
    turns_1e4
        Excursions at which answers turned from right to wrong or back.
    trials, ceiling_errors
        Answers so far, and wrong ones at the largest excursion.
    last_right
        Whether the last answer was right; None before the first.
    has_erred
        Whether any answer was wrong.

    Notes
    -----
    Kaernbach (1991), Perception & Psychophysics 49, 227–229: with steps up three times the
    steps down the staircase hovers where 3 of 4 answers are right. Reversals end it. The
    threshold is taken from all answers (`participants.screening.quest`), which varies less than
    the mean of the last reversals, and whose standard error is right: successive reversals
    aren't independent.
    """

    rules: Screening
    axis: Axis
    excursion_1e4: float
    belief: Quest = field(default_factory=lambda: Quest.begin(FUNCTION, *PRIOR, *GRID))
    turns_1e4: tuple[float, ...] = ()
    trials: int = 0
    ceiling_errors: int = 0
    last_right: bool | None = None
    has_erred: bool = False

    @property
    def done(self) -> bool:
        """Whether the staircase is over."""
        return (
            len(self.turns_1e4) >= self.rules.reversals
            or self.trials >= self.rules.most_trials
            or self.ceiling_errors >= self.rules.ceiling_errors
        )

    def answered(self, right: bool) -> "Staircase":
        """Return the staircase after one more answer."""
        rules = self.rules
        turned = self.last_right is not None and right != self.last_right
        at_ceiling = self.excursion_1e4 >= rules.start_1e4
        if right:
            following = self.excursion_1e4 / (
                rules.factor if self.has_erred else rules.first_factor
            )
        else:
            following = self.excursion_1e4 * rules.factor**UP_STEPS
        return replace(
            self,
            excursion_1e4=min(following, rules.start_1e4),
            belief=self.belief.answered(log10(self.excursion_1e4), right),
            turns_1e4=self.turns_1e4 + ((self.excursion_1e4,) if turned else ()),
            trials=self.trials + 1,
            ceiling_errors=self.ceiling_errors + (at_ceiling and not right),
            last_right=right,
            has_erred=self.has_erred or not right,
        )

    def threshold(self) -> Threshold:
        """Return the threshold estimated from all answers."""
        threshold_1e4 = 10**self.belief.threshold
        at_ceiling = (
            self.ceiling_errors >= self.rules.ceiling_errors
            or threshold_1e4 >= self.rules.start_1e4
        )
        if at_ceiling:
            threshold_1e4, error = self.rules.start_1e4, None
        else:
            error = threshold_1e4 * self.belief.sd * log(10)
        return Threshold(
            self.axis, threshold_1e4, error, self.trials, len(self.turns_1e4), at_ceiling=at_ceiling
        )


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
    """The result of a trivector.

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

    Pure: the same seed and answers give the same trials, so that an interrupted one can be rebuilt
    from a journal's answers.
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
        """Approximate share of it that is done, 0…1."""
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
        """Return the trivector after an answer to its trial; None means no answer in time.

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
        thresholds = {stairs.axis: stairs.threshold() for stairs in self.staircases}
        return TrivectorResult(thresholds, self.catches, self.catches_right, self.number)

    @property
    def _is_catch(self) -> bool:
        if not self.rules.catch_share:
            return False
        # One in each stretch, at a random place.
        length = round(1 / self.rules.catch_share)
        stretch, at = divmod(self.number, length)
        return at == seed_of("catch", self.seed, stretch) % length

    def _staircase(self, axis: Axis) -> Staircase:
        return next(stairs for stairs in self.staircases if stairs.axis == axis)

    def _with_queue(self) -> Self:
        """Return the trivector with the lines of a new round, if the last round is over."""
        waiting = tuple(axis for axis in self.queue if not self._staircase(axis).done)
        if waiting or self.done:
            return replace(self, queue=waiting)
        lines = [stairs.axis for stairs in self.staircases if not stairs.done]
        drawn = tuple(keyed_order(lines, "lines", self.seed, self.rounds))
        return replace(self, queue=drawn, rounds=self.rounds + 1)
