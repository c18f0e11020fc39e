"""Response distributions with their links: log-density and its derivatives.

Three families have parameters of their own (`Shaped`): negative binomial, gamma and ordinal.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from scipy.special import betaln, digamma, expit, gammaln, log_ndtr, ndtri, xlogy

Array = np.ndarray

FAMILIES = ("gaussian", "binomial", "probit", "poisson", "nbinom2", "gamma", "ordinal")
SHARES = ("binomial", "probit")
"""Families whose response is a share of successes; they differ in their link."""
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
"""Unit of a generalised model's estimates, by family."""
FAR = {"binomial": 10.0, "probit": 6.0, "poisson": 10.0, "nbinom2": 10.0, "ordinal": 10.0}
"""Standard deviation of random effects, in those units, that no study's people or items have."""
_LOG_ROOT_TWO_PI = 0.5 * np.log(2 * np.pi)

_LARGE_COUNT = 1000.0
LARGEST_SHAPE = 1e7
"""Largest theta or shape: beyond it nothing changes."""
_MOST_LOG = np.log(LARGEST_SHAPE)


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
    """Return the log-density less its maximum over eta: of large counts nothing cancels then."""
    counted = y > 0
    with np.errstate(over="ignore"):
        apart = eta - np.log(np.where(counted, y, 1.0))
        return trials * np.where(counted, y * (apart - np.expm1(apart)), -np.exp(eta))


def _poisson_constant(y: Array, trials: Array) -> float:
    """Return the sum of the log-densities' maxima, of large counts by Stirling's series."""
    large = np.maximum(y, _LARGE_COUNT)
    series = -np.log(2 * np.pi * large) / 2 - 1 / (12 * large) + 1 / (360 * large**3)
    few = np.minimum(y, _LARGE_COUNT)
    exact = xlogy(few, few) - few - gammaln(few + 1)
    return float((trials * np.where(y < _LARGE_COUNT, exact, series)).sum())


def _count_constant(y: Array, trials: Array) -> float:
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


@dataclass(frozen=True, slots=True)
class ShapeSlopes:
    """How a row's log-density changes with the family's own parameters, each (m, n).

    Attributes
    ----------
    density
        Derivative of log p.
    residual
        Derivative of log p's slope by the linear predictor.
    weight
        Derivative of the weight, minus log p's second derivative by the linear predictor.
    """

    density: Array
    residual: Array
    weight: Array


class Shaped(Protocol):
    """A family with m parameters of its own, which may take any real value.

    `locations`: whether they shift the response, as coefficients do, rather than spread it.
    """

    locations: ClassVar[bool]

    def family(self, shape: Array) -> Family:
        """Return the family at given parameters (m,)."""

    def slopes(self, y: Array, trials: Array, eta: Array, shape: Array) -> ShapeSlopes:
        """Return the slopes by the parameters."""

    def start(self, y: Array, trials: Array) -> Array:
        """Return parameters (m,) to begin with."""

    def named(self, shape: Array) -> tuple[Array, Array]:
        """Return the parameters as they are reported (m,), and their derivatives (m, m)."""


