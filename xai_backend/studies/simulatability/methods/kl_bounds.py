"""Confidence bounds of a share by Kullback-Leibler divergence.

Kaufmann & Kalyanakrishnan (2013), "Information complexity in bandit subset selection".
"""

import numpy as np
from numpy.typing import ArrayLike

from xai_backend.studies.simulatability.trained import Reals

HALVINGS = 40
"""Of a bracket no wider than 1: bounds are exact to 1e-12."""
ALPHA, K1 = 1.1, 405.5
"""Constants of the exploration rate, for which the paper proves its bound."""


def divergence(p: ArrayLike, q: ArrayLike) -> Reals:
    """Return KL(p, q) of Bernoulli distributions in nats, infinite where q excludes p."""
    p, q = np.broadcast_arrays(np.asarray(p, float), np.asarray(q, float))
    with np.errstate(divide="ignore", invalid="ignore"):
        ones = np.where(p > 0, p * np.log(p / q), 0.0)
        zeros = np.where(p < 1, (1 - p) * np.log((1 - p) / (1 - q)), 0.0)
    return ones + zeros


def upper(p: ArrayLike, level: ArrayLike) -> Reals:
    """Return the largest q of 0…1 with KL(p, q) ≤ level."""
    return _bound(np.asarray(p, float), level, 1.0)


def lower(p: ArrayLike, level: ArrayLike) -> Reals:
    """Return the smallest q of 0…1 with KL(p, q) ≤ level."""
    return _bound(np.asarray(p, float), level, 0.0)


def exploration(arms: int, rounds: int, delta: float) -> float:
    """Return the exploration rate β(t, δ) of KL-LUCB, divided by an arm's draws for its level."""
    inner = np.log(K1 * arms * rounds**ALPHA / delta)
    return float(inner + np.log(inner))


def _bound(p: Reals, level: ArrayLike, end: float) -> Reals:
    inside, outside = np.broadcast_arrays(p, np.asarray(end), np.asarray(level, float))[:2]
    for _ in range(HALVINGS):
        middle = (inside + outside) / 2
        within = divergence(p, middle) <= level
        inside, outside = np.where(within, middle, inside), np.where(within, outside, middle)
    return inside
