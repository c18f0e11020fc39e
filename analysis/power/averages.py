"""Probabilities averaged over people and items whose log odds vary normally."""

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

Array = np.ndarray

FARTHEST_LOGIT = 30.0
"""Log odds beyond which no probability is looked for."""
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(61)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()


def spread_out(logits: Array, spread: float) -> Array:
    """Return probabilities at the nodes of Gauss-Hermite quadrature, (..., nodes).

    Parameters
    ----------
    logits
        (...) mean log odds.
    spread
        Their standard deviation.
    """
    return expit(np.asarray(logits)[..., None] + spread * _NODES)


def averaged(values: Array) -> Array:
    """Return the averages (...) of values at the nodes, (..., nodes)."""
    return values @ _WEIGHTS


def averaging_logit(probability: float, spread: float, offsets: Array | float = 0.0) -> float:
    """Return the mean of normal log odds with an SD that average to a probability.

    Parameters
    ----------
    probability
        The probability.
    spread
        The standard deviation.
    offsets
        (m,) added to the log odds in each of m kinds of cases, which are equally frequent.
    """

    def miss(logit: float) -> float:
        return float(averaged(spread_out(logit + np.asarray(offsets), spread)).mean()) - probability

    return float(brentq(miss, -FARTHEST_LOGIT, FARTHEST_LOGIT, xtol=1e-12))
