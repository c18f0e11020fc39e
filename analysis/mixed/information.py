"""The coefficients' information X' V^-1 X, and how it changes with the covariance factors."""

from dataclasses import dataclass

import numpy as np

from analysis.mixed.parameters import Triangles
from analysis.mixed.system import Factorised, PenalisedSystem

Array = np.ndarray


@dataclass(frozen=True, slots=True)
class Information:
    """The information at given covariance factors, with V = W^-1 + Z L L' Z'.

    Attributes
    ----------
    matrix
        (p, p) X' V^-1 X.
    slopes
        (q, p, p) its derivatives by the triangles' free elements.
    """

    matrix: Array
    slopes: Array

    @property
    def covariance(self) -> Array:
        """Inverse of the information, (p, p)."""
        return np.linalg.inv(self.matrix) if len(self.matrix) else self.matrix

    def covariance_slopes(self) -> Array:
        """Return the derivatives of `covariance`, (q, p, p)."""
        inverse = self.covariance
        return -inverse @ self.slopes @ inverse


@dataclass(frozen=True, slots=True)
class Columns:
    """What is estimated beside the random effects, in the working linear model.

    Attributes
    ----------
    weighted
        (n, p) W X for coefficients of X; for other parameters minus the derivatives of the
        slopes of each row's log-density by its linear predictor.
    plain
        (p, p) X' W X; for others the information at given random effects.
    """

    weighted: Array
    plain: Array

    @classmethod
    def of(cls, x: Array, weight: Array) -> "Columns":
        """Return only the coefficients."""
        weighted = x * weight[:, None]
        return cls(weighted, x.T @ weighted)


def information(
    system: PenalisedSystem,
    factorised: Factorised,
    triangles: Triangles,
    columns: Columns,
    weight: Array,
) -> Information:
    """Return the information of a linear model with weights, and its exact slopes.

    Time and memory grow with the rows, not with their square: V^-1 is applied to one
    column at a time by way of the factorised system.

    Parameters
    ----------
    system, factorised
        The random effects, factorised for the same weights.
    triangles
        Which elements of the covariance factors are parameters.
    columns
        What the information is on.
    weight
        (n,) W.
    """
    p = len(columns.plain)
    matrix = columns.plain.copy()
    sums: list[list[Array]] = []
    for place, whitened in enumerate(columns.weighted.T):
        if system.factors:
            through = factorised.solve(factorised.scores(system.z.level_sums(whitened)))
            shrunk = system.z.predict(factorised.effects(through))
            whitened = whitened - weight * shrunk
            matrix[place] -= columns.weighted.T @ shrunk
        sums.append(system.z.level_sums(whitened))
    slopes = np.empty((len(triangles), p, p))
    if p and len(triangles):
        whole = [np.stack(parts, axis=2) for parts in zip(*sums, strict=True)]
        for number, (f, row, column) in enumerate(triangles.places):
            left = whole[f][:, row]
            right = np.einsum("lkp,k->lp", whole[f], factorised.triangles[f][:, column])
            part = left.T @ right
            slopes[number] = -(part + part.T)
    return Information((matrix + matrix.T) / 2, slopes)
