"""Means, probabilities and counts averaged over people and items."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from scipy.special import expit, ndtr, ndtri
from scipy.stats import norm

from analysis.mixed.families import LOG_LINKS
from analysis.mixed.freedom import reach, two_sided
from analysis.mixed.result import Estimates, MixedResult
from analysis.mixed.shaped import Cumulative

Array = np.ndarray

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(41)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()
_CHUNK = 50_000


@dataclass(frozen=True, slots=True)
class Estimate:
    """An average or a difference of averages, with a 95 % interval.

    `df` are the degrees of freedom of its interval; infinite for the normal distribution.
    """

    estimate: float
    ci_low: float
    ci_high: float
    se: float = float("nan")
    df: float = float("inf")

    @property
    def ratio(self) -> float:
        """Estimate over standard error."""
        return self.estimate / self.se if self.se > 0 else float("nan")

    @property
    def p(self) -> float:
        """Two-sided p of no difference, by Student's t with `df`."""
        return two_sided(self.ratio, self.df)


@dataclass(frozen=True, slots=True)
class Marginals:
    """Averaged responses of several settings, and how they vary together.

    Attributes
    ----------
    probabilities
        (settings,) the averages: probabilities, for other families means or counts.
    slopes
        (settings, parameters) their derivatives by coefficients and covariance factors.
    estimates
        The parameters, with their covariance and its freedom: variances are by the delta
        method, degrees of freedom Satterthwaite's for the coefficients' part.
    family
        Decides the scale on which an interval is symmetric.
    """

    probabilities: Array
    slopes: Array
    estimates: Estimates
    family: str = "binomial"

    def probability(self, setting: int) -> Estimate:
        """Return one setting's average.

        Its interval is symmetric on the link's scale (logit, probit, log, identity).
        """
        value = float(self.probabilities[setting])
        se, df = self._known(self.slopes[setting])
        away = reach(df) * se
        if self.family == "gaussian":
            return Estimate(value, value - away, value + away, se, df)
        if self.family == "ordinal":
            return self._level(value, se, df)
        slope = self._slope(value)
        if not slope > 0:
            return Estimate(value, float("nan"), float("nan"), se, df)
        away /= slope
        if self.family in LOG_LINKS:
            with np.errstate(over="ignore"):
                factor = float(np.exp(away))
            return Estimate(value, value / factor, value * factor, se, df)
        if self.family == "probit":
            low, high = ndtr(ndtri(np.array(value)) + np.array([-away, away]))
        else:
            logit = np.log(value / (1 - value))
            low, high = expit([logit - away, logit + away])
        return Estimate(value, float(low), float(high), se, df)

    def _level(self, value: float, se: float, df: float) -> Estimate:
        """Return a mean level; its interval is symmetric on the logit of its share of the range."""
        scores = scores_of(self.estimates.design.levels)
        share = (value - scores[0]) / (scores[-1] - scores[0])
        away = reach(df) * se / ((scores[-1] - scores[0]) * share * (1 - share))
        low, high = expit(np.log(share / (1 - share)) + np.array([-away, away]))
        ends = (float(scores[0] + (scores[-1] - scores[0]) * part) for part in (low, high))
        return Estimate(value, *ends, se, df)

    def _slope(self, value: float) -> float:
        """Return how fast an average rises on the link's scale."""
        if self.family == "probit":
            return float(norm.pdf(ndtri(np.array(value))))
        return value * (1 - value) if self.family == "binomial" else value

    def contrast(self, weights: Array) -> Estimate:
        """Return a weighted sum of the averages with its Wald interval."""
        weights = np.asarray(weights, dtype=float)
        value = float(weights @ self.probabilities)
        se, df = self._known(weights @ self.slopes)
        away = reach(df) * se
        return Estimate(value, value - away, value + away, se, df)

    def _known(self, slopes: Array) -> tuple[float, float]:
        se = self.estimates.se(slopes)
        return se, self.estimates.freedom.df(slopes, se**2)


def marginal_probabilities(result: MixedResult, settings: Sequence[pd.DataFrame]) -> Marginals:
    """Return the response of each setting, averaged over its rows and the random effects.

    The random effects are integrated out (Gauss-Hermite quadrature for the logit's
    probabilities, in closed form for the probit's, means and counts): the probability that a
    new person gives on a new item, not that of the average person. Offsets count as 0.

    Parameters
    ----------
    result
        A fitted model of any family.
    settings
        For each setting a table of predictors; its rows count equally.
    """
    values, slopes = [], []
    for rows in settings:
        value, slope = average(result, rows)
        values.append(value)
        slopes.append(slope)
    return Marginals(np.array(values), np.array(slopes), result.estimates, result.family)


