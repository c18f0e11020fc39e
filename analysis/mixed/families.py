"""Response distributions with their links: log-density and its derivatives."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, gammaln, log_ndtr, ndtr, ndtri
from scipy.stats import norm

Array = np.ndarray

FAMILIES = ("gaussian", "binomial", "probit", "poisson")
SHARES = ("binomial", "probit")
"""Families whose response is a share of successes, apart by their link."""
LINK_UNITS = {"binomial": "log odds", "probit": "probits", "poisson": "log counts"}
"""What a generalised model's estimates are counted in."""
_LOG_ROOT_TWO_PI = 0.5 * np.log(2 * np.pi)


@dataclass(frozen=True, slots=True)
class Family:
    """A non-gaussian family.

    Attributes
    ----------
    name
        ``binomial`` (logit link), ``probit`` (binomial, probit link) or ``poisson`` (log link).
    log_density
        (y, trials, eta) -> (n,) log p(y | eta), without `constant`; a count's `trials` are
        the row's weight.
    constant
        (y, trials) -> the part of the log-likelihood that no parameter changes.
    derivatives
        (y, trials, eta) -> the log-density's derivative by eta, the weight (minus its second
        derivative) and the weight's own derivative, each (n,).
    start
        (y, trials) -> (n,) linear predictor near the response.
    mean
        eta -> the mean of an answer and its derivative by eta, each (n,).
    """

    name: str
    log_density: Callable[[Array, Array, Array], Array]
    constant: Callable[[Array, Array], float]
    derivatives: Callable[[Array, Array, Array], tuple[Array, Array, Array]]
    start: Callable[[Array, Array], Array]
    mean: Callable[[Array], tuple[Array, Array]]


def _binomial_density(y: Array, trials: Array, eta: Array) -> Array:
    # log(1 + exp eta), faster than by logaddexp and as exact.
    return y * eta - trials * (np.maximum(eta, 0) + np.log1p(np.exp(-np.abs(eta))))


def _binomial_constant(y: Array, trials: Array) -> float:
    return float((gammaln(trials + 1) - gammaln(y + 1) - gammaln(trials - y + 1)).sum())


def _logit_derivatives(y: Array, trials: Array, eta: Array) -> tuple[Array, Array, Array]:
    p = expit(eta)
    weight = trials * p * (1 - p)
    return y - trials * p, weight, weight * (1 - 2 * p)


def _binomial_start(y: Array, trials: Array) -> Array:
    p = (y + 0.5) / (trials + 1)
    return np.log(p / (1 - p))


def _poisson_density(y: Array, trials: Array, eta: Array) -> Array:
    with np.errstate(over="ignore"):
        return trials * (y * eta - np.exp(eta))


def _poisson_constant(y: Array, trials: Array) -> float:
    return -float((trials * gammaln(y + 1)).sum())


def _poisson_derivatives(y: Array, trials: Array, eta: Array) -> tuple[Array, Array, Array]:
    mean = np.exp(np.minimum(eta, 700))
    weight = trials * mean
    return trials * y - weight, weight, weight


def _poisson_start(y: Array, trials: Array) -> Array:
    return np.log(y + 0.5)


def _probit_density(y: Array, trials: Array, eta: Array) -> Array:
    return y * log_ndtr(eta) + (trials - y) * log_ndtr(-eta)


def _probit_derivatives(y: Array, trials: Array, eta: Array) -> tuple[Array, Array, Array]:
    """Return the observed weight, not the expected one: the two differ for this link."""
    success, failure = _mills(eta), _mills(-eta)
    bent = success * (success + eta), failure * (failure - eta)
    slopes = (
        success * (1 - bent[0]) - bent[0] * (success + eta),
        bent[1] * (failure - eta) - failure * (1 - bent[1]),
    )
    other = trials - y
    return (
        y * success - other * failure,
        y * bent[0] + other * bent[1],
        y * slopes[0] + other * slopes[1],
    )


def _mills(eta: Array) -> Array:
    """Return the normal density over the distribution function, also far in the lower tail."""
    return np.exp(-(eta**2) / 2 - _LOG_ROOT_TWO_PI - log_ndtr(eta))


def _probit_start(y: Array, trials: Array) -> Array:
    return ndtri((y + 0.5) / (trials + 1))


def _logit_mean(eta: Array) -> tuple[Array, Array]:
    p = expit(eta)
    return p, p * (1 - p)


def _probit_mean(eta: Array) -> tuple[Array, Array]:
    return ndtr(eta), norm.pdf(eta)


def _poisson_mean(eta: Array) -> tuple[Array, Array]:
    mean = np.exp(np.minimum(eta, 700))
    return mean, mean


BINOMIAL = Family(
    "binomial",
    _binomial_density,
    _binomial_constant,
    _logit_derivatives,
    _binomial_start,
    _logit_mean,
)
PROBIT = Family(
    "probit",
    _probit_density,
    _binomial_constant,
    _probit_derivatives,
    _probit_start,
    _probit_mean,
)
POISSON = Family(
    "poisson",
    _poisson_density,
    _poisson_constant,
    _poisson_derivatives,
    _poisson_start,
    _poisson_mean,
)
GENERALISED = {"binomial": BINOMIAL, "probit": PROBIT, "poisson": POISSON}
"""The non-gaussian families by name."""
