"""How blind somebody was to a source: an index of guesses against the truth."""

from dataclasses import dataclass

import numpy as np

from analysis.distributions import normal_quantile
from analysis.statistics.proportions import LEVEL, UNKNOWN, Interval


@dataclass(frozen=True, slots=True)
class Guesses:
    """Guesses about things of one source: right, wrong, and "can't say"."""

    right: float
    wrong: float
    unsure: float

    @property
    def n(self) -> float:
        """How many were asked."""
        return self.right + self.wrong + self.unsure


def bang_index(guesses: Guesses, level: float = LEVEL) -> Interval:
    """Return Bang's blinding index of one source, −1…1.

    (right − wrong) / n: 0 is guessing at random, 1 every guess right (not blind at all), −1 every
    guess wrong. Bang, Ni & Davis (2004, Control. Clin. Trials 25, eq. 2 and its variance), who take
    guesses as independent: if one person guesses often, resample people instead.

    Parameters
    ----------
    guesses
        Counts.
    level
        Of the interval.
    """
    if guesses.n == 0:
        return UNKNOWN
    right, wrong = guesses.right / guesses.n, guesses.wrong / guesses.n
    value = right - wrong
    se = np.sqrt((right + wrong - value**2) / guesses.n)
    reach = float(normal_quantile((1 + level) / 2) * se)
    return Interval(value, max(-1.0, value - reach), min(1.0, value + reach))
