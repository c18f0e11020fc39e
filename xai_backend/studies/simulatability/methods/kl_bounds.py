"""Confidence bounds of a share by Kullback-Leibler divergence.

Kaufmann & Kalyanakrishnan (2013), "Information complexity in bandit subset selection".
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlog1py, xlogy

from xai_backend.studies.simulatability.trained import Reals

HALVINGS = 24
"""Of a bracket no wider than 1: bounds are exact to 6e-8."""
ALPHA, K1 = 1.1, 405.5
"""Constants of the exploration rate, for which the paper proves its bound."""


def upper(p: ArrayLike, level: ArrayLike) -> Reals:
    """Return the largest q of 0…1 with KL(p, q) ≤ level, in nats."""
    return _bound(np.asarray(p, float), np.asarray(level, float), 1.0)


def lower(p: ArrayLike, level: ArrayLike) -> Reals:
    """Return the smallest q of 0…1 with KL(p, q) ≤ level, in nats."""
    return _bound(np.asarray(p, float), np.asarray(level, float), 0.0)


def exploration(arms: int, rounds: int, delta: float) -> float:
    """Return β(t, δ) of KL-LUCB; divided by an arm's draws it is the level of its bounds."""
    inner = np.log(K1 * arms * rounds**ALPHA / delta)
    return float(inner + np.log(inner))


def _bound(p: Reals, level: Reals, end: float) -> Reals:
    """Halve the bracket from p to an end, whose inner side is within the level."""
    # KL(p, q) = p log p + (1 − p) log(1 − p) − p log q − (1 − p) log(1 − q)
    rest, most = 1 - p, level - xlogy(p, p) - xlog1py(1 - p, -p)
    inside, outside = p, np.full_like(p, end)
    for _ in range(HALVINGS):
        middle = (inside + outside) / 2
        within = -xlogy(p, middle) - xlog1py(rest, -middle) <= most
        inside, outside = np.where(within, middle, inside), np.where(within, outside, middle)
    return inside
