"""One staircase on one confusion line."""

from dataclasses import dataclass, field, replace
from math import log, log10
from typing import Final

from participants.screening.quest import Psychometric, Quest
from stimuli.colour.cones import Axis
from stimuli.protocol.screening import Screening

UP_STEPS: Final = 3
"""Steps up for each step down: 75 % of answers come to be right (Kaernbach 1991)."""
FUNCTION: Final = Psychometric(share=0.75, slope=1.5, guess=0.25, lapse=0.03)
"""One gap of four. The slope is that of an observer whose d′ is proportional to contrast."""
PRIOR: Final = (2.0, 0.7)
"""Mean and SD of log₁₀ thresholds before the first answer: anything from 4 to 2500."""
GRID: Final = (0.0, 4.0)


@dataclass(frozen=True, slots=True)
class Threshold:
    """What a staircase found.

    Attributes
    ----------
    axis
        The line.
    threshold_1e4
        Excursion at which 75 % of answers are right, 10⁻⁴ of u′v′.
    se_1e4
        Its standard error; None where the threshold lies at the ceiling.
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
        What all answers say of the threshold.
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
        """Whether it has come to its end."""
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
        """Return what all answers say of the threshold."""
        found = 10**self.belief.threshold
        at_ceiling = (
            self.ceiling_errors >= self.rules.ceiling_errors or found >= self.rules.start_1e4
        )
        if at_ceiling:
            found, error = self.rules.start_1e4, None
        else:
            error = found * self.belief.sd * log(10)
        return Threshold(
            self.axis, found, error, self.trials, len(self.turns_1e4), at_ceiling=at_ceiling
        )
