"""Means, probabilities and counts averaged over people and items.

`margins` gives them for the levels of a term, with pairwise differences.
"""

import itertools
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit, ndtr, ndtri

from analysis.distributions import holm, normal_density
from analysis.mixed.effects import label_of
from analysis.mixed.families import LOG_LINKS, Cumulative
from analysis.mixed.freedom import reach, two_sided
from analysis.mixed.result import Estimates, MixedResult
from stimuli.errors import UserError

Array = np.ndarray

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(41)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()
_CHUNK = 50_000

_FEW_VALUES = 5
_MOST_SETTINGS = 60


@dataclass(frozen=True, slots=True)
class Averaged:
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

    def probability(self, setting: int) -> Averaged:
        """Return one setting's average.

        Its interval is symmetric on the link's scale (logit, probit, log, identity).
        """
        value = float(self.probabilities[setting])
        se, df = self._known(self.slopes[setting])
        away = reach(df) * se
        if self.family == "gaussian":
            return Averaged(value, value - away, value + away, se, df)
        if self.family == "ordinal":
            return self._level(value, se, df)
        slope = self._slope(value)
        if not slope > 0:
            return Averaged(value, float("nan"), float("nan"), se, df)
        away /= slope
        if self.family in LOG_LINKS:
            with np.errstate(over="ignore"):
                factor = float(np.exp(away))
            return Averaged(value, value / factor, value * factor, se, df)
        if self.family == "probit":
            low, high = ndtr(ndtri(np.array(value)) + np.array([-away, away]))
        else:
            logit = np.log(value / (1 - value))
            low, high = expit([logit - away, logit + away])
        return Averaged(value, float(low), float(high), se, df)

    def _level(self, value: float, se: float, df: float) -> Averaged:
        """Return a mean level; its interval is symmetric on the logit of its share of the range."""
        scores = scores_of(self.estimates.design.levels)
        share = (value - scores[0]) / (scores[-1] - scores[0])
        away = reach(df) * se / ((scores[-1] - scores[0]) * share * (1 - share))
        low, high = expit(np.log(share / (1 - share)) + np.array([-away, away]))
        ends = (float(scores[0] + (scores[-1] - scores[0]) * part) for part in (low, high))
        return Averaged(value, *ends, se, df)

    def _slope(self, value: float) -> float:
        """Return how fast an average rises on the link's scale."""
        if self.family == "probit":
            return float(normal_density(ndtri(np.array(value))))
        return value * (1 - value) if self.family == "binomial" else value

    def contrast(self, weights: Array) -> Averaged:
        """Return a weighted sum of the averages with its Wald interval."""
        weights = np.asarray(weights, dtype=float)
        value = float(weights @ self.probabilities)
        se, df = self._known(weights @ self.slopes)
        away = reach(df) * se
        return Averaged(value, value - away, value + away, se, df)

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
    """Return a function: each row's mean response, given linear predictor and random part's SD.

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
    scaled = [part @ matrix for part, matrix in zip(z, estimates.scaling.random, strict=True)]
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
    density = normal_density(z)
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


@dataclass(frozen=True, slots=True)
class Contrast:
    """Difference of two averages.

    `z` is the difference over its standard error, `p` by the difference's degrees of freedom;
    `p_holm` is corrected over the term's contrasts.
    """

    setting: str
    against: str
    difference: Averaged
    z: float
    p: float
    p_holm: float


@dataclass(frozen=True, slots=True)
class Margins:
    """Averages of the response with a term set to each of its values for every row.

    Attributes
    ----------
    term
        As asked, e.g. ``period``, ``cond:solver``, ``Days=0,5,9``.
    labels
        One a setting: its values in the term's order, e.g. ``a, 5``.
    averages
        One a setting.
    contrasts
        All pairs.
    """

    term: str
    labels: tuple[str, ...]
    averages: tuple[Averaged, ...]
    contrasts: tuple[Contrast, ...]


def margins(result: MixedResult, term: str) -> Margins:
    """Return averaged responses for the values of one column or of several.

    Every row of the table is given the value, other columns stay as they are; the model's
    response is averaged over the rows and over the random effects (so a probability is
    the population's, not that of a person in the middle). Standard errors by the delta
    method, over coefficients and covariances; degrees of freedom as of the coefficients.

    Parameters
    ----------
    result
        A fitted model.
    term
        A column of the formula, or several joined by ``:``. Text and numbers with up to
        five values take their values, other numbers the mean and one standard deviation
        around it, unless values are given: ``Days=0,5,9``.

    Raises
    ------
    UserError
        If the formula has no such column, or a value doesn't occur.
    """
    frame = result.estimates.design.recipe.frame
    columns = [_values(part, result, frame) for part in term.split(":")]
    settings = list(
        itertools.product(*[[(name, value) for value in values] for name, values, _ in columns])
    )
    if len(settings) > _MOST_SETTINGS:
        raise UserError(f"{term}: {len(settings)} settings; {_MOST_SETTINGS} at most")
    offset = result.estimates.design.offset
    responses = [average(result, _at(frame, dict(setting)), offset) for setting in settings]
    values, slopes = (np.array(part) for part in zip(*responses, strict=True))
    marginals = Marginals(values, slopes, result.estimates, result.family)
    labels = tuple(
        ", ".join(parts)
        for parts in itertools.product(*[column_labels for *_, column_labels in columns])
    )
    averages = tuple(marginals.probability(place) for place in range(len(settings)))
    return Margins(term, labels, averages, _pairs(marginals, labels))


def _values(
    part: str, result: MixedResult, frame: pd.DataFrame
) -> tuple[str, Sequence[object], Sequence[str]]:
    """Return a column's name, the values that it is given, and their labels."""
    name, separator, text = part.partition("=")
    name = name.strip()
    predictors = _predictors(result, frame)
    if name not in predictors:
        raise UserError(f"{name}: no fixed effect of the model; it has {', '.join(predictors)}")
    cells = frame[name]
    coded = re.compile(rf"\bC\({re.escape(name)}[,)]")
    is_factor = cells.dtype == object or any(
        coded.search(term) for term in result.estimates.design.fixed_names
    )
    if not separator:
        values = sorted(cells.unique())
        if not is_factor and len(values) > _FEW_VALUES:
            return name, *_around_mean(cells)
        return name, values, [label_of(value) for value in values]
    wanted: list[object] = [word.strip() for word in text.split(",")]
    if cells.dtype != object:
        try:
            wanted = [_number(str(word)) for word in wanted]
        except ValueError:
            raise UserError(f"{part}: {name} takes numbers") from None
    unknown = [str(v) for v in wanted if is_factor and not (cells == v).any()]
    if unknown:
        raise UserError(f"{part}: {name} has no {', '.join(unknown)}; see its values in the table")
    return name, wanted, [label_of(value) for value in wanted]


def _number(word: str) -> float | int:
    return int(word) if re.fullmatch(r"[+-]?\d+", word) else float(word)


def _at(frame: pd.DataFrame, setting: Mapping[str, Any]) -> pd.DataFrame:
    """Return a table with every row at the values of a setting."""
    return frame.assign(**setting)


def _predictors(result: MixedResult, frame: pd.DataFrame) -> list[str]:
    """Return the columns that the fixed effects use."""
    used = result.estimates.design.recipe.fixed.columns
    return [str(name) for name in frame if name in used]


def _around_mean(cells: pd.Series) -> tuple[Sequence[float], Sequence[str]]:
    """Return the mean and one standard deviation to either side, labelled by its first digits."""
    mean, sd = float(cells.mean()), float(cells.std())
    values = [mean - sd, mean, mean + sd]
    digits = 2 - math.floor(math.log10(sd))
    return values, [label_of(round(value, digits)) for value in values]


def _pairs(marginals: Marginals, labels: Sequence[str]) -> tuple[Contrast, ...]:
    pairs = list(itertools.combinations(range(len(labels)), 2))
    rows = []
    for a, b in pairs:
        weights = np.zeros(len(labels))
        weights[b], weights[a] = 1, -1
        difference = marginals.contrast(weights)
        rows.append((labels[b], labels[a], difference, difference.ratio, difference.p))
    adjusted = holm([row[-1] for row in rows])
    return tuple(Contrast(*row, p) for row, p in zip(rows, adjusted, strict=True))
