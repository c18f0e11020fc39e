"""The penalised normal equations of a mixed model, solved by blocks."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.linalg.blas import dsyrk
from scipy.linalg.lapack import dpotri

from analysis.mixed.design import RandomFactor

Array = np.ndarray


@dataclass(frozen=True, slots=True)
class CrossProducts:
    """Z'WZ by pairs of factors.

    Attributes
    ----------
    own
        For every factor (levels, k, k), its block diagonal part.
    across
        For pairs of factors (f, g), f before g, (levels_f, k_f, levels_g, k_g).
    """

    own: tuple[Array, ...]
    across: dict[tuple[int, int], Array]


class PenalisedSystem:
    """H = L' Z' W Z L + I for given relative covariance factors L and weights W.

    Notation of Bates et al. (2015, J. Stat. Softw. 67(1), section 3): Z holds the
    grouping factors' regressors, L is block diagonal with one k x k lower triangle a
    level. The factor with most effects is eliminated first, for its part of H is
    block diagonal; what is left of the others is factorised densely. Vectors of
    random effects are flat, factor by factor in the order given, level by level.

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
        self._first = int(np.argmax(sizes)) if sizes else -1
        self._rest = tuple(place for place in range(len(sizes)) if place != self._first)
        rest = [sizes[place] for place in self._rest]
        starts = np.concatenate([[0], np.cumsum(rest)]).astype(int)
        self._rest_slices = {place: slice(*starts[n : n + 2]) for n, place in enumerate(self._rest)}
        self._rest_size = int(starts[-1])
        self._z = tuple(np.ascontiguousarray(f.regressors.T) for f in factors)
        self._cells = {
            (f, g): factors[f].codes * factors[g].levels + factors[g].codes
            for f in self._rest
            for g in (self._first, *self._rest)
            if g == self._first or f < g
        }

    @staticmethod
    def entries(factors: Sequence[RandomFactor]) -> int:
        """Return how many numbers the dense parts of H hold."""
        sizes = sorted(factor.levels * len(factor.terms) for factor in factors)
        return sum(sizes[:-1]) * sum(sizes) if sizes else 0

    def parts(self, flat: Array) -> list[Array]:
        """Return views (levels, k, ...) of a flat vector (size, ...), factor by factor."""
        return [
            flat[a:b].reshape(factor.levels, len(factor.terms), *flat.shape[1:])
            for factor, a, b in zip(self.factors, self._starts, self._starts[1:], strict=False)
        ]

    def level_sums(self, values: Array) -> list[Array]:
        """Return Z'v for every factor, (levels, k)."""
        return [
            np.stack([np.bincount(f.codes, z_j * values, f.levels) for z_j in z], axis=1)
            for f, z in zip(self.factors, self._z, strict=True)
        ]

    def predict(self, effects: Sequence[Array]) -> Array:
        """Return Z b, (n,), for the factors' effects b (levels, k)."""
        eta = np.zeros(self.rows)
        for factor, z, b in zip(self.factors, self._z, effects, strict=True):
            for j, z_j in enumerate(z):
                eta += z_j * b[:, j][factor.codes]
        return eta

    def cross_products(self, weight: Array) -> CrossProducts:
        """Return Z'WZ for weights (n,)."""
        weighted = [z * weight for z in self._z]
        own = []
        for f, factor in enumerate(self.factors):
            k = len(factor.terms)
            block = np.empty((factor.levels, k, k))
            for i in range(k):
                for j in range(i + 1):
                    sums = np.bincount(factor.codes, weighted[f][i] * self._z[f][j], factor.levels)
                    block[:, i, j] = block[:, j, i] = sums
            own.append(block)
        across = {}
        for (f, g), cell in self._cells.items():
            one, other = self.factors[f], self.factors[g]
            table = np.empty((one.levels, len(one.terms), other.levels, len(other.terms)))
            for i, w_i in enumerate(weighted[f]):
                for j, z_j in enumerate(self._z[g]):
                    sums = np.bincount(cell, w_i * z_j, one.levels * other.levels)
                    table[:, i, :, j] = sums.reshape(one.levels, other.levels)
            across[f, g] = table
        return CrossProducts(tuple(own), across)

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
        if not self.factors:
            return Factorised(self, (), None, None, None, None, 0.0)
        inner = [
            t.T @ own @ t + np.eye(len(t)) for t, own in zip(triangles, products.own, strict=True)
        ]
        blocks = inner[self._first]
        inverse = np.linalg.inv(blocks)
        log_det = float(np.linalg.slogdet(blocks)[1].sum())
        if not self._rest:
            return Factorised(self, tuple(triangles), inverse, None, None, None, log_det)
        levels, k = blocks.shape[:2]
        coupling = np.empty((self._rest_size, levels * k))
        dense = np.zeros((self._rest_size, self._rest_size))
        for f in self._rest:
            rows = self._rest_slices[f]
            table = _between(triangles[f], products.across[f, self._first], triangles[self._first])
            coupling[rows] = table.reshape(rows.stop - rows.start, -1)
            _put_diagonal(dense, rows, inner[f])
            for g in self._rest:
                if f < g:
                    table = _between(triangles[f], products.across[f, g], triangles[g])
                    table = table.reshape(rows.stop - rows.start, -1)
                    dense[rows, self._rest_slices[g]] = table
                    dense[self._rest_slices[g], rows] = table.T
        reduced = _times_blocks(coupling, inverse)
        half = _times_blocks(coupling, np.linalg.cholesky(inverse))
        # Only the lower triangle is made, and read.
        dense = dsyrk(-1.0, half.T, beta=1.0, c=dense, trans=1, lower=1)
        schur = cho_factor(dense, lower=True, overwrite_a=True, check_finite=False)
        log_det += 2 * float(np.log(np.diag(schur[0])).sum())
        return Factorised(self, tuple(triangles), inverse, coupling, reduced, schur, log_det)

    # What `Factorised` needs to know of the order of elimination.

    @property
    def first_slice(self) -> slice:
        """Where the factor eliminated first stands in a flat vector."""
        return slice(self._starts[self._first], self._starts[self._first + 1])

    @property
    def first(self) -> int:
        """Place of the factor that is eliminated first."""
        return self._first

    @property
    def rest(self) -> tuple[tuple[int, slice, slice], ...]:
        """For the other factors: place, slice in a flat vector, slice in the dense part."""
        return tuple(
            (f, slice(self._starts[f], self._starts[f + 1]), self._rest_slices[f])
            for f in self._rest
        )

    @property
    def rest_size(self) -> int:
        """Size of the dense part."""
        return self._rest_size

    @property
    def regressors(self) -> tuple[Array, ...]:
        """For every factor (k, n)."""
        return self._z


