"""Draw participants and items for the bootstrap, and compute sums weighted by the draws.

Many statistics are functions of weighted sums of a table's columns: means, ratios, differences,
least squares by the normal equations. They need no copies of rows. In a crossed table, the columns
are added up once by participant and item; a block of replicates is then two matrix products. `Sums`
uses this or weights of single rows, whichever is faster.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import pandas as pd

Array = np.ndarray
Means = Literal["two_way", "bootstrap"]
People = Literal["random", "fixed"]

BLOCK = 256
"""Replicates that one generator draws. It is part of what a seed means: whatever the
number of workers or of rows, replicate 300 comes from the second block's generator."""

WEIGHTS_AT_ONCE = 4_000_000
LARGEST_TABLE = 40_000_000  # numbers, .3 GB
_GATHER = 30  # cost of fetching and multiplying a row's weights, in multiplications


@dataclass(frozen=True, slots=True)
class Units:
    """Which participant and which item each row belongs to.

    Attributes
    ----------
    participant, item
        (n,) codes from 0.
    """

    participant: Array
    item: Array

    @classmethod
    def of(cls, participants: Iterable[str], items: Iterable[str]) -> "Units":
        """Return the units of rows given by names."""
        return cls(_codes(participants), _codes(items))

    def of_rows(self, rows: Array) -> "Units":
        """Return the units of some rows, under the same codes."""
        return Units(self.participant[rows], self.item[rows])

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.participant)

    @property
    def participants(self) -> int:
        """Number of participants."""
        return int(self.participant.max()) + 1 if len(self.participant) else 0

    @property
    def items(self) -> int:
        """Number of items."""
        return int(self.item.max()) + 1 if len(self.item) else 0


def _codes(names: Iterable[str]) -> Array:
    """Return (n,) each name's place among the sorted ones; only distinct names are sorted."""
    cells = names if isinstance(names, pd.Series) else pd.Series(list(names))
    codes, distinct = pd.factorize(cells.to_numpy(dtype=object), use_na_sentinel=False)
    return np.unique(distinct.astype(str), return_inverse=True)[1][codes]


@dataclass(frozen=True, slots=True)
class Resampling:
    """How many replicates are drawn, from which seed, and what is resampled.

    Attributes
    ----------
    replicates
        Number of replicates.
    seed
        Root of every block's generator (PCG64, spawned by the block's number).
    drawn
        ``both``: participants and items, independently; ``participants``: items are
        fixed, so that the answer is for these items alone.
    means
        Where intervals of means come from: ``two_way``, the variance over participants and items
        (`analysis.statistics.two_way`), or ``bootstrap``, the replicates.
    people
        ``fixed`` if intervals of means are about these participants alone; two-way only.
    """

    replicates: int
    seed: int
    drawn: Literal["both", "participants"] = "both"
    means: Means = "two_way"
    people: People = "random"

    def units(self, units: Units) -> Units:
        """Return the units that are resampled; if items are fixed, all rows share one item."""
        if self.drawn == "both":
            return units
        return Units(units.participant, np.zeros(units.rows, dtype=int))

    def for_people(self, units: Units, few: int) -> "Resampling":
        """Return the plan for these rows: about their participants alone if these are few.

        They are if there are fewer than `few`, and several items, which then are what varies.
        Percentile intervals of few participants are too narrow, so these are always two-way.
        """
        people, items = (len(np.unique(code)) for code in (units.participant, units.item))
        if people >= few or items < 2:
            return self
        return replace(self, people="fixed", means="two_way")

    def at_most(self, replicates: int) -> "Resampling":
        """Return the same plan with at most this many replicates."""
        return replace(self, replicates=min(self.replicates, replicates))


@dataclass(frozen=True, slots=True)
class Counts:
    """How often each participant and each item was drawn, replicate by replicate.

    Attributes
    ----------
    participant, item
        (r, participants) and (r, items) float64, whole numbers; each row of them adds up to the
        number of units, or is all ones if they aren't drawn.
    """

    participant: Array
    item: Array

    def __len__(self) -> int:
        return len(self.participant)

    def part(self, start: int, stop: int) -> "Counts":
        """Return some of the replicates."""
        return Counts(self.participant[start:stop], self.item[start:stop])

    def rows(self, units: Units) -> Array:
        """Return every row's weight, (r, n): the product of its two units' counts."""
        weights = self.participant[:, units.participant]
        weights *= self.item[:, units.item]
        return weights


def draw_block(units: Units, plan: Resampling, block: int) -> Counts:
    """Return the counts of one block of replicates.

    A single participant, or a single item, is always drawn once: its count is 1.
    """
    size = min(BLOCK, plan.replicates - block * BLOCK)
    seed = np.random.SeedSequence(plan.seed, spawn_key=(block,))
    rng = np.random.Generator(np.random.PCG64(seed))
    participants = _multinomial(rng, size, units.participants)
    fixed = plan.drawn == "participants"
    items = np.ones((size, units.items)) if fixed else _multinomial(rng, size, units.items)
    return Counts(participants, items)


def blocks(plan: Resampling) -> Iterator[int]:
    """Yield the numbers of a plan's blocks."""
    yield from range(-(-plan.replicates // BLOCK))


def _multinomial(rng: np.random.Generator, size: int, units: int) -> Array:
    if units < 2:
        return np.ones((size, units))
    drawn = rng.integers(units, size=(size, units))
    drawn += np.arange(size)[:, None] * units
    counts = np.bincount(drawn.ravel(), minlength=size * units)
    return counts.reshape(size, units).astype(float)


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
        """Return the sums if every weight is 1, (k,)."""
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