@dataclass(frozen=True, slots=True)
class NegativeBinomial:
    """Counts with mean mu and variance mu + mu² / theta (log link); the parameter is log theta.

    As glmmTMB's ``nbinom2`` and MASS's ``negative.binomial`` (Venables & Ripley 2002, ch. 7.4).
    """

    locations: ClassVar[bool] = False

    def family(self, shape: Array) -> Family:
        """Return the family at log theta."""
        log_theta = np.minimum(shape, _MOST_LOG)
        theta = np.exp(log_theta)

        def density(y: Array, trials: Array, eta: Array) -> Array:
            more = np.logaddexp(0.0, eta - log_theta)
            # log Gamma(y + theta) / Gamma(theta) without cancellation.
            rising = gammaln(np.maximum(y, 1)) - betaln(theta, np.maximum(y, 1))
            rising = np.where(y > 0, rising, 0.0)
            return trials * (rising + y * (eta - log_theta) - (y + theta) * more)

        def derivatives(y: Array, trials: Array, eta: Array) -> tuple[Array, Array, Array]:
            share = expit(eta - log_theta)
            weight = trials * (y + theta) * share * (1 - share)
            return trials * (y - (y + theta) * share), weight, weight * (1 - 2 * share)

        return Family("nbinom2", density, _count_constant, derivatives, log_link_start)

    def slopes(self, y: Array, trials: Array, eta: Array, shape: Array) -> ShapeSlopes:
        """Return the slopes by log theta."""
        theta = np.exp(np.minimum(shape, _MOST_LOG))
        share = expit(eta - np.log(theta))
        bend = share * (1 - share)
        rise = digamma(y + theta) - digamma(theta) + np.log1p(-share) + 1
        density = theta * rise - (y + theta) * (1 - share)
        weight = (y + theta) * bend
        return ShapeSlopes(
            (trials * density)[None],
            (trials * (weight - theta * share))[None],
            (trials * (theta * bend - weight * (1 - 2 * share)))[None],
        )

    def start(self, y: Array, trials: Array) -> Array:
        """Return log theta, found from the moments of all counts."""
        mean, variance = float(y.mean()), float(y.var())
        return np.log([np.clip(mean**2 / max(variance - mean, 0.05 * mean), 0.1, 20.0)])

    def named(self, shape: Array) -> tuple[Array, Array]:
        """Return theta."""
        theta = np.exp(np.minimum(shape, _MOST_LOG))
        return theta, np.diag(theta)


@dataclass(frozen=True, slots=True)
class Gamma:
    """Values above 0 with mean mu and variance mu² / shape (log link); the parameter is log shape.

    As glmmTMB's ``Gamma(link = "log")``.
    """

    locations: ClassVar[bool] = False

    def family(self, shape: Array) -> Family:
        """Return the family at log shape."""
        k = np.exp(np.minimum(shape, _MOST_LOG))

        def density(y: Array, trials: Array, eta: Array) -> Array:
            ratio = np.log(y) - eta
            with np.errstate(over="ignore"):
                return trials * (k * (np.log(k) + ratio - np.exp(ratio)) - gammaln(k))

        def derivatives(y: Array, trials: Array, eta: Array) -> tuple[Array, Array, Array]:
            weight = trials * k * np.exp(np.minimum(np.log(y) - eta, 700))
            return weight - trials * k, weight, -weight

        return Family("gamma", density, _gamma_constant, derivatives, _log_start)

    def slopes(self, y: Array, trials: Array, eta: Array, shape: Array) -> ShapeSlopes:
        """Return the slopes by log shape."""
        k = np.exp(np.minimum(shape, _MOST_LOG))
        log_ratio = np.log(y) - eta
        ratio = np.exp(np.minimum(log_ratio, 700))
        density = k * (np.log(k) + 1 + log_ratio - ratio - digamma(k))
        weight = trials * k * ratio
        return ShapeSlopes((trials * density)[None], (weight - trials * k)[None], weight[None])

    def start(self, y: Array, trials: Array) -> Array:
        """Return log shape, found from the moments of all values."""
        return np.log([np.clip(float(y.mean()) ** 2 / max(float(y.var()), 1e-300), 0.1, 1e4)])

    def named(self, shape: Array) -> tuple[Array, Array]:
        """Return the shape."""
        k = np.exp(np.minimum(shape, _MOST_LOG))
        return k, np.diag(k)


