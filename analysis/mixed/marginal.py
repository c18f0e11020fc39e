"""Probabilities averaged over people and items, from a logistic mixed model."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import expit

from analysis.mixed.result import LEVEL_Z, MixedResult

Array = np.ndarray

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(41)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()
_STEP = 1e-5


@dataclass(frozen=True, slots=True)
class Estimate:
    """A probability, or a difference of probabilities, with a 95 % interval."""

    estimate: float
    ci_low: float
    ci_high: float


@dataclass(frozen=True, slots=True)
class Marginals:
    """Averaged probabilities of several settings, and how they vary together.

    Attributes
    ----------
    probabilities
        (settings,)
    covariance
        (settings, settings), by the delta method over coefficients and variances.
    """

    probabilities: Array
    covariance: Array

    def probability(self, setting: int) -> Estimate:
        """Return one setting's probability; its interval is symmetric on the logit scale."""
        p = float(self.probabilities[setting])
        spread = p * (1 - p)
        if not spread > 0:
            return Estimate(p, float("nan"), float("nan"))
        se = float(np.sqrt(self.covariance[setting, setting])) / spread
        logit = np.log(p / (1 - p))
        low, high = expit([logit - LEVEL_Z * se, logit + LEVEL_Z * se])
        return Estimate(p, float(low), float(high))

    def contrast(self, weights: Array) -> Estimate:
        """Return a weighted sum of the probabilities with its Wald interval."""
        weights = np.asarray(weights, dtype=float)
        value = float(weights @ self.probabilities)
        se = float(np.sqrt(weights @ self.covariance @ weights))
        return Estimate(value, value - LEVEL_Z * se, value + LEVEL_Z * se)


def marginal_probabilities(result: MixedResult, settings: list[pd.DataFrame]) -> Marginals:
    """Return the probability of each setting, averaged over its rows and the random effects.

    The random effects are integrated out by Gauss-Hermite quadrature: the probability
    that a new person gives on a new item, not that of the average person.

    Parameters
    ----------
    result
        A fitted model whose predictors are numeric.
    settings
        For each setting a table of predictors; its rows count equally.
    """
    fixed = [row.term for row in result.fixed]
    random = [row.term for row in result.random]
    matrices = [(_columns(fixed, rows), _columns(random, rows)) for rows in settings]

    def probabilities(parameters: Array) -> Array:
        coefficients, deviations = parameters[: len(fixed)], parameters[len(fixed) :]
        return np.array([_averaged(x, z, coefficients, deviations) for x, z in matrices])

    at = result.parameters
    jacobian = np.empty((len(settings), len(at)))
    for place in range(len(at)):
        step = np.zeros(len(at))
        step[place] = _STEP
        jacobian[:, place] = (probabilities(at + step) - probabilities(at - step)) / (2 * _STEP)
    return Marginals(probabilities(at), jacobian @ result.covariance @ jacobian.T)


def _averaged(x: Array, z: Array, coefficients: Array, deviations: Array) -> float:
    spread = np.sqrt((z**2) @ (deviations**2)) if z.shape[1] else np.zeros(len(x))
    eta = (x @ coefficients)[:, None] + spread[:, None] * _NODES
    return float((expit(eta) @ _WEIGHTS).mean())


def _columns(terms: list[str], rows: pd.DataFrame) -> Array:
    columns = np.ones((len(rows), len(terms)))
    for place, term in enumerate(terms):
        if term != "(Intercept)":
            for name in term.split(":"):
                columns[:, place] *= rows[name].to_numpy(dtype=float)
    return columns
