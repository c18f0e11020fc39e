"""Predictions, random effects and residuals of a fitted model: tables, and figures of them.

Figures need matplotlib, so this is imported only if a user asks for these files.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.special import expit, ndtr, ndtri, xlogy
from scipy.stats import beta, binom, gamma, nbinom, norm, poisson
from statsmodels.nonparametric.smoothers_lowess import lowess

from analysis.mixed.families import COUNTS, LOG_LINKS, SHARES, Cumulative
from analysis.mixed.freedom import reach
from analysis.mixed.marginal import scores_of
from analysis.mixed.modes import Predictor, conditional_modes, predictor
from analysis.mixed.result import MixedResult
from analysis.report.style import BLUE, FAINT, INK, ORANGE, SOFT, figure_style, subplots
from stimuli.io.canonical import seed_of

Array = np.ndarray

_NORMAL = reach(np.inf)

_MOST_NAMED = 60
_MOST_POINTS = 5_000
_WIDE = 30  # times the smallest fitted value: from this ratio on, the axis is logarithmic
_LEVEL = 0.95


def predictions(result: MixedResult, predictor: Predictor) -> pd.DataFrame:
    """Return each row's fitted value with 95 % limits, on the response's and on the link's scale.

    Columns
    -------
    row
        Its place in the table, from 1; rows with missing cells are left out.
    observed
        The response; a share of its trials for a binomial or probit model, a level for an ordinal.
    fitted, fitted_low, fitted_high
        Expected response, with the random effects of the row's own levels; for an ordinal model
        the mean level.
    link, link_se, link_low, link_high
        The linear predictor.
    p_LEVEL
        For an ordinal model each level's probability.
    """
    design = result.estimates.design
    low, high = predictor.value - _NORMAL * predictor.se, predictor.value + _NORMAL * predictor.se
    table = {
        "row": _places(result),
        "observed": _observed(result),
        "fitted": _mean(result, predictor.value),
        "fitted_low": _mean(result, low),
        "fitted_high": _mean(result, high),
        "link": predictor.value,
        "link_se": predictor.se,
        "link_low": low,
        "link_high": high,
    }
    if design.levels:
        shares = _levels(result, predictor.value)
        table |= {f"p_{level}": row for level, row in zip(design.levels, shares, strict=True)}
    return pd.DataFrame(table)


def random_effects(result: MixedResult) -> pd.DataFrame:
    """Return each level's conditional modes with 95 % limits, as lme4's ``ranef(condVar=TRUE)``.

    Columns
    -------
    group, level, term
        Whose effect it is.
    mode, se, low, high
        On the link's scale, as a deviation from the fixed effects; limits at known estimates.
    """
    rows = []
    for group, modes in conditional_modes(result).items():
        se = np.sqrt(np.maximum(np.einsum("lkk->lk", modes.covariance), 0))
        for place, level in enumerate(modes.names):
            for number, term in enumerate(modes.terms):
                mode, mode_se = float(modes.effects[place, number]), float(se[place, number])
                limits = mode - _NORMAL * mode_se, mode + _NORMAL * mode_se
                rows.append((group, level, term, mode, mode_se, *limits))
    return pd.DataFrame(rows, columns=["group", "level", "term", "mode", "se", "low", "high"])


def residuals(result: MixedResult, predictor: Predictor) -> pd.DataFrame:
    """Return each row's residuals, at the modes of the random effects.

    Columns
    -------
    row, fitted
        As in `predictions`.
    response
        Observed less fitted.
    pearson
        The response residual divided by the row's standard deviation under the model.
    deviance
        Signed root of the row's part of the deviance; for an ordinal level that part is minus twice
        the log-probability.
    quantile
        Randomised quantile residual: normal if the model is right (Dunn & Smyth 1996, J. Comput.
        Graph. Stat. 5(3)). The formula is the seed of the draw, so that it stays the same.
    """
    fitted = _mean(result, predictor.value)
    response = _observed(result) - fitted
    sign = np.where(response < 0, -1.0, 1.0)
    below, above = _distribution(result, predictor.value)
    rng = np.random.default_rng(seed_of("quantile residuals", result.formula))
    drawn = below + rng.random(len(below)) * (above - below)
    return pd.DataFrame(
        {
            "row": _places(result),
            "fitted": fitted,
            "response": response,
            "pearson": response / _sd(result, predictor.value),
            "deviance": sign * np.sqrt(np.maximum(_deviance(result, predictor.value), 0)),
            "quantile": ndtri(np.clip(drawn, 1e-12, 1 - 1e-12)),
        }
    )


def residual_tables(result: MixedResult) -> dict[str, pd.DataFrame]:
    """Return all three tables by the stems of their files."""
    known = predictor(result)
    return {
        "predictions": predictions(result, known),
        "random_effects": random_effects(result),
        "residuals": residuals(result, known),
    }


def _places(result: MixedResult) -> Array:
    return np.asarray(result.estimates.design.recipe.places) + 1


def _observed(result: MixedResult) -> Array:
    design = result.estimates.design
    if design.levels:
        return scores_of(design.levels)[design.response.astype(int)]
    if result.family in SHARES:
        return design.response / np.maximum(design.trials, 1)
    return design.response


def _mean(result: MixedResult, eta: Array) -> Array:
    if result.family == "gaussian":
        return eta
    if result.family in LOG_LINKS:
        with np.errstate(over="ignore"):
            return np.exp(eta)
    if result.family == "ordinal":
        return scores_of(result.estimates.design.levels) @ _levels(result, eta)
    return expit(eta) if result.family == "binomial" else ndtr(eta)


def _levels(result: MixedResult, eta: Array) -> Array:
    estimates = result.estimates
    return Cumulative(len(estimates.design.levels)).probabilities(eta, estimates.shape)


def _family_parameter(result: MixedResult) -> float:
    """Return the one parameter of a family such as negative binomial or gamma."""
    return result.family_parameters[0].estimate


def _sd(result: MixedResult, eta: Array) -> Array:
    """Return the standard deviation of each row's observed value (see `_observed`)."""
    design, mean = result.estimates.design, _mean(result, eta)
    if result.family == "ordinal":
        scores = scores_of(design.levels)
        variance = (scores**2) @ _levels(result, eta) - mean**2
    elif result.family in SHARES:
        variance = mean * (1 - mean)
    else:
        variance = {
            "gaussian": lambda: (result.residual_sd or 0.0) ** 2 * np.ones(len(mean)),
            "poisson": lambda: mean,
            "nbinom2": lambda: mean + mean**2 / _family_parameter(result),
            "gamma": lambda: mean**2 / _family_parameter(result),
        }[result.family]()
    return np.sqrt(np.maximum(variance, 1e-300) / np.maximum(design.trials, 1e-300))


