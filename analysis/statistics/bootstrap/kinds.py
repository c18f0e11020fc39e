"""Replicates of the means of a table's cells, and of how many rows of each kind are drawn.

A large table has few kinds of rows: rounds of one image by one method end at one of a few steps.
Rows of one kind and one item differ only in who they are from. So people are drawn by one product
with a sparse matrix of the participants' numbers of rows, and items by weighing its columns. All
sums are whole numbers: they are exact, in whatever order they are added up.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from analysis.statistics.bootstrap.draws import Counts, Resampling, Units
from analysis.statistics.bootstrap.resample import Bootstrap, each_block
from analysis.statistics.bootstrap.sums import WEIGHTS_AT_ONCE, Sums

Array = np.ndarray

_LARGEST_SINGLE = 2**24
"""Up to here float32 holds every whole number."""


@dataclass(frozen=True, slots=True)
class Kinds:
    """Rows of one kind and one item taken together: groups of rows.

    Attributes
    ----------
    item, kind
        (m,) item and kind of each group.
    kinds
        Number of kinds.
    people
        (m, participants) how many rows of each group are a participant's.
    """

    item: Array
    kind: Array
    kinds: int
    people: csr_array[Any, tuple[int, int]]

    @classmethod
    def of(cls, kind: Array, kinds: int, units: Units) -> "Kinds":
        """Return the groups of rows of given kinds, (n,) from 0, and units."""
        code, group = np.unique(units.item * kinds + kind, return_inverse=True)
        ones = np.ones(len(group), dtype=np.float32)
        people: Any = csr_array((ones, (group, units.participant)), (len(code), units.participants))
        largest = units.participants * float(people.max()) if len(group) else 0.0
        if largest >= _LARGEST_SINGLE:
            people = people.astype(float)
        return cls(code // kinds, code % kinds, kinds, people)

    def by_people(self, participant: Array) -> Array:
        """Return how many rows of each group are drawn with people alone, (r, m)."""
        drawn = np.ascontiguousarray(participant.T, dtype=self.people.dtype)
        return np.asarray(self.people @ drawn).T.astype(float)

    def drawn(self, counts: Counts) -> Array:
        """Return how many rows of each kind are drawn, (r, kinds)."""
        groups = np.arange(len(self.kind))
        adding = csr_array((np.ones(len(groups)), (groups, self.kind)), (len(groups), self.kinds))
        step = max(1, WEIGHTS_AT_ONCE // max(len(groups), 1))
        parts = [counts.part(at, at + step) for at in range(0, len(counts), step)]
        return np.concatenate(
            [(self.by_people(p.participant) * p.item[:, self.item]) @ adding for p in parts]
        )


def bootstrap_kinds(
    kind: Array, kinds: int, statistic: Callable[[Array], Array], units: Units, plan: Resampling
) -> Bootstrap:
    """Resample a statistic of the numbers of rows by kind, drawn as in `bootstrap_sums`.

    Parameters
    ----------
    kind, kinds
        (n,) kind of each row from 0, and the number of kinds.
    statistic
        From numbers (r, kinds) to values (r, q); NaN where there is none.
    units, plan
        What is drawn, and how often.
    """
    groups = Kinds.of(kind, kinds, units)
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = statistic(np.bincount(kind, minlength=kinds)[None].astype(float))[0]
    return Bootstrap(
        estimate, each_block(lambda counts: statistic(groups.drawn(counts)), units, plan)
    )


def cell_means(values: Array, cell: Array, cells: int, units: Units, plan: Resampling) -> Array:
    """Return bootstrap replicates of the mean of every cell, drawn as in `bootstrap_sums`.

    Parameters
    ----------
    values
        (n, m) columns to average, e.g. acceptance at m decision times.
    cell
        (n,) cell of each row, -1 for none.
    cells
        Number of cells.
    units
        Participant and item of each row.
    plan
        Replicates and seed.

    Returns
    -------
    ndarray
        (replicates, cells, m); NaN where a replicate drew no row of a cell.
    """
    if units.rows == 0:
        return np.full((plan.replicates, cells, values.shape[1]), np.nan)
    counted = np.column_stack([np.ones(len(values)), values])
    own = [
        Sums(counted[rows], units.of_rows(rows))
        for rows in (np.flatnonzero(cell == number) for number in range(cells))
    ]

    def average(counts: Counts) -> Array:
        sums = np.stack([part.of(counts) for part in own], axis=1)
        return sums[:, :, 1:] / sums[:, :, :1]

    return each_block(average, units, plan)
