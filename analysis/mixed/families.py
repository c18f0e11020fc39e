"""Response distributions with their links: log-density and its derivatives."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, gammaln

Array = np.ndarray

FAMILIES = ("gaussian", "binomial", "poisson")


@dataclass(frozen=True, slots=True)
class Family:
    """A non-gaussian family.

    Attributes
    ----------
    name
        ``binomial`` (logit link) or ``poisson`` (log link).
    log_density
        (y, trials, eta) -> (n,) log p(y | eta), without `constant`.
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
    return y * eta - trials * np.logaddexp(0, eta)


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
        return y * eta - np.exp(eta)


def _poisson_constant(y: Array, trials: Array) -> float:
    return -float(gammaln(y + 1).sum())


def _poisson_derivatives(y: Array, trials: Array, eta: Array) -> tuple[Array, Array, Array]:
    mean = np.exp(np.minimum(eta, 700))
    return y - mean, mean, mean


def _poisson_start(y: Array, trials: Array) -> Array:
    return np.log(y + 0.5)


BINOMIAL = Family(
    "binomial",
    _binomial_density,
    _binomial_constant,
    _logit_derivatives,
    _binomial_start,
)
POISSON = Family(
    "poisson",
    _poisson_density,
    _poisson_constant,
    _poisson_derivatives,
    _poisson_start,
)
GENERALISED = {"binomial": BINOMIAL, "poisson": POISSON}
"""The non-gaussian families, each with its canonical link, by name."""
