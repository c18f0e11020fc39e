"""What a fitted model says of each person or item, and of an average over those present."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.mixed.estimation import family_of
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
        (levels,) sorted.
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


def conditional_modes(result: MixedResult) -> dict[str, Modes]:
    """Return the shrunken effects of a generalised model (not gaussian).

    Parameters
    ----------
    result
        A fitted model whose grouping factors are single columns.

    Returns
    -------
    dict
        By grouping factor.
    """
    design = result.estimates.design
    modes = {}
    for factor, (effects, covariance) in zip(design.random, _effects(result), strict=True):
        cells = design.recipe.frame[factor.group].astype(str)
        names = tuple(sorted(cells.unique()))
        modes[factor.group] = Modes(names, factor.terms, effects, covariance)
    return modes


def _effects(result: MixedResult) -> list[tuple[Array, Array]]:
    """Return every factor's effects, (levels, k), and their covariances, (levels, k, k)."""
    estimates = result.estimates
    design, scaling = estimates.design, estimates.scaling
    if not design.random:
        return []
    family = family_of(design, result.family)
    model = Laplace(scaling, family, design.response, design.trials, design.offset)
    found = model.modes(estimates.parameters)
    roots = [
        own @ triangle
        for own, triangle in zip(
            scaling.random, estimates.triangles.matrices(estimates.spread), strict=True
        )
    ]
    return [
        (u @ root.T, root @ block @ root.T) for (u, block), root in zip(found, roots, strict=True)
    ]


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
        For each setting a table of predictors; its rows count equally. A predictor that a person
        or an item has, such as an arm, stays out of them: effects at the mode are what is left
        beside it, and belong to no other.
    """
    effects = [own for own, _ in _effects(result)]
    found = [_present(result, effects, rows) for rows in settings]
    values, slopes = (np.array(part) for part in zip(*found, strict=True))
    return Marginals(values, slopes, result.estimates, result.family)


def _present(
    result: MixedResult, effects: Sequence[Array], rows: pd.DataFrame
) -> tuple[float, Array]:
    """Return a setting's average, and its slopes by the parameters, of effects 0."""
    estimates, response = result.estimates, response_of(result)
    design, p = estimates.design, len(estimates.coefficients)
    total, slopes = 0.0, np.zeros(len(estimates.covariance))
    for values in rows.to_dict("records"):
        frame = design.recipe.frame.assign(**{str(name): own for name, own in values.items()})
        x, z = design.recipe.rows(frame)
        eta = x @ estimates.coefficients
        for factor, regressors, own in zip(design.random, z, effects, strict=True):
            eta += (regressors * own[factor.codes]).sum(axis=1)
        mean, by_eta, _, *by_shape = response(eta, np.zeros(len(eta)))
        total += float(mean.mean())
        slopes[:p] += by_eta @ x / len(x)
        for part in by_shape:
            slopes[len(slopes) - len(part) :] += part / len(x)
    return total / len(rows), slopes / len(rows)
