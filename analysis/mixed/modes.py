"""What a fitted model says of each person or item, and of each row."""

from dataclasses import dataclass, replace

import numpy as np

from analysis.mixed.design import Design, RandomFactor
from analysis.mixed.estimation import family_of
from analysis.mixed.families import NORMAL
from analysis.mixed.laplace import Laplace
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
        (levels, k) on the link's scale, as deviations from the fixed effects: drawn towards
        0 the more, the less a level was seen (best linear unbiased predictions; McCulloch,
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
    found = model.modes(parameters)
    triangles = estimates.triangles.matrices(estimates.spread)
    modes = {}
    for factor, (u, block), triangle, own in zip(
        estimates.design.random, found, triangles, estimates.scaling.random, strict=True
    ):
        root = own @ triangle * scale
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
