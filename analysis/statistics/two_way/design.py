"""What variances of participants and items lose by the fit of levels, and how well they are known.

The fit (`levels.py`) has a level for each cell, each participant and each item. It takes away part
of the variation between participants. A cell's mean takes up the participants' mean. Items' levels
take up what participants add if the same participants saw the same items in the same cells. So
squares of totals are too small, by a seventh with sixteen items that rotate over four lists.
`Design` corrects them, and gives their degrees of freedom. The correction assumes that each level
of a factor adds its own deviation in the direction of the contrast, with the same variance
everywhere in its arm (a scalar form of Bell & McCaffrey 2002, Surv. Methodol. 28; Pustejovsky &
Tipton 2018, J. Bus. Econ. Stat. 36).

An **arm** is a part of the contrast's cells whose people answered in no other part of them. People
of different arms may vary differently, as in Welch's test (1947, Biometrika 34): each arm has its
own correction and degrees of freedom. Items are treated in the same way, such as those of which the
network is right and those of which it is wrong.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from analysis.statistics.bootstrap.draws import Units

Array = np.ndarray

Matrix = Any
"""Dense or sparse: scipy's arrays have no common type with numpy's."""

MOST_DENSE = 40_000_000
MOST_ROWS = 200_000
"""Rows above which what the other factor's levels absorb (under a hundredth) is neglected."""
MOST_LEVELS = 4000
"""Levels of the smaller factor above which what the other factor's levels absorb is neglected."""
MOST_FITTED = 0.2
"""Levels, as a share of the pairs, above which a table with few pairs is sparse.

With the levels its intervals would be 1.1 times as wide as they should be, or up to 1.7 times if no
item is seen twice.
"""
_NONE = 1e-9

_OTHER = {"participant": "item", "item": "participant"}


