"""Solve the penalised normal equations of a mixed model by blocks.

The solution gives the coefficients' information X' V^-1 X, and its derivatives by the covariance
factors.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.linalg.blas import dsyrk
from scipy.linalg.lapack import dpotri

from analysis.mixed.design import RandomFactor
from analysis.mixed.parameters import Triangles
from analysis.mixed.regressors import CrossProducts, Pair, regressors_of

Array = np.ndarray


class PenalisedSystem:
    """H = L' Z' W Z L + I for given relative covariance factors L and weights W.

    Notation of Bates et al. (2015, J. Stat. Softw. 67(1), section 3): Z holds the grouping factors'
    regressors, L is block diagonal with one k x k lower triangle a level. The factor with the most
    effects is eliminated first, because its part of H is block diagonal; what is left of the others
    is factorised densely. Vectors of random effects are flat, factor by factor in the order given,
    level by level.

    Parameters
    ----------
    factors
        The grouping factors; none is allowed.
    rows
        Number of observations.
    """

    def __init__(self, factors: Sequence[RandomFactor], rows: int) -> None:
        self.rows = rows
        self.factors = tuple(factors)
        sizes = [factor.levels * len(factor.terms) for factor in factors]
        self._starts = np.concatenate([[0], np.cumsum(sizes)]).astype(int)
        self.size = int(self._starts[-1])
        self.first = int(np.argmax(sizes)) if sizes else -1
        others = [place for place in range(len(sizes)) if place != self.first]
        starts = np.concatenate([[0], np.cumsum([sizes[f] for f in others])]).astype(int)
        self.rest_size = int(starts[-1])
        self.rest = tuple(
            (f, slice(*self._starts[f : f + 2]), slice(*starts[n : n + 2]))
            for n, f in enumerate(others)
        )
        pairs = [(self.first, f) for f in others]
        pairs += [(f, g) for f in others for g in others if f < g]
        self.z = regressors_of(factors, pairs, rows)

    @staticmethod
    def entries(factors: Sequence[RandomFactor]) -> int:
        """Return how many numbers the dense parts of H hold."""
        sizes = sorted(factor.levels * len(factor.terms) for factor in factors)
        return sum(sizes[:-1]) * sum(sizes) if sizes else 0

    @property
    def first_slice(self) -> slice:
        """Where the factor eliminated first stands in a flat vector."""
        return slice(self._starts[self.first], self._starts[self.first + 1])

    def parts(self, flat: Array) -> list[Array]:
        """Return views (levels, k, ...) of a flat vector (size, ...), factor by factor."""
        return [
            flat[a:b].reshape(factor.levels, len(factor.terms), *flat.shape[1:])
            for factor, a, b in zip(self.factors, self._starts, self._starts[1:], strict=False)
        ]

    def factorise(self, triangles: Sequence[Array], products: CrossProducts) -> "Factorised":
        """Factorise H.

        Parameters
        ----------
        triangles
            For every factor its k x k lower triangle.
        products
            Z'WZ.

        Raises
        ------
        LinAlgError
            If H is not positive definite to working precision.
        """
        triangles = tuple(triangles)
        if not self.factors:
            return Factorised(self, triangles, products, None, None, None, 0.0)
        inner = [
            t.T @ within @ t + np.eye(len(t))
            for t, within in zip(triangles, products.within, strict=True)
        ]
        lower = np.linalg.cholesky(inner[self.first])
        log_det = 2 * float(np.log(np.einsum("lii->li", lower)).sum())
        root = np.tril(np.linalg.inv(lower))
        if not self.rest:
            return Factorised(self, triangles, products, root, None, None, log_det)
        levels, k = root.shape[:2]
        coupling = np.empty((levels, k, self.rest_size))
        dense = np.zeros((self.rest_size, self.rest_size))
        for f, _, rows in self.rest:
            table = products.between((self.first, f), triangles[self.first], triangles[f])
            coupling[:, :, rows].reshape(table.shape, copy=False)[:] = table
            _put_diagonal(dense, rows, inner[f])
            for g, _, columns in self.rest:
                if f < g:
                    table = products.between((f, g), triangles[f], triangles[g])
                    table = table.reshape(rows.stop - rows.start, -1)
                    dense[rows, columns] = table
                    dense[columns, rows] = table.T
        half = (root @ coupling).reshape(levels * k, -1)
        # Only the lower triangle is made, and read.
        dense = dsyrk(-1.0, half.T, beta=1.0, c=dense, lower=1)
        schur = cho_factor(dense, lower=True, overwrite_a=True, check_finite=False)
        log_det += 2 * float(np.log(np.diag(schur[0])).sum())
        return Factorised(self, triangles, products, root, half, schur, log_det)


@dataclass(frozen=True, slots=True)
class Factorised:
    """H in factors.

    With blocks A of the factor eliminated first, B between it and the rest, and D of the rest,
    `root` has the inverse Cholesky factors C^-1 of A's blocks, (levels, k, k), `half` is
    C^-1 B, (levels * k, rest), and `schur` the Cholesky factor of D - B' A^-1 B. `log_det` is
    log det H.
    """

    system: PenalisedSystem
    triangles: tuple[Array, ...]
    products: CrossProducts
    root: Array | None
    half: Array | None
    schur: tuple[Array, bool] | None
    log_det: float

    def solve(self, flat: Array) -> Array:
        """Return H^-1 r for r (size,) or (size, m)."""
        if not self.system.factors:
            return flat
        assert self.root is not None
        matrix = flat.reshape(len(flat), -1)
        at = self.system.first_slice
        levels, k = self.root.shape[:2]
        first = (self.root @ matrix[at].reshape(levels, k, -1)).reshape(levels * k, -1)
        solved = np.empty_like(matrix)
        if self.schur is not None and self.half is not None:
            right = np.empty((self.system.rest_size, matrix.shape[1]))
            for _, rows, dense in self.system.rest:
                right[dense] = matrix[rows]
            right = cho_solve(self.schur, right - self.half.T @ first, check_finite=False)
            first = first - self.half @ right
            for _, rows, dense in self.system.rest:
                solved[rows] = right[dense]
        turned = self.root.transpose(0, 2, 1) @ first.reshape(levels, k, -1)
        solved[at] = turned.reshape(levels * k, -1)
        return solved.reshape(flat.shape)

    def scores(self, sums: Sequence[Array]) -> Array:
        """Return L'Z'v, flat, from level sums Z'v."""
        return flat(sums, self.triangles)

    def effects(self, flat: Array) -> list[Array]:
        """Return b = L u, (levels, k) a factor, for spherical effects u."""
        parts = self.system.parts(flat)
        return [u @ t.T for u, t in zip(parts, self.triangles, strict=True)]

    def inverse_blocks(self) -> dict[Pair, Array]:
        """Return the parts of H^-1 that rows touch, by pairs of factors.

        Those of a factor with itself by level, (levels, k, k); of others all, (levels_f, k_f,
        levels_g, k_g).
        """
        system = self.system
        if self.root is None:
            return {}
        turned = self.root.transpose(0, 2, 1)
        if self.schur is None or self.half is None:
            return {(system.first, system.first): turned @ self.root}
        levels, k = self.root.shape[:2]
        lower, _ = dpotri(self.schur[0], lower=1)
        dense = np.tril(lower) + np.tril(lower, -1).T
        half = self.half.reshape(levels, k, -1)
        cross = (self.half @ dense).reshape(half.shape)
        inner = np.eye(k) + cross @ half.transpose(0, 2, 1)
        blocks = {(system.first, system.first): turned @ inner @ self.root}
        cross = -turned @ cross
        for f, _, rows in system.rest:
            shape = (system.factors[f].levels, len(system.factors[f].terms))
            blocks[system.first, f] = cross[:, :, rows].reshape(levels, k, *shape)
            square = dense[rows, rows].reshape(*shape, *shape)
            blocks[f, f] = np.einsum("lilj->lij", square)
            for g, _, columns in system.rest:
                if f < g:
                    other = (system.factors[g].levels, len(system.factors[g].terms))
                    blocks[f, g] = dense[rows, columns].reshape(*shape, *other)
        return blocks

    def own_blocks(self) -> list[Array]:
        """Return for every factor the blocks of H^-1 on its diagonal, (levels, k, k)."""
        blocks = self.inverse_blocks()
        return [blocks[f, f] for f in range(len(self.system.factors))]


def flat(sums: Sequence[Array], triangles: Sequence[Array]) -> Array:
    """Return L'Z'v, flat, from level sums Z'v and the factors' triangles L."""
    parts = [(s @ t).ravel() for s, t in zip(sums, triangles, strict=True)]
    return np.concatenate(parts) if parts else np.zeros(0)


def _put_diagonal(dense: Array, rows: slice, blocks: Array) -> None:
    levels, k = blocks.shape[:2]
    places = rows.start + np.arange(levels * k).reshape(levels, k)
    dense[places[:, :, None], places[:, None, :]] = blocks


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
    """What is estimated apart from the random effects, in the working linear model.

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
