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


def information(
    system: PenalisedSystem,
    factorised: Factorised,
    triangles: Triangles,
    x: Array,
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
    x
        (n, p) fixed columns.
    weight
        (n,) W.
    """
    p = x.shape[1]
    matrix = np.empty((p, p))
    sums: list[list[Array]] = []
    for place, column in enumerate(x.T):
        whitened = weight * column
        if system.factors:
            through = factorised.solve(factorised.scores(system.z.level_sums(whitened)))
            whitened = whitened - weight * system.z.predict(factorised.effects(through))
        matrix[place] = x.T @ whitened
        sums.append(system.z.level_sums(whitened))
    slopes = np.empty((len(triangles), p, p))
    if p and len(triangles):
        whole = [np.stack(columns, axis=2) for columns in zip(*sums, strict=True)]
        for number, (f, row, column) in enumerate(triangles.places):
            left = whole[f][:, row]
            right = np.einsum("lkp,k->lp", whole[f], factorised.triangles[f][:, column])
            part = left.T @ right
            slopes[number] = -(part + part.T)
    return Information((matrix + matrix.T) / 2, slopes)
