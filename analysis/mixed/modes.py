"""What a model says of each person or item, of each row, and of those present together."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from analysis.mixed.design import Design, RandomFactor
from analysis.mixed.estimation import family_of
from analysis.mixed.families import NORMAL
from analysis.mixed.laplace import Laplace
from analysis.mixed.marginal import Marginals, response_of
from analysis.mixed.result import MixedResult

Array = np.ndarray


@dataclass(frozen=True, slots=True)
class Modes:
    """The random effects of one grouping factor at their conditional mode.

    Attributes
    ----------
    names
        (levels,) in the factor's order.
    terms
        (k,) names of the effects.
    effects
        (levels, k) on the link's scale, as deviations from the fixed effects: the fewer rows a
        level has, the more they are drawn towards 0 (best linear unbiased predictions; McCulloch,
        Searle & Neuhaus 2008, ch. 13).
    covariance
        (levels, k, k) conditional on the estimated parameters.
    """

    names: tuple[str, ...]
    terms: tuple[str, ...]
    effects: Array
    covariance: Array


@dataclass(frozen=True, slots=True)
class Predictor:
    """Every row's linear predictor, with the random effects of its levels.

    Attributes
    ----------
    value
        (n,) on the link's scale, offset included.
    se
        (n,) its standard error at known covariances: coefficients and random effects together.
    """

    value: Array
    se: Array


def conditional_modes(result: MixedResult) -> dict[str, Modes]:
    """Return the shrunken effects of a model, by grouping factor."""
    estimates = result.estimates
    model, parameters = _model(result)
    scale = result.residual_sd or 1.0
    standardised = model.modes(parameters)
    triangles = estimates.triangles.matrices(estimates.spread)
    modes = {}
    for factor, (u, block), triangle, matrix in zip(
        estimates.design.random, standardised, triangles, estimates.scaling.random, strict=True
    ):
        root = matrix @ triangle * scale
        modes[factor.group] = Modes(
            _names(estimates.design, factor), factor.terms, u @ root.T, root @ block @ root.T
        )
    return modes


def predictor(result: MixedResult) -> Predictor:
    """Return the linear predictor of every row that the model was fitted to."""
    model, parameters = _model(result)
    value, variance, _ = model.predictor(parameters)
    if result.residual_sd is None:
        return Predictor(value, np.sqrt(variance))
    design = result.estimates.design
    scale = result.residual_sd / np.sqrt(design.trials)
    return Predictor(value * scale + design.offset, np.sqrt(variance) * scale)


def _model(result: MixedResult) -> tuple[Laplace, Array]:
    """Return the likelihood and its maximum; a gaussian one in units of the residual's SD."""
    estimates = result.estimates
    design, ones = estimates.design, np.ones(estimates.design.rows)
    if result.residual_sd is None:
        part = family_of(design, result.family)
        data = design.response, design.trials, design.offset
        return Laplace(estimates.scaling, part, *data), estimates.parameters
    response = (design.response - design.offset) * np.sqrt(design.trials) / result.residual_sd
    inner = replace(estimates, coefficients=estimates.coefficients / result.residual_sd)
    return Laplace(estimates.scaling, NORMAL, response, ones, 0 * ones), inner.parameters


def _names(design: Design, factor: RandomFactor) -> tuple[str, ...]:
    """Return the levels' names, ``a:b`` for nested ones, in the order of their codes."""
    frame, group = design.recipe.frame, factor.group
    columns = [group] if group in frame else group.split(":")
    rows = np.unique(factor.codes, return_index=True)[1]
    cells = [frame[column].astype(str).to_numpy()[rows] for column in columns]
    return tuple(":".join(parts) for parts in zip(*cells, strict=True))


def present_probabilities(result: MixedResult, settings: Sequence[pd.DataFrame]) -> Marginals:
    """Return the response of each setting, averaged over the people and items that were there.

    Every row of the fitted table keeps its people and items, whose effects are taken at their
    conditional modes, and gets a setting's values. A normal distribution of effects isn't
    averaged over (`marginal_probabilities` does that): a few people who never vary stretch it,
    and an average over it would shrink a difference for everybody. Standard errors are by the
    delta method over the coefficients, as R's marginaleffects has them (Arel-Bundock, Greifer &
    Heiss 2024, J. Stat. Softw. 111(9)): the effects' own uncertainty isn't in them. Offsets count
    as 0.

    Parameters
    ----------
    result
        A fitted generalised model (not gaussian).
    settings
        For each setting a table of predictors; its rows count equally. A predictor that a person or
        an item has, such as an arm, stays out of them: effects at the mode are estimated beside it,
        and don't belong to another arm.
    """
    modes = conditional_modes(result)
    effects = [modes[factor.group].effects for factor in result.estimates.design.random]
    averages = [_present(result, effects, rows) for rows in settings]
    values, slopes = (np.array(part) for part in zip(*averages, strict=True))
    return Marginals(values, slopes, result.estimates, result.family)


def _present(
    result: MixedResult, effects: Sequence[Array], rows: pd.DataFrame
) -> tuple[float, Array]:
    """Return a setting's average, and its slopes by the parameters, of effects 0."""
    estimates, response = result.estimates, response_of(result)
    design, p = estimates.design, len(estimates.coefficients)
    total, slopes = 0.0, np.zeros(len(estimates.covariance))
    for values in rows.to_dict("records"):
        frame = design.recipe.frame.assign(**{str(name): value for name, value in values.items()})
        x, z = design.recipe.rows(frame)
        eta = x @ estimates.coefficients
        for factor, regressors, of_factor in zip(design.random, z, effects, strict=True):
            eta += (regressors * of_factor[factor.codes]).sum(axis=1)
        mean, by_eta, _, *by_shape = response(eta, np.zeros(len(eta)))
        total += float(mean.mean())
        slopes[:p] += by_eta @ x / len(x)
        for part in by_shape:
            slopes[len(slopes) - len(part) :] += part / len(x)
    return total / len(rows), slopes / len(rows)
