"""Between rows and levels: sums over each level's rows, and what its effects add to them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pandas as pd

from analysis.mixed.design import RandomFactor

Array = np.ndarray
Pair = tuple[int, int]

FEW_PATTERNS = 8
"""Up to this many patterns, sums by pattern are quicker even if they need more memory."""


class CrossProducts(Protocol):
    """Z'WZ of a model's factors, by blocks.

    Attributes
    ----------
    within
        For every factor (levels, k, k): its block diagonal part.
    """

    @property
    def within(self) -> tuple[Array, ...]:
        """Return every factor's block diagonal part."""

    def between(self, pair: Pair, left: Array, right: Array) -> Array:
        """Return M_f' Z_f'WZ_g M_g of a pair, (levels_f, k_f, levels_g, k_g)."""

    def meetings(self, inverse: Mapping[Pair, Array], triangles: Sequence[Array]) -> list[Array]:
        """Return Σ w_i z_i (H^-1 L'z_i)' over the rows i, (k, k) for every factor.

        `inverse` has the blocks of H^-1 by pairs of factors: (levels, k, k) of a factor with
        itself, (levels_f, k_f, levels_g, k_g) of others.
        """


class Regressors(Protocol):
    """Z, the regressors of a model's factors by rows."""

    def level_sums(self, values: Array) -> list[Array]:
        """Return Z'v of values (n,), (levels, k) for every factor."""

    def predict(self, effects: Sequence[Array]) -> Array:
        """Return Z b, (n,), of the factors' effects b, (levels, k) each."""

    def cross_products(self, weight: Array) -> CrossProducts:
        """Return Z'WZ of weights (n,)."""

    def leverages(self, inverse: Mapping[Pair, Array], triangles: Sequence[Array]) -> Array:
        """Return z_i' L H^-1 L' z_i of every row, (n,); `inverse` as in `meetings`."""


def regressors_of(factors: Sequence[RandomFactor], pairs: Sequence[Pair], rows: int) -> Regressors:
    """Return Z; by patterns where its rows have few distinct ones, as in a factorial design.

    Few are those whose sums for a pair of factors, (levels_f * levels_g, patterns), need no more
    memory than the pair's own cross products.

    Parameters
    ----------
    factors
        The grouping factors.
    pairs
        The pairs of factors (by place) whose cross products are needed.
    rows
        Number of rows.
    """
    terms = [len(factor.terms) for factor in factors]
    few = min((terms[f] * terms[g] for f, g in pairs), default=0)
    pattern, count = np.zeros(rows, dtype=np.int64), 1
    for factor in factors:
        for column in factor.regressors.T:
            column_codes, values = pd.factorize(column)
            pattern, seen = pd.factorize(pattern * len(values) + column_codes)
            count = len(seen)
            if count > max(few, FEW_PATTERNS):
                return ByRow(tuple(factors), tuple(pairs))
    return ByPattern(tuple(factors), tuple(pairs), pattern, count)