@dataclass(frozen=True, slots=True)
class Design:
    """Which participant saw which item how often, and how the cells' weight lies on them.

    Attributes
    ----------
    units
        Participant and item of each row.
    weights
        (n, cells) each row's share of a cell's weight.
    pairs
        Participant and item of each pair of them that occurs.
    pair
        (n,) the pair of each row.
    fitted_cells, fitted_levels
        Number of levels of cells, and of participants and items, that were fitted.
    kinds
        The rows of each factor, those alike grouped.
    """

    units: Units
    weights: Array
    pairs: Units
    pair: Array
    fitted_cells: int
    fitted_levels: int
    kinds: Mapping[str, "Kinds"]
    _known: dict[tuple[str, bytes], Any] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @classmethod
    def of(cls, units: Units, weights: Array, pattern: Array, parts: int) -> "Design":
        """Return the design of rows.

        Parameters
        ----------
        units, weights
            As the attributes.
        pattern
            (n,) codes from 0: in which cells a row counts.
        parts
            As in `levels.Effects`.
        """
        cells = int(pattern.max(initial=0)) + 1
        kinds = {name: Kinds.of(getattr(units, name), weights, pattern) for name in _OTHER}
        place = units.participant.astype(np.int64) * units.items + units.item
        places, pair = np.unique(place, return_inverse=True)
        levels = len(np.unique(units.participant)) + len(np.unique(units.item)) - parts
        pairs = Units(*np.divmod(places, units.items)) if len(places) else units
        return cls(units, weights, pairs, pair.ravel(), cells - 1, levels, kinds)

    @property
    def sparse(self) -> bool:
        """Whether people saw less than half of the items, and few people saw the same item.

        Levels of participants and items then absorb much of the differences between answers, and
        what is left contains their noise.
        """
        people, items = (len(np.unique(code)) for code in (self.pairs.participant, self.pairs.item))
        pairs = len(self.pairs.item)
        return self.fitted_levels > MOST_FITTED * pairs and 2 * pairs < people * items

    def without_levels(self) -> "Design":
        """Return the design in which no levels of participants and items are fitted."""
        return replace(self, fitted_levels=0)

    def cancels(self, contrast: Array) -> bool:
        """Return whether every row's weight cancels: all rows count alike on both sides."""
        weights = self.kinds["item"].weights
        return bool(np.abs(weights @ contrast).max() < _NONE * weights.max())

    def single(self, contrast: Array) -> tuple[float, float]:
        """Return the factor for the squares of single answers, and their degrees of freedom.

        Both are NaN if the fit leaves nothing.
        """
        return self._once("single", contrast, self._left_of_answers)

    def leverage(self, contrast: Array, factor: str) -> "Leverage":
        """Return how the squares of a factor's totals are corrected, arm by arm.

        Parameters
        ----------
        contrast
            (cells,) weights of the cells' means.
        factor
            ``participant`` or ``item``.
        """
        return self._once(factor, contrast, lambda weights: self._left(weights, factor))

    def levels(self, factor: str) -> int:
        """Return how many participants or items there are."""
        codes = getattr(self.pairs, factor)
        return self._once(f"levels of {factor}", np.zeros(0), lambda _: len(np.unique(codes)))

    def _once(self, of: str, contrast: Array, compute: Callable[[Array], Any]) -> Any:
        key = (of, np.asarray(contrast, dtype=float).tobytes())
        if key not in self._known:
            self._known[key] = compute(contrast)
        return self._known[key]

    def _left_of_answers(self, contrast: Array) -> tuple[float, float]:
        weight = self.weights @ contrast
        whole, pairs = (weight**2).sum(), len(self.pairs.item)
        of_pairs = np.bincount(self.pair, weight) ** 2 / np.bincount(self.pair)
        left = whole * (1 - self.fitted_cells / len(weight))
        left -= of_pairs.sum() * self.fitted_levels / pairs
        if left <= _NONE * whole:
            return np.nan, np.nan
        return float(whole / left), max(1.0, float(whole * left / (weight**4).sum()))

    def _left(self, contrast: Array, factor: str) -> "Leverage":
        kinds = self.kinds[factor]
        code, weight, times = kinds.code, kinds.weights @ contrast, kinds.times
        square, rows = np.bincount(code, times * weight**2), np.bincount(code, times)
        used = np.bincount(code, times * (weight != 0))
        scale = np.divide(used, square, out=np.zeros(len(rows)), where=square > 0)
        mean = np.bincount(code, times * weight) / np.maximum(rows, 1)
        absorbed = self._taken(contrast, mean, factor)
        level = square**2 * scale
        left = level + _lost(absorbed, self._by_cells(kinds, weight, contrast), square, scale)
        return Leverage.of(kinds.arms(contrast), level, left)

    def _taken(self, contrast: Array, mean: Array, factor: str) -> Matrix | None:
        """Return (levels, others) what the other factor's levels absorb, or None if too many."""
        level, other = getattr(self.pairs, factor), getattr(self.pairs, _OTHER[factor])
        times = np.bincount(self.pair)
        rows = np.maximum(np.bincount(other, times), 1.0)
        shape = (len(mean), len(rows))
        if not self.fitted_levels or len(self.pair) > MOST_ROWS or min(shape) > MOST_LEVELS:
            return None
        within = np.bincount(self.pair, self.weights @ contrast) - times * mean[level]
        scaled = within / np.sqrt(rows)[other]
        if shape[0] * shape[1] > MOST_DENSE:
            return sparse.csr_array((scaled, (level, other)), shape=shape)
        matrix = np.zeros(shape)
        matrix[level, other] = scaled
        return matrix

    def _by_cells(self, kinds: "Kinds", weight: Array, contrast: Array) -> Array:
        """Return (levels, cells) what the means of the contrast's cells absorb.

        The means of other cells, which may share rows with these, absorb nothing.
        """
        shares = kinds.weights[:, contrast != 0].T
        size = np.sqrt(shares**2 @ kinds.times)
        return np.column_stack(
            [
                np.bincount(kinds.code, kinds.times * share * weight) / part
                for share, part in zip(shares, size, strict=True)
            ]
        )


