"""How much of a level's deviation is left after the fit, and its degrees of freedom.

The fit takes part of what varies between participants away: a cell's mean takes their mean, and
items' levels take what participants add who saw the same items in the same cells. Squares of
totals are too small by that much, by a seventh with sixteen items that rotate over four lists.
The correction supposes that each level of a factor adds a deviation of its own in the direction
of the contrast, of the same variance everywhere (a scalar form of Bell & McCaffrey 2002, Surv.
Methodol. 28; Pustejovsky & Tipton 2018, J. Bus. Econ. Stat. 36).
"""

from dataclasses import dataclass, field

import numpy as np
from scipy import sparse

from analysis.statistics.bootstrap.draws import Units

Array = np.ndarray

MOST_DENSE = 40_000_000
MOST_LEVELS = 4000
"""Levels of the smaller factor beyond which what the other factor's levels take is neglected."""
_NONE = 1e-9


@dataclass(frozen=True, slots=True)
class Design:
    """Which participant saw which item how often, and how the cells' weight lies on them.

    Attributes
    ----------
    pairs
        Units of the pairs of participant and item that occur.
    rows
        (pairs,) rows of each.
    shares, squares
        (pairs, cells) sums of rows' shares of their cell's weight, and of the shares' squares.
    """

    pairs: Units
    rows: Array
    shares: Array
    squares: Array
    _known: dict[tuple[str, bytes], tuple[float, float]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def leverage(self, contrast: Array, factor: str) -> tuple[float, float]:
        """Return by what to multiply the squares of totals, and their degrees of freedom.

        Parameters
        ----------
        contrast
            (cells,) weights of the cells' means.
        factor
            ``participant`` or ``item``.

        Returns
        -------
        tuple
            NaN twice where a single level, or none, is left to compare with.
        """
        key = (factor, np.asarray(contrast, dtype=float).tobytes())
        if key not in self._known:
            self._known[key] = self._left(contrast, factor)
        return self._known[key]

    def _left(self, contrast: Array, factor: str) -> tuple[float, float]:
        own, other = getattr(self.pairs, factor), getattr(self.pairs, _OTHER[factor])
        levels = int(own.max()) + 1
        square = np.bincount(own, self.squares @ contrast**2, levels)
        used = self.squares @ (contrast != 0) > 0
        scale = np.divide(
            np.bincount(own, self.rows * used, levels),
            square,
            out=np.zeros(levels),
            where=square > 0,
        )
        weight = self.shares @ contrast
        mean = np.bincount(own, weight, levels) / _rows_of(own, self.rows)
        taken = self._taken(weight - self.rows * mean[own], own, other)
        level = square**2 * scale
        wanted = level.sum()
        left = wanted + _lost(taken, self._by_cells(contrast, own), square, scale)
        if left <= _NONE * wanted:
            return np.nan, np.nan
        count = wanted**2 / (level**2).sum()
        return float(wanted / left), max(1.0, float(count * left / wanted))

    def _taken(self, within: Array, own: Array, other: Array) -> Array | None:
        """Return (levels, others) what the other factor's levels take, or None if too many."""
        rows = _rows_of(other, self.rows)
        shape = (int(own.max()) + 1, len(rows))
        if min(shape) > MOST_LEVELS:
            return None
        scaled = within / np.sqrt(rows)[other]
        if shape[0] * shape[1] > MOST_DENSE:
            return sparse.csr_array((scaled, (own, other)), shape=shape)
        matrix = np.zeros(shape)
        matrix[own, other] = scaled
        return matrix

    def _by_cells(self, contrast: Array, own: Array) -> Array:
        """Return (levels, cells) what the cells' means take."""
        size = np.sqrt(self.squares.sum(axis=0))  # 1 / √rows, where all rows weigh alike
        levels = int(own.max()) + 1
        return np.column_stack(
            [
                np.bincount(own, share, levels) * weight
                for share, weight in zip(self.shares.T, contrast * size, strict=True)
            ]
        )


_OTHER = {"participant": "item", "item": "participant"}


def _rows_of(code: Array, rows: Array) -> Array:
    return np.maximum(np.bincount(code, rows), 1.0)


def _lost(taken: Array | None, cells: Array, square: Array, scale: Array) -> float:
    """Return ‖(S − A A') √scale‖² − ‖S √scale‖² with S = diag(square), A = [taken, cells].

    By the smaller of A A' and A' A.
    """
    parts = [cells] if taken is None else [taken, cells]
    diagonal = sum(_squared(part) for part in parts)
    if len(square) <= sum(part.shape[1] for part in parts):
        across = sum(_dense(part @ part.T) for part in parts)
        inner = ((across**2).sum(axis=0) * scale).sum()
    else:
        inner = sum(
            (_dense(one.T @ other) * _dense(one.T @ (sparse.diags_array(scale) @ other))).sum()
            for one in parts
            for other in parts
        )
    return float(inner - 2 * (scale * square * diagonal).sum())


def _dense(matrix: Array) -> Array:
    return matrix.toarray() if sparse.issparse(matrix) else matrix


def _squared(matrix: Array) -> Array:
    """Return the sums of squares of the rows."""
    if sparse.issparse(matrix):
        return np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel()
    return (matrix**2).sum(axis=1)
