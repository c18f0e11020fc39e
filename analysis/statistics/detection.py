"""Signal detection: sensitivity and criterion from hits and false alarms."""

from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

from analysis.statistics.proportions import UNKNOWN, Count, Interval

Array = np.ndarray

_Z = float(norm.ppf(0.975))


@dataclass(frozen=True, slots=True)
class Detection:
    """Sensitivity d' and criterion c of yes/no answers.

    Attributes
    ----------
    d_prime, criterion
        With 95 % intervals; a positive criterion leans to rejecting.
    hits, false_alarms
        Accepted signals, accepted noises, as they were counted.
    """

    d_prime: Interval
    criterion: Interval
    hits: Count
    false_alarms: Count


def detect(hits: Count, false_alarms: Count) -> Detection:
    """Return d' and c with the log-linear correction.

    Half a trial is added to each count and one to each total, whether or not a rate is
    0 or 1 (Hautus 1995, Behav. Res. Methods 27(1)). d' = z(H) - z(F) and
    c = -(z(H) + z(F)) / 2; their standard errors are those of Gourevitch & Galanter (1967,
    Psychometrika 32) at the corrected rates. They take the trials as independent, so they
    hold for one person; for a group resample people and items instead.
    """
    if hits.n == 0 or false_alarms.n == 0:
        return Detection(UNKNOWN, UNKNOWN, hits, false_alarms)
    z_hit, var_hit = _corrected(hits)
    z_false, var_false = _corrected(false_alarms)
    se = (var_hit + var_false) ** 0.5
    d_prime, criterion = z_hit - z_false, -(z_hit + z_false) / 2
    return Detection(
        Interval(d_prime, d_prime - _Z * se, d_prime + _Z * se),
        Interval(criterion, criterion - _Z * se / 2, criterion + _Z * se / 2),
        hits,
        false_alarms,
    )


def _corrected(count: Count) -> tuple[float, float]:
    rate = (count.successes + 0.5) / (count.n + 1)
    z = float(norm.ppf(rate))
    return z, rate * (1 - rate) / ((count.n + 1) * float(norm.pdf(z)) ** 2)