def _deviance(result: MixedResult, eta: Array) -> Array:
    """Return twice the difference between the largest possible log-density and each row's."""
    design, mean = result.estimates.design, _mean(result, eta)
    y, trials = design.response, design.trials
    if result.family == "gaussian":
        return trials * (y - mean) ** 2
    if result.family in SHARES:
        left = trials - y
        return 2 * (_log_ratio(y, trials * mean) + _log_ratio(left, trials * (1 - mean)))
    if result.family == "ordinal":
        probability = _levels(result, eta)[y.astype(int), np.arange(len(y))]
        return -2 * trials * np.log(np.maximum(probability, 1e-300))
    if result.family == "gamma":
        return 2 * trials * ((y - mean) / mean - np.log(y / mean))
    if result.family == "poisson":
        return 2 * trials * (_log_ratio(y, mean) - (y - mean))
    theta = _family_parameter(result)
    return 2 * trials * (_log_ratio(y, mean) - _log_ratio(y + theta, mean + theta))


def _log_ratio(y: Array, mean: Array) -> Array:
    """Return y log(y / mean), 0 where y is 0."""
    return xlogy(y, y) - xlogy(y, np.maximum(mean, 1e-300))


def _distribution(result: MixedResult, eta: Array) -> tuple[Array, Array]:
    """Return the probability of a value below each response, and of one not above it."""
    design, mean = result.estimates.design, _mean(result, eta)
    y, trials = design.response, design.trials
    if result.family in ("gaussian", "gamma"):
        if result.family == "gaussian":
            whole = np.asarray(norm.cdf(y, mean, (result.residual_sd or 1.0) / np.sqrt(trials)))
        else:
            shape = _family_parameter(result)
            whole = np.asarray(gamma.cdf(y, shape, scale=mean / shape))
        return whole, whole
    if result.family == "ordinal":
        reached = np.cumsum(np.vstack([0 * eta, _levels(result, eta)]), axis=0)
        rows = np.arange(len(y))
        return reached[y.astype(int), rows], reached[y.astype(int) + 1, rows]
    law = binom(trials, mean) if result.family in SHARES else poisson(mean)
    if result.family == "nbinom2":
        theta = _family_parameter(result)
        law = nbinom(theta, theta / (theta + mean))
    assert result.family in (*SHARES, *COUNTS)
    return law.cdf(y - 1), law.cdf(y)


