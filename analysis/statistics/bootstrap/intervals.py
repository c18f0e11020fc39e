"""From replicates to intervals and p."""

from typing import Literal

import numpy as np
from scipy.stats import norm

Array = np.ndarray
Kind = Literal["percentile", "basic", "bca"]

_UNKNOWN = (float("nan"), float("nan"))


def percentile_interval(replicates: Array, level: float) -> tuple[float, float]:
    """Return the percentile interval of replicates (NaN ones are left out).

    Parameters
    ----------
    replicates
        (B,) values of the statistic.
    level
        Confidence level, e.g. .95.
    """
    return _quantiles(replicates, (1 - level) / 2, (1 + level) / 2)


def basic_interval(estimate: float, replicates: Array, level: float) -> tuple[float, float]:
    """Return the basic interval: the percentile one, turned round the estimate.

    Davison & Hinkley (1997), eq. 5.6. It may leave the statistic's range, e.g. below 0
    for a rate.
    """
    low, high = percentile_interval(replicates, level)
    return 2 * estimate - high, 2 * estimate - low


def bca_interval(
    estimate: float, replicates: Array, acceleration: float, level: float
) -> tuple[float, float]:
    """Return the bias-corrected and accelerated interval (Efron 1987, J. Am. Stat. Assoc. 82).

    Replicates that equal the estimate count half towards the bias, so that a discrete
    statistic isn't taken for a biased one.

    Parameters
    ----------
    estimate
        The statistic of the data.
    replicates
        (B,) NaN ones are left out.
    acceleration
        From `acceleration`.
    level
        Confidence level.
    """
    finite = replicates[np.isfinite(replicates)]
    if len(finite) == 0 or not np.isfinite(estimate):
        return _UNKNOWN
    below = (finite < estimate).mean() + (finite == estimate).mean() / 2
    if not 0 < below < 1:
        return _UNKNOWN
    bias = norm.ppf(below)
    z = bias + norm.ppf([(1 - level) / 2, (1 + level) / 2])
    scale = 1 - acceleration * z
    if not np.isfinite(acceleration) or (scale <= 0).any():
        return _UNKNOWN
    return _quantiles(finite, *norm.cdf(bias + z / scale))


def acceleration(estimate: float, without_participant: Array, without_item: Array | None) -> float:
    """Return BCa's acceleration by a two-factor jackknife.

    To first order the statistic is a sum of one contribution from each participant and
    one from each item, all independent. A unit's contribution is (m − 1)/m times the mean
    of the leave-one-out values of its factor less its own, with m units in the factor;
    the acceleration is a sixth of the sum's skewness,

        Σ l³ / (6 (Σ l²)^1.5), over participants and items together,

    which is the several-sample form of Davison & Hinkley (1997, section 5.3) with the
    two factors as the samples. With one factor it is Efron's own. Interaction and noise
    within a participant and item are left out of it.

    Parameters
    ----------
    estimate
        The statistic of the data; where it isn't known neither is the acceleration.
    without_participant, without_item
        The statistic with one unit left out, (participants,) and (items,); None for a
        factor that isn't drawn.
    """
    contributions = [
        (len(values) - 1) / len(values) * (values.mean() - values)
        for values in (without_participant, without_item)
        if values is not None and len(values) > 1
    ]
    if not contributions or not np.isfinite(estimate):
        return float("nan")
    all_of_them = np.concatenate(contributions)
    spread = float((all_of_them**2).sum())
    if not np.isfinite(spread):
        return float("nan")
    return float((all_of_them**3).sum() / (6 * spread**1.5)) if spread > 0 else 0.0


def centred_p(estimate: float, replicates: Array, null: float = 0.0) -> float:
    """Return the two-sided p of a null value by centring.

    The replicates, moved to have the null value where the estimate lies, stand for what
    would have been found under it: p = (1 + those at least as far from the null as the
    estimate) / (1 + B). NaN replicates are left out.
    """
    finite = replicates[np.isfinite(replicates)]
    if len(finite) == 0 or not np.isfinite(estimate):
        return float("nan")
    distance = abs(estimate - null)
    beyond = np.abs(finite - estimate) >= distance * (1 - 1e-12)
    return float((1 + beyond.sum()) / (1 + len(finite)))


def _quantiles(replicates: Array, low: float, high: float) -> tuple[float, float]:
    finite = replicates[np.isfinite(replicates)]
    if len(finite) == 0:
        return _UNKNOWN
    ends = np.quantile(finite, [low, high])
    return float(ends[0]), float(ends[1])
