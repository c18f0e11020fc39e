"""How blind somebody was to a source: indices of guesses against the truth."""

from dataclasses import dataclass

import numpy as np

from analysis.distributions import normal_quantile
from analysis.statistics.proportions import LEVEL, UNKNOWN, Interval

Array = np.ndarray


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


def james_index(counts: Array) -> Array:
    """Return James's blinding index over both sources, 0…1.

    1 is complete blinding (everybody can't say), .5 guessing at random, 0 every guess right. James
    et al. (1996, Stat. Med. 15) in the form of Bang, Ni & Davis (2004, eq. 1): with P the share of
    "can't say" and K the kappa-like departure of wrong guesses from what their margins give, (1 + P
    + (1 − P) K) / 2.

    Parameters
    ----------
    counts
        (…, 2, 3): for each true source how often the first was guessed, the second, and
        "can't say".

    Returns
    -------
    float64 (…)
        NaN where one source was never asked about, or nobody's guesses could be wrong.
    """
    counts = np.asarray(counts, dtype=float)
    total = counts.sum(axis=(-1, -2))
    guessed = counts[..., :2]
    n = guessed.sum(axis=(-1, -2))
    with np.errstate(divide="ignore", invalid="ignore"):
        unsure = counts[..., 2].sum(axis=-1) / total
        wrong = (guessed[..., 0, 1] + guessed[..., 1, 0]) / n
        row, column = guessed.sum(axis=-1) / n[..., None], guessed.sum(axis=-2) / n[..., None]
        expected = row[..., 0] * column[..., 1] + row[..., 1] * column[..., 0]
        departure = np.where(n > 0, (wrong - expected) / expected, 0.0)
        index = (1 + unsure + (1 - unsure) * departure) / 2
    asked = (counts.sum(axis=-1) > 0).all(axis=-1)
    return np.where(asked, index, np.nan)