def figures(tables: dict[str, pd.DataFrame], unit: str) -> Iterator[tuple[str, Figure]]:
    """Yield a fit's figures by the stems of their files.

    Parameters
    ----------
    tables
        As in `residual_tables`.
    unit
        What random effects are counted in; empty for the response's own unit.
    """
    with figure_style():
        yield "residuals", _residuals(tables["residuals"])
        for group, rows in tables["random_effects"].groupby("group", sort=False):
            yield f"random_effects_{_file_name(str(group))}", _caterpillar(str(group), rows, unit)


def _file_name(group: str) -> str:
    return "".join(sign if sign.isalnum() or sign in "-_" else "_" for sign in group)


def _residuals(rows: pd.DataFrame) -> Figure:
    figure, (left, right) = subplots(1, 2, figsize=(7.0, 3.3), layout="constrained")
    points = rows if len(rows) <= _MOST_POINTS else rows.sample(_MOST_POINTS, random_state=1)
    faint = float(np.clip(60 / np.sqrt(len(points)) / 10, 0.12, 0.7))
    left.axhline(0, color=INK, linewidth=0.7)
    fitted, scale = points["fitted"], "linear"
    if fitted.min() > 0 and fitted.max() > _WIDE * fitted.min():
        scale = "log"
    left.set_xscale(scale)
    left.scatter(fitted, points["quantile"], s=9, color=BLUE, alpha=faint, linewidth=0)
    if points["fitted"].nunique() > 5:
        smooth = lowess(points["quantile"], np.log(fitted) if scale == "log" else fitted, frac=0.6)
        left.plot(np.sort(fitted), smooth[:, 1], color=ORANGE)
    left.set(xlabel="Fitted value", ylabel="Quantile residual", title="Residuals and fitted values")
    _quantiles(right, rows["quantile"].to_numpy(), faint)
    return figure


def _quantiles(axes: Axes, values: np.ndarray, faint: float) -> None:
    """Draw sorted residuals against the normal's quantiles, with 95 % limits of each."""
    n = len(values)
    rank = np.arange(1, n + 1)
    expected = norm.ppf((rank - 0.5) / n)
    tail = (1 - _LEVEL) / 2
    low, high = (norm.ppf(beta.ppf(share, rank, n + 1 - rank)) for share in (tail, 1 - tail))
    axes.fill_between(expected, low, high, color=FAINT, linewidth=0, label="95 % of each")
    axes.plot(expected, expected, color=INK, linewidth=0.7)
    axes.scatter(expected, np.sort(values), s=9, color=BLUE, alpha=max(faint, 0.3), linewidth=0)
    axes.set(xlabel="Normal quantile", ylabel="Quantile residual", title="Normal Q–Q")
    axes.legend(loc="upper left")


def _caterpillar(group: str, rows: pd.DataFrame, unit: str) -> Figure:
    """Draw each level's effects with limits, sorted by the first effect."""
    terms = list(dict.fromkeys(rows["term"]))
    first = rows[rows["term"] == terms[0]].sort_values("mode", kind="stable")
    order = {level: place for place, level in enumerate(first["level"])}
    named = len(order) <= _MOST_NAMED
    height = float(np.clip(0.9 + 0.16 * len(order), 2.2, 9.0)) if named else 5.0
    figure, panels = subplots(
        1, len(terms), figsize=(max(3.6, 2.9 * len(terms)), height), layout="constrained",
        sharey=True, squeeze=False,
    )  # fmt: skip
    for axes, term in zip(panels[0], terms, strict=True):
        of_term = rows[rows["term"] == term]
        places = of_term["level"].map(order)
        axes.axvline(0, color=SOFT, linewidth=0.7)
        axes.hlines(places, of_term["low"], of_term["high"], color=BLUE, linewidth=1.0)
        axes.plot(of_term["mode"], places, "o", color=BLUE, markersize=3.2 if named else 2)
        axes.set(title=term, xlabel=f"Deviation ({unit})" if unit else "Deviation")
        axes.set_ylim(-0.7, len(order) - 0.3)
    panels[0][0].set_ylabel(group)
    panels[0][0].set_yticks(list(order.values()) if named else [], list(order) if named else [])
    return figure