def average(
    result: MixedResult, rows: pd.DataFrame, offset: Array | None = None
) -> tuple[float, Array]:
    """Return the average response over rows, and its slopes by the parameters.

    Parameters
    ----------
    result
        A fitted model.
    rows
        (m,) predictors.
    offset
        (m,) or None for 0.

    Returns
    -------
    tuple
        The average; (p + q,) slopes by coefficients and covariance factors, (p,) for a
        gaussian model.
    """
    estimates = result.estimates
    x, z = estimates.design.recipe.rows(rows)
    eta = x @ estimates.coefficients + (0.0 if offset is None else offset)
    if result.family == "gaussian":
        return float(eta.mean()), x.mean(axis=0)
    sd, by_spread = random_spread(estimates, z, len(x))
    response = response_of(result)
    total, slopes = 0.0, np.zeros(len(estimates.covariance))
    for first in range(0, len(x), _CHUNK):
        part = slice(first, first + _CHUNK)
        mean, by_eta, by_sd, *by_shape = response(eta[part], sd[part])
        total += float(mean.sum())
        slopes += _padded([by_eta @ x[part], by_sd @ by_spread[part], *by_shape], len(slopes))
    return total / len(x), slopes / len(x)


def _padded(slopes: Sequence[Array], size: int) -> Array:
    whole = np.zeros(size)
    known = np.concatenate(slopes)
    whole[: len(known)] = known
    return whole


def response_of(result: MixedResult) -> Callable[[Array, Array], tuple[Array, ...]]:
    """Return what gives each row's mean response at a linear predictor and a random part's SD.

    It returns (m,) means and their slopes by both, and for ordinal levels their sum's slopes by
    the family's parameters. An ordinal response's mean is that of its levels' numbers, or of
    1, 2, ... where they are text.
    """
    estimates = result.estimates
    if result.family != "ordinal":
        return _RESPONSES[result.family]
    part = Cumulative(len(estimates.design.levels))
    scores = scores_of(estimates.design.levels)
    bounds, jacobian = part.named(estimates.shape)
    return partial(_mean_level, bounds=bounds, jacobian=jacobian, scores=scores)


def scores_of(levels: Sequence[str]) -> Array:
    """Return ordered levels as numbers: their own, or 1, 2, ... where one is text."""
    try:
        return np.array([float(level) for level in levels])
    except ValueError:
        return np.arange(1.0, len(levels) + 1)


def _mean_level(
    eta: Array, sd: Array, bounds: Array, jacobian: Array, scores: Array
) -> tuple[Array, ...]:
    mean = np.full(len(eta), scores[-1])
    by_eta, by_sd, by_bound = np.zeros(len(eta)), np.zeros(len(eta)), np.zeros(len(bounds))
    for place, (bound, gap) in enumerate(zip(bounds, np.diff(scores), strict=True)):
        reached, fall, spread = _probability(bound - eta, sd)
        mean -= gap * reached
        by_eta += gap * fall
        by_sd -= gap * spread
        by_bound[place] = -gap * fall.sum()
    return mean, by_eta, by_sd, by_bound @ jacobian


def random_spread(estimates: Estimates, z: list[Array], rows: int) -> tuple[Array, Array]:
    """Return the random part's SD in every row, (m,), and its slopes, (m, q)."""
    triangles = estimates.triangles.matrices(estimates.spread)
    scaled = [part @ own for part, own in zip(z, estimates.scaling.random, strict=True)]
    roots = [part @ triangle for part, triangle in zip(scaled, triangles, strict=True)]
    variance = np.zeros(rows)
    for root in roots:
        variance += (root**2).sum(axis=1)
    sd = np.sqrt(variance)
    slopes = np.zeros((rows, len(estimates.triangles)))
    safe = np.where(sd > 0, sd, 1.0)
    for number, (factor, row, column) in enumerate(estimates.triangles.places):
        slopes[:, number] = scaled[factor][:, row] * roots[factor][:, column] / safe
    return sd, slopes


def _probability(eta: Array, sd: Array) -> tuple[Array, Array, Array]:
    p = expit(eta[:, None] + sd[:, None] * _NODES)
    slope = p * (1 - p)
    return p @ _WEIGHTS, slope @ _WEIGHTS, slope @ (_WEIGHTS * _NODES)


def _normal_probability(eta: Array, sd: Array) -> tuple[Array, Array, Array]:
    scale = np.sqrt(1 + sd**2)
    z = eta / scale
    density = norm.pdf(z)
    return ndtr(z), density / scale, -density * z * sd / scale**2


def _count(eta: Array, sd: Array) -> tuple[Array, Array, Array]:
    with np.errstate(over="ignore"):
        mean = np.exp(eta + sd**2 / 2)
    return mean, mean, mean * sd


_RESPONSES: dict[str, Callable[[Array, Array], tuple[Array, Array, Array]]] = {
    "binomial": _probability,
    "probit": _normal_probability,
    "poisson": _count,
    "nbinom2": _count,
    "gamma": _count,
}
