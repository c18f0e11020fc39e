"""QUEST: a Bayesian staircase on a grid of thresholds.

Watson & Pelli (1983). QUEST: A Bayesian adaptive psychometric method. Perception &
Psychophysics 33, 113–120; the next trial at the posterior's mean, as King-Smith et al. (1994)
recommend. The threshold is where a stated share is right, as in PsychoPy's QuestHandler.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from stimuli.colour.spaces import Floats

STEP: Final = 0.01
"""Step of the grid, log₁₀ units."""


@dataclass(frozen=True, slots=True)
class Psychometric:
    """A Weibull function of log₁₀ intensity.

    Attributes
    ----------
    share
        Share of right answers at the threshold.
    slope
        Its β.
    guess
        Share of right answers without seeing anything, γ.
    lapse
        Share of answers that are given blindly at any intensity, δ.

    Raises
    ------
    ValueError
        If the share lies outside the function's range.
    """

    share: float
    slope: float
    guess: float
    lapse: float = 0.01

    def __post_init__(self) -> None:
        if not self.guess < self.share < self._highest:
            raise ValueError(f"share {self.share} must lie in {self.guess}…{self._highest}")

    @property
    def _highest(self) -> float:
        return self.lapse * self.guess + 1 - self.lapse

    def right(self, log_intensity: ArrayLike, log_threshold: ArrayLike) -> Floats:
        """Return the share of right answers, broadcast."""
        away = np.asarray(log_intensity, dtype=np.float64) - np.asarray(log_threshold)
        seen = -np.expm1(-self._at_threshold * 10 ** (self.slope * away))
        return self.lapse * self.guess + (1 - self.lapse) * (self.guess + (1 - self.guess) * seen)

    @property
    def _at_threshold(self) -> float:
        """Exponent of the Weibull function at the threshold."""
        unlapsed = (self.share - self.lapse * self.guess) / (1 - self.lapse)
        return -float(np.log1p(-(unlapsed - self.guess) / (1 - self.guess)))


@dataclass(frozen=True, slots=True)
class Quest:
    """The belief about a threshold after some answers; made by `begin`.

    Attributes
    ----------
    function
        The psychometric function that is assumed.
    low, high
        Ends of the grid, log₁₀ units.
    log_posterior
        Unscaled, one value for each of `grid`.
    """

    function: Psychometric
    low: float
    high: float
    log_posterior: tuple[float, ...]

    @classmethod
    def begin(
        cls, function: Psychometric, guess: float, guess_sd: float, low: float, high: float
    ) -> "Quest":
        """Return the belief before the first answer: normal, cut at the grid's ends."""
        prior = -(((_grid(low, high) - guess) / guess_sd) ** 2) / 2
        return cls(function, low, high, tuple(prior.tolist()))

    def answered(self, log_intensity: float, right: bool) -> "Quest":
        """Return the belief after one more answer."""
        chance = self.function.right(log_intensity, _grid(self.low, self.high))
        learnt = np.log(chance if right else 1 - chance)
        return replace(self, log_posterior=tuple((learnt + self.log_posterior).tolist()))

    @property
    def posterior(self) -> Floats:
        """Probability of each threshold of the grid."""
        values = np.array(self.log_posterior)
        weights = np.exp(values - values.max())
        total: Floats = weights / weights.sum()
        return total

    @property
    def threshold(self) -> float:
        """Mean of the posterior, log₁₀ units."""
        return float(self.posterior @ _grid(self.low, self.high))

    @property
    def sd(self) -> float:
        """Standard deviation of the posterior, log₁₀ units."""
        away = _grid(self.low, self.high) - self.threshold
        return float(np.sqrt(self.posterior @ away**2))

    def expected(self, log_intensity: float) -> float:
        """Return the share of right answers to be expected at an intensity."""
        return float(
            self.posterior @ self.function.right(log_intensity, _grid(self.low, self.high))
        )


@lru_cache(maxsize=8)
def _grid(low: float, high: float) -> Floats:
    steps = np.arange(round((high - low) / STEP) + 1)
    values = np.asarray(low + STEP * steps, dtype=np.float64)
    values.setflags(write=False)
    return values