@dataclass(frozen=True, slots=True)
class Cumulative:
    """Ordered levels 0, 1, ... with logit P(y <= j) = threshold_j - eta.

    The cumulative (proportional odds) model (McCullagh 1980, J. R. Stat. Soc. B 42(2); R's
    ``ordinal::clmm``). The parameters are the first threshold and the logarithms of the steps
    to the others, which keeps them in order.

    Attributes
    ----------
    levels
        K, at least 2.
    """

    levels: int
    locations: ClassVar[bool] = True

    def thresholds(self, shape: Array) -> Array:
        """Return the thresholds, (K - 1,)."""
        steps = np.exp(np.minimum(shape[1:], 50.0))
        return shape[0] + np.concatenate([[0.0], np.cumsum(steps)])

    def family(self, shape: Array) -> Family:
        """Return the family at given thresholds."""
        bounds, gaps = self._bounds(shape)

        def density(y: Array, trials: Array, eta: Array) -> Array:
            level = y.astype(int)
            # F(u) - F(l) = F(u) (1 - F(l)) (1 - exp(l - u)).
            above, below = bounds[level + 1] - eta, bounds[level] - eta
            inside = np.logaddexp(0.0, -above) + np.logaddexp(0.0, below)
            return trials * (gaps[level] - inside)

        def derivatives(y: Array, trials: Array, eta: Array) -> tuple[Array, Array, Array]:
            upper, lower = self._shares(bounds, y, eta)
            steep = upper * (1 - upper), lower * (1 - lower)
            bend = steep[0] * (1 - 2 * upper) + steep[1] * (1 - 2 * lower)
            return trials * (upper + lower - 1), trials * (steep[0] + steep[1]), -trials * bend

        return Family("ordinal", density, _no_constant, derivatives, _level_start)

    def slopes(self, y: Array, trials: Array, eta: Array, shape: Array) -> ShapeSlopes:
        """Return the slopes by the parameters."""
        bounds, _ = self._bounds(shape)
        upper, lower = self._shares(bounds, y, eta)
        level = y.astype(int)
        steep = upper * (1 - upper), lower * (1 - lower)
        with np.errstate(divide="ignore"):
            near = 1 / np.expm1(np.diff(bounds))[level]  # 0 at the ends
        parts = (
            (1 - upper + near, -lower - near),
            steep,
            (steep[0] * (1 - 2 * upper), steep[1] * (1 - 2 * lower)),
        )
        jacobian = self.named(shape)[1]
        inner = np.arange(1, self.levels)[:, None]
        above, below = level + 1 == inner, level == inner
        return ShapeSlopes(
            *(jacobian.T @ (trials * (above * up + below * down)) for up, down in parts)
        )

    def start(self, y: Array, trials: Array) -> Array:
        """Return the thresholds of the levels' shares, as if nothing else mattered."""
        counts = np.bincount(y.astype(int), trials, self.levels) + 0.5
        share = np.cumsum(counts)[:-1] / counts.sum()
        bounds = np.log(share / (1 - share))
        return np.concatenate([bounds[:1], np.log(np.diff(bounds))])

    def named(self, shape: Array) -> tuple[Array, Array]:
        """Return the thresholds."""
        size = len(shape)
        jacobian = np.tril(np.ones((size, size)))
        jacobian[:, 1:] *= np.exp(np.minimum(shape[1:], 50.0))
        return self.thresholds(shape), jacobian

    def probabilities(self, eta: Array, shape: Array) -> Array:
        """Return the probability of every level, (K, ...) for eta (...)."""
        bounds = self.thresholds(shape).reshape(-1, *[1] * eta.ndim)
        reached = expit(bounds - eta)
        ends = np.zeros((1, *eta.shape)), np.ones((1, *eta.shape))
        return np.diff(np.concatenate([ends[0], reached, ends[1]]), axis=0)

    def _bounds(self, shape: Array) -> tuple[Array, Array]:
        """Return the levels' bounds, (K + 1,), and log(1 - exp(-width)) of each, (K,)."""
        bounds = np.concatenate([[-np.inf], self.thresholds(shape), [np.inf]])
        with np.errstate(divide="ignore"):
            return bounds, np.log(-np.expm1(-np.diff(bounds)))

    @staticmethod
    def _shares(bounds: Array, y: Array, eta: Array) -> tuple[Array, Array]:
        level = y.astype(int)
        return expit(bounds[level + 1] - eta), expit(bounds[level] - eta)


SHAPED: dict[str, Callable[[int], Shaped]] = {
    "nbinom2": lambda levels: NegativeBinomial(),
    "gamma": lambda levels: Gamma(),
    "ordinal": Cumulative,
}
"""Makes a family with parameters of its own from the number of levels of the response."""


def _gamma_constant(y: Array, trials: Array) -> float:
    return -float((trials * np.log(y)).sum())


def _no_constant(y: Array, trials: Array) -> float:
    return 0.0


def _log_start(y: Array, trials: Array) -> Array:
    return np.log(y)


def _level_start(y: Array, trials: Array) -> Array:
    return np.zeros(len(y))