@dataclass(frozen=True, slots=True)
class Leverage:
    """How the squares of a factor's totals are corrected, and how well they are known, by arm.

    Attributes
    ----------
    arm
        (levels,) arm of each level, from 0; -1 if the level doesn't count in the contrast.
    times, df
        (arms,) factor of each arm's squares, and their degrees of freedom; NaN if only a single
        level, or none, is left to compare.
    """

    arm: Array
    times: Array
    df: Array

    @classmethod
    def of(cls, arm: Array, level: Array, left: Array) -> "Leverage":
        """Return the leverage by what each level should add (levels,), and what the fit leaves."""
        inside = arm >= 0
        arms = int(arm.max(initial=-1)) + 1
        wanted, fourth, rest = (
            np.bincount(arm[inside], part[inside], minlength=arms)
            for part in (level, level**2, left)
        )
        known = rest > _NONE * wanted
        rest = np.where(known, rest, np.nan)
        count = wanted**2 / np.where(fourth > 0, fourth, np.nan)
        return cls(arm, wanted / rest, np.maximum(count * rest / wanted, 1.0))

    @property
    def arms(self) -> int:
        """How many arms there are; more than one if different levels are compared."""
        return len(self.times)

    def variance(self, totals: Array) -> tuple[Array, Array]:
        """Return the variance that a factor adds, and its degrees of freedom (Welch's), (m,) each.

        Parameters
        ----------
        totals
            (levels, m) the contrast's total of each level.
        """
        if not len(self.times):
            unknown = np.full(totals.shape[1], np.nan)
            return unknown, unknown
        inside = self.arm >= 0
        squares = np.zeros((len(self.times), totals.shape[1]))
        np.add.at(squares, self.arm[inside], totals[inside] ** 2)
        parts = self.times[:, None] * squares
        whole, noise = parts.sum(axis=0), (parts**2 / self.df[:, None]).sum(axis=0)
        fewest = np.min(self.df) if np.isfinite(self.df).all() else np.nan
        return whole, np.divide(whole**2, noise, out=np.full(len(whole), fewest), where=noise > 0)


@dataclass(frozen=True, slots=True)
class Kinds:
    """Rows of one factor, grouped by level and weights.

    Attributes
    ----------
    code, weights, times
        (kinds,) level; (kinds, cells) weights; (kinds,) how many rows.
    """

    code: Array
    weights: Array
    times: Array

    @classmethod
    def of(cls, code: Array, weights: Array, pattern: Array) -> "Kinds":
        """Return the kinds of rows; each row by itself where equal patterns weigh differently."""
        groups = int(pattern.max(initial=0)) + 1
        first = np.zeros(groups, dtype=int)
        first[pattern] = np.arange(len(pattern))
        if not np.array_equal(weights, weights[first[pattern]]):
            return cls(code, weights, np.ones(len(code)))
        _, at, times = np.unique(
            code.astype(np.int64) * groups + pattern, return_index=True, return_counts=True
        )
        return cls(code[at], weights[at], times.astype(float))

    def arms(self, contrast: Array) -> Array:
        """Return (levels,) the arm of each level; -1 if it has no row in the contrast's cells."""
        inside = self.weights[:, contrast != 0] > 0
        seen = np.zeros((int(self.code.max(initial=-1)) + 1, inside.shape[1]), dtype=bool)
        np.logical_or.at(seen, self.code, inside)
        counts = seen.astype(float)
        _, arm = connected_components(counts.T @ counts > 0, directed=False)
        arm_of = np.where(seen.any(axis=1), arm[seen.argmax(axis=1)], -1)
        used = np.unique(arm_of[arm_of >= 0])
        return np.where(arm_of >= 0, np.searchsorted(used, arm_of), -1)


def _lost(absorbed: Matrix | None, cells: Matrix, square: Array, scale: Array) -> Array:
    """Return (levels,) the squares of the rows of (S − A A') √scale, less those of S √scale.

    S = diag(square), A = [absorbed, cells].
    """
    parts = [cells] if absorbed is None else [absorbed, cells]
    diagonal = sum(_squared(part) for part in parts)
    if len(square) <= sum(part.shape[1] for part in parts):
        across = np.sum([_dense(part @ part.T) for part in parts], axis=0)
        inner = across**2 @ scale
    else:
        inner = sum(_rows_of(first, second, scale) for first in parts for second in parts)
    return inner - 2 * scale * square * diagonal


def _rows_of(first: Matrix, second: Matrix, scale: Array) -> Array:
    """Return (levels,) the diagonal of B (B' D C) C' for two blocks B and C, D = diag(scale)."""
    middle = _dense(first.T @ (sparse.diags_array(scale) @ second))
    step = max(1, MOST_DENSE // max(middle.shape[1], 1))
    return np.concatenate(
        [
            (_dense(first[at : at + step] @ middle) * _dense(second[at : at + step])).sum(axis=1)
            for at in range(0, first.shape[0], step)
        ]
    )


def _dense(matrix: Matrix) -> Array:
    return matrix.toarray() if sparse.issparse(matrix) else matrix


def _squared(matrix: Matrix) -> Array:
    """Return the sums of squares of the rows."""
    if sparse.issparse(matrix):
        return np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel()
    return (matrix**2).sum(axis=1)