class ByPattern:
    """Regressors whose rows have few distinct values, one set of which is called a pattern.

    Rows are summed by level (or pair of levels) and pattern, once for all effects; the rest is
    done with these sums.

    Parameters
    ----------
    factors, pairs
        As in `regressors_of`.
    pattern
        (n,) every row's pattern, 0-based.
    count
        How many patterns there are.
    """

    def __init__(
        self, factors: Sequence[RandomFactor], pairs: Sequence[Pair], pattern: Array, count: int
    ) -> None:
        self._levels, self._count = [factor.levels for factor in factors], count
        examples = np.empty(count, dtype=np.int64)
        examples[pattern] = np.arange(len(pattern))
        self._tables = [factor.regressors[examples] for factor in factors]
        self._cells = [factor.codes * count + pattern for factor in factors]
        self._pairs = {
            (f, g): (factors[f].codes * factors[g].levels + factors[g].codes) * count + pattern
            for f, g in pairs
        }
        self._rows = len(pattern)

    def level_sums(self, values: Array) -> list[Array]:
        """See `Regressors`."""
        sums = self._sums_by_pattern(values)
        return [block @ table for block, table in zip(sums, self._tables, strict=True)]

    def predict(self, effects: Sequence[Array]) -> Array:
        """See `Regressors`."""
        eta = np.zeros(self._rows)
        for table, cells, b in zip(self._tables, self._cells, effects, strict=True):
            eta += (b @ table.T).ravel()[cells]
        return eta

    def cross_products(self, weight: Array) -> "SumsByPattern":
        """See `Regressors`."""
        within = [
            (sums @ _outer(table, table)).reshape(-1, table.shape[1], table.shape[1])
            for sums, table in zip(self._sums_by_pattern(weight), self._tables, strict=True)
        ]
        across = {}
        for (f, g), cells in self._pairs.items():
            size = self._levels[f] * self._levels[g]
            sums = np.bincount(cells, weight, size * self._count)
            across[f, g] = sums.reshape(size, self._count)
        return SumsByPattern(tuple(within), across, tuple(self._tables), tuple(self._levels))

    def leverages(self, inverse: Mapping[Pair, Array], triangles: Sequence[Array]) -> Array:
        """See `Regressors`."""
        a = [table @ t for table, t in zip(self._tables, triangles, strict=True)]
        total = np.zeros(self._rows)
        for f, cells in enumerate(self._cells):
            block = inverse[f, f].reshape(self._levels[f], -1)
            total += (block @ _outer(a[f], a[f]).T).ravel()[cells]
        for (f, g), cells in self._pairs.items():
            block = _by_levels(inverse[f, g])
            total += (block @ (2 * _outer(a[f], a[g])).T).ravel()[cells]
        return total

    def _sums_by_pattern(self, values: Array) -> list[Array]:
        return [
            np.bincount(cells, values, levels * self._count).reshape(levels, self._count)
            for cells, levels in zip(self._cells, self._levels, strict=True)
        ]


@dataclass(frozen=True, slots=True)
class SumsByPattern:
    """Cross products from weights that were summed by levels and pattern.

    Attributes
    ----------
    within
        As in `CrossProducts`.
    across
        For every pair (levels_f * levels_g, patterns) the weights' sums.
    tables
        For every factor the patterns' regressors, (patterns, k).
    levels
        Of every factor.
    """

    within: tuple[Array, ...]
    across: dict[Pair, Array]
    tables: tuple[Array, ...]
    levels: tuple[int, ...]

    def between(self, pair: Pair, left: Array, right: Array) -> Array:
        """See `CrossProducts`."""
        f, g = pair
        first, second = self.tables[f] @ left, self.tables[g] @ right
        table = self.across[pair] @ _outer(first, second)
        shape = self.levels[f], self.levels[g], first.shape[1], second.shape[1]
        return table.reshape(shape).transpose(0, 2, 1, 3)

    def meetings(self, inverse: Mapping[Pair, Array], triangles: Sequence[Array]) -> list[Array]:
        """See `CrossProducts`."""
        totals = [
            np.einsum("lij,jk,lkm->im", within, t, inverse[f, f], optimize=True)
            for f, (within, t) in enumerate(zip(self.within, triangles, strict=True))
        ]
        for (f, g), sums in self.across.items():
            z, y = self.tables[f], self.tables[g]
            block = (sums.T @ _by_levels(inverse[f, g])).reshape(-1, z.shape[1], y.shape[1])
            totals[f] += np.einsum("ci,cj,ckj->ik", z, y @ triangles[g], block)
            totals[g] += np.einsum("ci,cj,cjk->ik", y, z @ triangles[f], block)
        return totals


