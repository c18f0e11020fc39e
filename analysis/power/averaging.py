"""From wanted probabilities to the log odds of a world whose people and items vary."""

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(61)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()
_FARTHEST_LOGIT = 30.0


def averaging_logit(wanted: float, spread: float) -> float:
    """Return the mean of normal log odds with an SD that average to a probability."""

    def miss(logit: float) -> float:
        return float(expit(logit + spread * _NODES) @ _WEIGHTS) - wanted

    return float(brentq(miss, -_FARTHEST_LOGIT, _FARTHEST_LOGIT, xtol=1e-12))
