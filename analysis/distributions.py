"""Tails and quantiles of the distributions of tests, and Holm's correction.

They are scipy.special's, as scipy.stats gives them. To import scipy.stats takes two seconds.
"""

from collections.abc import Sequence

import numpy as np
from scipy.special import chdtrc, fdtrc, ndtr, ndtri, stdtr, stdtrit

Values = float | np.ndarray


def normal_quantile(share: Values) -> np.ndarray:
    """Return the z below which a share of the standard normal distribution lies."""
    return ndtri(np.asarray(share))


def normal_above(z: Values) -> np.ndarray:
    """Return the share of the standard normal distribution above z."""
    return ndtr(-np.asarray(z))


def normal_density(z: Values) -> np.ndarray:
    """Return the density of the standard normal distribution at z."""
    return np.exp(-np.square(z) / 2) / np.sqrt(2 * np.pi)


def t_quantile(share: Values, df: Values) -> np.ndarray:
    """Return the t below which a share of Student's distribution lies; `df` may be infinite."""
    return stdtrit(np.asarray(df), np.asarray(share))


def t_above(t: Values, df: Values) -> np.ndarray:
    """Return the share of Student's distribution above t; `df` may be infinite."""
    return stdtr(np.asarray(df), -np.asarray(t))


def chi2_above(statistic: float, df: float) -> float:
    """Return the share of the chi-squared distribution above a statistic."""
    return float(chdtrc(df, np.array(max(statistic, 0.0))))


def f_above(statistic: float, df: float, df_error: float) -> float:
    """Return the share of the F distribution above a statistic."""
    return float(fdtrc(df, df_error, np.array(max(statistic, 0.0))))


def holm(p_values: Sequence[float | None]) -> list[float]:
    """Return p values adjusted by Holm (1979, Scand. J. Stat. 6).

    Those that aren't known (None or NaN) are NaN, and don't count.
    """
    p = np.asarray(p_values, dtype=float)
    known = np.flatnonzero(np.isfinite(p))
    order = known[np.argsort(p[known])]
    adjusted = np.full(len(p), np.nan)
    times = np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(1, np.maximum.accumulate(p[order] * times))
    return adjusted.tolist()