class ByRow:
    """Regressors of any kind, as with a slope of a measured quantity.

    Parameters
    ----------
    factors, pairs
        As in `regressors_of`.
    """

    def __init__(self, factors: Sequence[RandomFactor], pairs: Sequence[Pair]) -> None:
        self._factors = factors
        self._z = [np.ascontiguousarray(factor.regressors.T) for factor in factors]
        self._cells = {
            (f, g): factors[f].codes * factors[g].levels + factors[g].codes for f, g in pairs
        }

    def level_sums(self, values: Array) -> list[Array]:
        """See `Regressors`."""
        return [
            np.stack([np.bincount(f.codes, z_j * values, f.levels) for z_j in z], axis=1)
            for f, z in zip(self._factors, self._z, strict=True)
        ]

    def predict(self, effects: Sequence[Array]) -> Array:
        """See `Regressors`."""
        eta = np.zeros(len(self._factors[0].codes))
        for factor, z, b in zip(self._factors, self._z, effects, strict=True):
            for j, z_j in enumerate(z):
                eta += z_j * b[:, j][factor.codes]
        return eta

    def cross_products(self, weight: Array) -> "SumsByLevel":
        """See `Regressors`."""
        weighted = [z * weight for z in self._z]
        within = []
        for factor, left, z in zip(self._factors, weighted, self._z, strict=True):
            block = np.empty((factor.levels, len(z), len(z)))
            for i in range(len(z)):
                for j in range(i + 1):
                    sums = np.bincount(factor.codes, left[i] * z[j], factor.levels)
                    block[:, i, j] = block[:, j, i] = sums
            within.append(block)
        across = {}
        for (f, g), cells in self._cells.items():
            first, second = self._factors[f], self._factors[g]
            table = np.empty((first.levels, len(self._z[f]), second.levels, len(self._z[g])))
            for i, w_i in enumerate(weighted[f]):
                for j, z_j in enumerate(self._z[g]):
                    sums = np.bincount(cells, w_i * z_j, first.levels * second.levels)
                    table[:, i, :, j] = sums.reshape(first.levels, second.levels)
            across[f, g] = table
        return SumsByLevel(tuple(within), across)

    def leverages(self, inverse: Mapping[Pair, Array], triangles: Sequence[Array]) -> Array:
        """See `Regressors`."""
        a = [t.T @ z for t, z in zip(triangles, self._z, strict=True)]
        total = np.zeros(len(self._factors[0].codes))
        for (f, g), table in inverse.items():
            first, second = self._factors[f].codes, self._factors[g].codes
            for i, a_i in enumerate(a[f]):
                for j, a_j in enumerate(a[g]):
                    part = table[:, i, j][first] if f == g else 2 * table[:, i, :, j][first, second]
                    total += part * a_i * a_j
        return total


@dataclass(frozen=True, slots=True)
class SumsByLevel:
    """Cross products that were summed by levels.

    Attributes
    ----------
    within
        As in `CrossProducts`.
    across
        For every pair (levels_f, k_f, levels_g, k_g).
    """

    within: tuple[Array, ...]
    across: dict[Pair, Array]

    def between(self, pair: Pair, left: Array, right: Array) -> Array:
        """See `CrossProducts`."""
        return np.einsum("aibj,ic->acbj", self.across[pair], left, optimize=True) @ right

    def meetings(self, inverse: Mapping[Pair, Array], triangles: Sequence[Array]) -> list[Array]:
        """See `CrossProducts`."""
        totals = [
            np.einsum("lij,jk,lkm->im", within, t, inverse[f, f], optimize=True)
            for f, (within, t) in enumerate(zip(self.within, triangles, strict=True))
        ]
        for (f, g), table in self.across.items():
            block = inverse[f, g]
            totals[f] += np.einsum("aibj,jc,akbc->ik", table, triangles[g], block, optimize=True)
            totals[g] += np.einsum("aibj,ic,acbk->jk", table, triangles[f], block, optimize=True)
        return totals


def _outer(first: Array, second: Array) -> Array:
    """Return every pattern's products, (patterns, k_f * k_g)."""
    return (first[:, :, None] * second[:, None, :]).reshape(len(first), -1)


def _by_levels(block: Array) -> Array:
    """Return (levels_f, k_f, levels_g, k_g) as (levels_f * levels_g, k_f * k_g)."""
    return block.transpose(0, 2, 1, 3).reshape(-1, block.shape[1] * block.shape[3])
