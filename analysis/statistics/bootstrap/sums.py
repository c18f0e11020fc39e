"""Weighted sums of a table's columns, in the quicker of two ways.

Whatever is a function of weighted sums (means, ratios, differences, least squares by its
normal equations) needs no copied row: on a crossed table the columns are added up once by
participant and item, and a block of replicates is two matrix products.
"""

from dataclasses import dataclass, field

import numpy as np

from analysis.statistics.bootstrap.draws import Counts, Units

Array = np.ndarray

WEIGHTS_AT_ONCE = 4_000_000
LARGEST_TABLE = 40_000_000  # numbers, .3 GB
_GATHER = 30  # what fetching and multiplying a row's weights costs, in multiplications


@dataclass(frozen=True, slots=True)
class Sums:
    """Columns of which weighted sums will be taken.

    Attributes
    ----------
    columns
        (n, k) float64.
    units
        Participant and item of each row.
    """

    columns: Array
    units: Units
    _table: Array | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_table", self._crossed() if self._is_crossed() else None)

    def total(self) -> Array:
        """Return the sums with every weight 1, (k,)."""
        return self.columns.sum(axis=0)

    def of(self, counts: Counts) -> Array:
        """Return the weighted sums of a block of replicates, (r, k)."""
        if self._table is not None:
            return self._by_table(self._table, counts)
        step = max(1, WEIGHTS_AT_ONCE // max(self.units.rows, 1))
        parts = [
            counts.part(start, start + step).rows(self.units) @ self.columns
            for start in range(0, len(counts), step)
        ]
        return np.concatenate(parts)

    def by_participant(self) -> Array:
        """Return every participant's own sums, (participants, k)."""
        return _grouped(self.columns, self.units.participant, self.units.participants)

    def by_item(self) -> Array:
        """Return every item's own sums, (items, k)."""
        return _grouped(self.columns, self.units.item, self.units.items)

    def _is_crossed(self) -> bool:
        n, k = self.columns.shape
        cells = self.units.participants * self.units.items
        return cells * k <= min(n * (_GATHER + k), LARGEST_TABLE)

    def _crossed(self) -> Array:
        """Return the sums by participant and item, (participants, items × k)."""
        units, k = self.units, self.columns.shape[1]
        place = units.participant * units.items + units.item
        table = _grouped(self.columns, place, units.participants * units.items)
        return table.reshape(units.participants, units.items * k)

    def _by_table(self, table: Array, counts: Counts) -> Array:
        k = self.columns.shape[1]
        people, items = len(table), self.units.items
        step = max(1, WEIGHTS_AT_ONCE // max(items * k, 1))
        sums = np.empty((len(counts), k))
        for start in range(0, len(counts), step):
            part = counts.part(start, start + step)
            by_item = (part.participant[:, :people] @ self._table).reshape(len(part), items, k)
            sums[start : start + step] = np.einsum("ri,rik->rk", part.item[:, :items], by_item)
        return sums


def _grouped(columns: Array, code: Array, groups: int) -> Array:
    return np.column_stack(
        [np.bincount(code, weights=column, minlength=groups) for column in columns.T]
    ).reshape(groups, columns.shape[1])