@dataclass(frozen=True, slots=True)
class Factorised:
    """H in factors; `log_det` is log det H."""

    system: PenalisedSystem
    triangles: tuple[Array, ...]
    inverse: Array | None
    coupling: Array | None
    reduced: Array | None
    schur: tuple[Array, bool] | None
    log_det: float

    def solve(self, flat: Array) -> Array:
        """Return H^-1 r for r (size,) or (size, m)."""
        if not self.system.factors:
            return flat
        matrix = flat.reshape(len(flat), -1)
        at = self.system.first_slice
        levels, k = self.inverse.shape[:2]
        first = (self.inverse @ matrix[at].reshape(levels, k, -1)).reshape(levels * k, -1)
        solved = np.empty_like(matrix)
        if self.schur is not None:
            right = np.empty((self.system.rest_size, matrix.shape[1]))
            for _, own, dense in self.system.rest:
                right[dense] = matrix[own]
            right = cho_solve(self.schur, right - self.coupling @ first[:, :], check_finite=False)
            first = first - self.reduced.T @ right
            for _, own, dense in self.system.rest:
                solved[own] = right[dense]
        solved[at] = first
        return solved.reshape(flat.shape)

    def scores(self, sums: Sequence[Array]) -> Array:
        """Return L'Z'v, flat, from level sums Z'v."""
        return flat(sums, self.triangles)

    def effects(self, flat: Array) -> list[Array]:
        """Return b = L u, (levels, k) a factor, for spherical effects u."""
        parts = self.system.parts(flat)
        return [u @ t.T for u, t in zip(parts, self.triangles, strict=True)]

    def own_rows(self) -> tuple[list[Array], Array]:
        """Return for row i the own elements of H^-1 a_i, and a_i' H^-1 a_i.

        a_i is row i of Z L as a vector.

        Returns
        -------
        tuple
            For every factor (k, n), and (n,).
        """
        system = self.system
        if not system.factors:
            return [], np.zeros(system.rows)
        a = [t.T @ z for t, z in zip(self.triangles, system.regressors, strict=True)]
        own = [np.zeros_like(part) for part in a]
        blocks = self._inverse_blocks()
        for (f, g), table in blocks.items():
            one, other = system.factors[f], system.factors[g]
            for i in range(len(one.terms)):
                for j in range(len(other.terms)):
                    part = _gather(table, one, other, i, j, f == g)
                    own[f][i] += part * a[g][j]
                    if f != g:
                        own[g][j] += part * a[f][i]
        leverage = np.zeros(system.rows)
        for part, a_f in zip(own, a, strict=True):
            leverage += (part * a_f).sum(axis=0)
        return own, leverage

    def _inverse_blocks(self) -> dict[tuple[int, int], Array]:
        """Return the parts of H^-1 that rows touch: by level for a factor with itself."""
        system, inverse = self.system, self.inverse
        if self.schur is None:
            return {(system.first, system.first): inverse}
        levels, k = inverse.shape[:2]
        lower, _ = dpotri(self.schur[0], lower=1)
        dense = np.tril(lower) + np.tril(lower, -1).T
        cross = dense @ self.reduced  # minus the part of H^-1 between rest and first
        reduced = self.reduced.reshape(-1, levels, k)
        first = inverse + np.einsum(
            "rli,rlj->lij", reduced, cross.reshape(-1, levels, k), optimize=k > 1
        )
        blocks = {(system.first, system.first): first}
        for f, _, rows in system.rest:
            shape = (system.factors[f].levels, len(system.factors[f].terms))
            blocks[f, system.first] = -cross[rows].reshape(*shape, levels, k)
            square = dense[rows, rows].reshape(*shape, *shape)
            blocks[f, f] = np.einsum("lilj->lij", square)
            for g, _, columns in system.rest:
                if f < g:
                    other = (system.factors[g].levels, len(system.factors[g].terms))
                    blocks[f, g] = dense[rows, columns].reshape(*shape, *other)
        return blocks

    def own_blocks(self) -> list[Array]:
        """Return for every factor the blocks of H^-1 on its diagonal, (levels, k, k)."""
        blocks = self._inverse_blocks()
        return [blocks[f, f] for f in range(len(self.system.factors))]


