"""What a fitted model says of each person or item: shrunken effects."""

from dataclasses import dataclass

import numpy as np

from analysis.mixed.estimation import family_of
from analysis.mixed.laplace import Laplace
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
    estimates = result.estimates
    design, scaling = estimates.design, estimates.scaling
    family = family_of(design, result.family)
    model = Laplace(scaling, family, design.response, design.trials, design.offset)
    found = model.modes(estimates.parameters)
    triangles = estimates.triangles.matrices(estimates.spread)
    modes = {}
    for factor, (u, block), triangle, own in zip(
        design.random, found, triangles, scaling.random, strict=True
    ):
        root = own @ triangle
        cells = design.recipe.frame[factor.group].astype(str)
        modes[factor.group] = Modes(
            tuple(sorted(cells.unique())), factor.terms, u @ root.T, root @ block @ root.T
        )
    return modes
