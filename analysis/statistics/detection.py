"""Signal detection: sensitivity and criterion from hits and false alarms."""

from collections.abc import Sequence

import numpy as np
from scipy.stats import norm

from analysis.statistics.bootstrap import percentile_interval
from analysis.statistics.proportions import LEVEL, UNKNOWN, Count, Interval
from analysis.statistics.two_way import TwoWayMeans

Array = np.ndarray

_Z = float(norm.ppf(0.975))


D_PRIME, CRITERION = np.array([1.0, -1.0]), np.array([-0.5, -0.5])
"""What d' and c are of the z of hits and of false alarms: d' = z(H) - z(F), c = -(z(H) + z(F)) / 2.

A positive criterion leans to rejecting.
"""


def z_sum(
    counts: Sequence[Count], weights: Array, found: TwoWayMeans | Array | None = None
) -> Interval:
    """Return a weighted sum of the rates' z with its 95 % interval.

    Half a trial is added to each count and one to each total, whether or not a rate is
    0 or 1 (Hautus 1995, Behav. Res. Methods 27(1)). Standard errors are those of Gourevitch &
    Galanter (1967, Psychometrika 32) at the corrected rates, which take the trials as
    independent; over participants and items, those of the rates by the delta method. At a rate of
    0 or 1 the interval is no narrower than the former.

    Parameters
    ----------
    counts
        Accepted and all trials of every cell.
    weights
        (cells,)
    found
        The cells' means, or (replicates, cells) of a bootstrap; None for one person's trials.
    """
    used = np.flatnonzero(weights)
    if any(counts[cell].n == 0 for cell in used):
        return UNKNOWN
    z, variance = np.zeros(len(counts)), np.zeros(len(counts))
    for cell in used:
        z[cell], variance[cell] = _corrected(counts[cell])
    estimate, reach = float(weights @ z), _Z * float(np.sqrt(weights**2 @ variance))
    low, high = estimate - reach, estimate + reach
    if found is None:
        return Interval(estimate, low, high)
    own = _by_people_and_items(estimate, counts, weights, z, found)
    if not np.isfinite(own).all() or any(counts[cell].rate in (0.0, 1.0) for cell in used):
        return Interval(estimate, float(np.fmin(low, own[0])), float(np.fmax(high, own[1])))
    return Interval(estimate, *own)


def _by_people_and_items(
    estimate: float, counts: Sequence[Count], weights: Array, z: Array, found: TwoWayMeans | Array
) -> tuple[float, float]:
    n = np.array([count.n for count in counts], dtype=float)
    if isinstance(found, TwoWayMeans):
        gradient = np.where(weights != 0, weights * n / (n + 1) / norm.pdf(z), 0.0)
        reach = float(found.spread(gradient).reach(LEVEL)[0])
        return estimate - reach, estimate + reach
    used = weights != 0
    drawn = norm.ppf((found[:, used] * n[used] + 0.5) / (n[used] + 1)) @ weights[used]
    return percentile_interval(drawn, LEVEL)


def _corrected(count: Count) -> tuple[float, float]:
    rate = (count.successes + 0.5) / (count.n + 1)
    z = float(norm.ppf(rate))
    return z, rate * (1 - rate) / ((count.n + 1) * float(norm.pdf(z)) ** 2)