def flat(sums: Sequence[Array], triangles: Sequence[Array]) -> Array:
    """Return L'Z'v, flat, from level sums Z'v and the factors' triangles L."""
    parts = [(s @ t).ravel() for s, t in zip(sums, triangles, strict=True)]
    return np.concatenate(parts) if parts else np.zeros(0)


def _between(left: Array, table: Array, right: Array) -> Array:
    """Return L_f' M L_g for M (levels_f, k_f, levels_g, k_g)."""
    if _is_diagonal(left) and _is_diagonal(right):
        return table * np.multiply.outer(np.diag(left), np.diag(right))[None, :, None, :]
    return np.einsum("aibj,ic->acbj", table, left, optimize=True) @ right


def _is_diagonal(matrix: Array) -> bool:
    return not np.any(matrix - np.diag(np.diag(matrix)))


def _times_blocks(matrix: Array, blocks: Array) -> Array:
    """Return M B for a block diagonal B."""
    levels, k = blocks.shape[:2]
    if k == 1:
        return matrix * blocks[:, 0, 0]
    product = matrix.reshape(-1, levels, k).transpose(1, 0, 2) @ blocks
    return product.transpose(1, 0, 2).reshape(matrix.shape)


def _put_diagonal(dense: Array, rows: slice, blocks: Array) -> None:
    levels, k = blocks.shape[:2]
    places = rows.start + np.arange(levels * k).reshape(levels, k)
    dense[places[:, :, None], places[:, None, :]] = blocks


def _gather(
    table: Array, one: RandomFactor, other: RandomFactor, i: int, j: int, same: bool
) -> Array:
    if same:
        return table[:, i, j][one.codes]
    return table[:, i, :, j][one.codes, other.codes]
