"""Levels of participants and items by least squares, and how much they count in each cell."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import LinearOperator, cg

from analysis.statistics.bootstrap.draws import Units

Array = np.ndarray

MOST_SOLVED = 4000
"""Levels of the smaller factor, cells included, up to which the equations are solved directly."""
_ZERO = 1e-12  # what rounding leaves of a variance that is zero
_RIDGE = 1e-9  # the levels of cells, participants and items aren't determined without one another


@dataclass(frozen=True, slots=True)
class Effects:
    """What each participant and each item adds to an answer.

    Attributes
    ----------
    participant, item
        (participants, m) and (items, m); zero on average over the rows of each part of the table
        that no participant and no item connects to the rest, so that the level of such a part
        belongs to neither.
    parts
        Number of such parts; 1 in a usual design.
    """

    participant: Array
    item: Array
    parts: int


@dataclass(frozen=True, slots=True)
class Equations:
    """The normal equations of cells + participants + items, for any answers of the same rows.

    Attributes
    ----------
    units
        Participant and item of each row.
    large, rest
        (n, levels) which level of the larger factor a row belongs to; which of all others.
    swapped
        Whether items are the larger factor.
    part, parts
        As in `Effects`: (n,) the part that each row is in, and their number.
    across, share, inner
        What the rest has in common with the larger factor; one over its levels' rows; the
        rest's equations once it is eliminated.
    """

    units: Units
    large: sparse.csr_array
    rest: sparse.csr_array
    swapped: bool
    part: Array
    parts: int
    across: sparse.csr_array
    share: sparse.dia_array
    inner: sparse.csr_array

    @classmethod
    def of(cls, cell: Array, units: Units) -> "Equations":
        """Return the equations of rows.

        Parameters
        ----------
        cell
            (n,) cell of each row, from 0.
        units
            As the attribute.
        """
        people, items = _indicator(units.participant), _indicator(units.item)
        swapped = people.shape[1] < items.shape[1]
        large, small = (items, people) if swapped else (people, items)
        rest = sparse.hstack([small, _indicator(cell)], format="csr")
        rows = np.maximum(np.asarray(large.sum(axis=0)).ravel(), 1.0)
        share = sparse.diags_array(1 / rows)
        across = (large.T @ rest).tocsr()
        inner = (rest.T @ rest - across.T @ (share @ across)).tocsr()
        part, parts = _parts(people, items, units)
        return cls(units, large, rest, swapped, part, parts, across, share, inner)

    def effects(self, values: Array) -> Effects:
        """Return the effects that fit each column of answers (n, m) best, by least squares."""
        of_large = self.large.T @ values
        target = self.rest.T @ values - self.across.T @ (self.share @ of_large)
        of_rest = _symmetric(self.inner, target)
        large = self.share @ (of_large - self.across @ of_rest)
        units = self.units
        small = of_rest[: units.participants if self.swapped else units.items]
        participant, item = (small, large) if self.swapped else (large, small)
        return Effects(
            _centred(participant, units.participant, self.part, self.parts),
            _centred(item, units.item, self.part, self.parts),
            self.parts,
        )


def slopes(values: Array, cell: Array) -> Array:
    """Return how much participants' and items' levels count in each cell, from 0 to 1.

    Shares of answers 0 or 1 move with p (1 - p), the slope of the logistic curve, and so hardly at
    all near 0 and 1; other means move alike. The levels are an average row's. In a cell that moves
    more than that they count as they are: enlarged, their noise would count for more than the
    levels do if there are a few hard rows among many easy ones.

    Parameters
    ----------
    values, cell
        (n, m) answers, and (n,) the cell of each, from 0.

    Returns
    -------
    ndarray
        (cells, m)
    """
    rows = np.bincount(cell)
    share = (_indicator(cell).T @ values) / np.maximum(rows, 1)[:, None]
    slope = share * (1 - share)
    average = rows @ slope / len(values)
    shares = ((values == 0) | (values == 1)).all(axis=0) & (average > _ZERO)
    return np.where(shares, np.minimum(slope / np.where(shares, average, 1.0), 1.0), 1.0)


def _indicator(code: Array) -> sparse.csr_array:
    """Return (n, groups) with a 1 in each row, at its group."""
    n = len(code)
    ends = (np.ones(n), code, np.arange(n + 1))
    return sparse.csr_array(ends, shape=(n, int(code.max()) + 1))


def _symmetric(matrix: sparse.csr_array, target: Array) -> Array:
    """Solve equations of which some follow from others."""
    size = matrix.shape[0]
    ridge = _RIDGE * max(float(matrix.diagonal().max()), 1e-12)
    if size <= MOST_SOLVED:
        factor = cho_factor(matrix.toarray() + ridge * np.eye(size))
        solution = cho_solve(factor, target)
        return solution + cho_solve(factor, target - matrix @ solution)
    operator = LinearOperator(matrix.shape, matvec=lambda v: matrix @ v + ridge * v)
    scale = sparse.diags_array(1 / (matrix.diagonal() + ridge))
    solve: Any = cg
    return np.column_stack(
        [solve(operator, column, rtol=1e-10, maxiter=2000, M=scale)[0] for column in target.T]
    )


def _parts(people: sparse.csr_array, items: sparse.csr_array, units: Units) -> tuple[Array, int]:
    """Return (n,) the connected part of the table each row is in, and their number."""
    across = people.T @ items
    graph = sparse.block_array([[None, across], [across.T, None]], format="csr")
    _, label = connected_components(graph, directed=False)
    used, part = np.unique(label[units.participant], return_inverse=True)
    return part, len(used)


def _centred(effect: Array, code: Array, part: Array, parts: int) -> Array:
    """Take from each part's levels their mean over its rows; levels without a row become 0."""
    rows = np.bincount(code, minlength=len(effect)).astype(float)
    of_level = np.zeros(len(effect), dtype=int)
    of_level[code] = part
    total = np.zeros((parts, effect.shape[1]))
    np.add.at(total, of_level, rows[:, None] * effect)
    mean = total / np.maximum(np.bincount(of_level, weights=rows, minlength=parts), 1)[:, None]
    return np.where(rows[:, None] > 0, effect - mean[of_level], 0.0)
