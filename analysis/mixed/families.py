"""Response distributions with their links: log-density and its derivatives."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, gammaln, log_ndtr, ndtri

Array = np.ndarray

FAMILIES = ("gaussian", "binomial", "probit", "poisson", "nbinom2", "gamma", "ordinal")
SHARES = ("binomial", "probit")
"""Families whose response is a share of successes, apart by their link."""
COUNTS = ("poisson", "nbinom2")
LOG_LINKS = (*COUNTS, "gamma")
LINK_UNITS = {
    "binomial": "log odds",
    "probit": "probits",
    "poisson": "log counts",
    "nbinom2": "log counts",
    "gamma": "log of the mean",
    "ordinal": "log odds of higher levels",
}
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
    """

    name: str
    log_density: Callable[[Array, Array, Array], Array]
    constant: Callable[[Array, Array], float]
    derivatives: Callable[[Array, Array, Array], tuple[Array, Array, Array]]
    start: Callable[[Array, Array], Array]


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


def log_link_start(y: Array, trials: Array) -> Array:
    """Return a linear predictor near counts, on the log scale."""
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


BINOMIAL = Family(
    "binomial",
    _binomial_density,
    _binomial_constant,
    _logit_derivatives,
    _binomial_start,
)
PROBIT = Family(
    "probit",
    _probit_density,
    _binomial_constant,
    _probit_derivatives,
    _probit_start,
)
POISSON = Family(
    "poisson",
    _poisson_density,
    _poisson_constant,
    _poisson_derivatives,
    log_link_start,
)
NORMAL = Family(
    "gaussian",
    lambda y, trials, eta: -trials * (y - eta) ** 2 / 2,
    lambda y, trials: 0.0,
    lambda y, trials, eta: (trials * (y - eta), trials, np.zeros(len(eta))),
    lambda y, trials: y,
)
"""Normal responses with residual standard deviation 1; `analysis.mixed.gaussian` fits them."""
GENERALISED = {"binomial": BINOMIAL, "probit": PROBIT, "poisson": POISSON}
"""The non-gaussian families by name."""
