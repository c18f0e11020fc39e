"""Blocks of rows drawn as the published study draws them: people, then items, as row weights."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from analysis.statistics.bootstrap import Units

Array = np.ndarray

BLOCK: Final = 500
"""Replicates of one generator, fewer in large tables; part of what a seed means."""
WEIGHTS_AT_ONCE: Final = 2_000_000
MOST_WEIGHTS: Final = 500_000_000
"""Rows × replicates; tables with more rows have fewer replicates."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How often is drawn, and from which seed."""

    replicates: int
    seed: int

    def rng(self, block: int) -> np.random.Generator:
        """Return the generator of a block."""
        seed = np.random.SeedSequence(self.seed, spawn_key=(block,))
        return np.random.Generator(np.random.PCG64(seed))

    def sizes(self, rows: int) -> list[int]:
        """Return the replicates of each block of a table with so many rows."""
        block = max(1, min(BLOCK, WEIGHTS_AT_ONCE // max(rows, 1)))
        most = max(block, MOST_WEIGHTS // max(rows, 1))
        full, rest = divmod(min(self.replicates, most), block)
        return [block] * full + [rest] * (rest > 0)


def each_block(
    compute: Callable[[np.random.Generator, int], Array], plan: Plan, rows: int
) -> Array:
    """Return what a function of a generator and a number of replicates gives, block after block.

    Parameters
    ----------
    compute
        Returns (replicates, …).
    plan
        How often is drawn.
    rows
        Of the table.
    """
    sizes = enumerate(plan.sizes(rows))
    return np.concatenate([compute(plan.rng(block), size) for block, size in sizes])


class TrimmedBlocks:
    """People's blocks are drawn until the rows are as many as before, the rest is cut; then items'.

    Whole blocks are drawn with replacement, each as likely as any other, until they hold as many
    rows as the table; of the last block the rows beyond are cut. With the items that are in the
    result the same is done again. A row's weight is how often it is in the final table.

    Parameters
    ----------
    units
        Participant and item of each row, in the table's order.
    """

    def __init__(self, units: Units) -> None:
        self._units, self._n = units, units.rows
        self._size = np.bincount(units.participant, minlength=units.participants)
        order = np.argsort(units.participant, kind="stable")
        starts = np.cumsum(self._size) - self._size
        self._rank = np.empty(self._n, dtype=int)
        self._rank[order] = np.arange(self._n) - starts[units.participant[order]]
        self._of_items = _Totals(units.item, units.items)
        self._rows_of = _lookup(units)

    def weights(self, rng: np.random.Generator, replicates: int) -> Array:
        """Return (replicates, n) weights; each row of them adds up to n."""
        people = self.draw_people(rng, replicates)
        first = self.of_people(people)
        return self.of_items(people, first, rng)

    def draw_people(self, rng: np.random.Generator, replicates: int) -> Array:
        """Return (replicates, draws) people in the order drawn, enough for all rows."""
        width = int(1.25 * self._n / self._size.mean()) + 4
        drawn = rng.integers(len(self._size), size=(replicates, width))
        while (self._size[drawn].sum(axis=1) < self._n).any():
            more = rng.integers(len(self._size), size=(replicates, width))
            drawn = np.concatenate([drawn, more], axis=1)
        return drawn

    def of_people(self, people: Array) -> Array:
        """Return (replicates, n) how often each row is in the table of drawn people."""
        whole, last, rest = _until(self._size[people], self._n)
        counts = _counts(people, whole, len(self._size))
        first = counts[:, self._units.participant]
        of_last = people[np.arange(len(people)), last]
        cut = self._units.participant[None] == of_last[:, None]
        first += cut & (self._rank[None] < rest[:, None])
        return first

    def of_items(self, people: Array, first: Array, rng: np.random.Generator) -> Array:
        """Return (replicates, n) weights after items were drawn from the table of people."""
        sizes = self._of_items.of(first)
        there = sizes > 0
        number = there.sum(axis=1)
        # Codes of the items that are there, packed to the left.
        packed = np.argsort(~there, axis=1, kind="stable")
        width = int(1.25 * number.max()) + 4
        drawn = np.empty((len(first), 0), dtype=int)
        held = np.zeros(len(first), dtype=int)
        while (held < self._n).any():
            picks = (rng.random((len(first), width)) * number[:, None]).astype(int)
            drawn = np.concatenate([drawn, np.take_along_axis(packed, picks, axis=1)], axis=1)
            held = np.take_along_axis(sizes, drawn, axis=1).sum(axis=1)
        whole, last, rest = _until(np.take_along_axis(sizes, drawn, axis=1), self._n)
        counts = _counts(drawn, whole, self._units.items)
        weights = first * counts[:, self._units.item]
        of_last = drawn[np.arange(len(drawn)), last]
        self._add_part(weights, people, of_last, rest)
        return weights

    def _add_part(self, weights: Array, people: Array, item: Array, rest: Array) -> None:
        """Add the first rows of an item's block, in the order in which people were drawn."""
        before = np.cumsum(self._size[people], axis=1) - self._size[people]
        rows = self._rows_of[people, item[:, None]]  # (replicates, draws, most)
        inside = rows >= 0
        inside &= before[..., None] + self._rank[rows] < self._n
        flat, there = rows.reshape(len(rows), -1), inside.reshape(len(rows), -1)
        taken = there & (np.cumsum(there, axis=1) <= rest[:, None])
        replicate, place = np.nonzero(taken)
        np.add.at(weights, (replicate, flat[replicate, place]), 1)


class _Totals:
    """Sums of rows by a code of which every level occurs."""

    def __init__(self, code: Array, levels: int) -> None:
        self._order = np.argsort(code, kind="stable")
        self._starts = np.searchsorted(code[self._order], np.arange(levels))

    def of(self, weights: Array) -> Array:
        """Return (replicates, levels) sums of weights (replicates, n)."""
        return np.add.reduceat(weights[:, self._order], self._starts, axis=1)


def same_number(units: Units, rng: np.random.Generator, replicates: int) -> Array:
    """Return (replicates, n) weights of as many people's blocks as there are, then as many items'.

    Nothing is cut. Items are drawn from those that the drawn people answered.
    """
    people = rng.integers(units.participants, size=(replicates, units.participants))
    first = _counts(people, np.full(replicates, units.participants), units.participants)
    first = first[:, units.participant]
    there = _Totals(units.item, units.items).of(first) > 0
    number = there.sum(axis=1)
    packed = np.argsort(~there, axis=1, kind="stable")
    picks = (rng.random((replicates, units.items)) * number[:, None]).astype(int)
    drawn = np.take_along_axis(packed, picks, axis=1)
    return first * _counts(drawn, number, units.items)[:, units.item]


def _until(sizes: Array, rows: int) -> tuple[Array, Array, Array]:
    """Return how many draws are whole, the place of the next one, and how many rows it gives."""
    held = np.cumsum(sizes, axis=1)
    whole = (held <= rows).sum(axis=1)
    last = np.minimum(whole, sizes.shape[1] - 1)
    every = np.arange(len(sizes))
    before = np.where(whole > 0, held[every, np.maximum(whole - 1, 0)], 0)
    return whole, last, rows - before


def _counts(drawn: Array, whole: Array, levels: int) -> Array:
    """Return (replicates, levels) how often each level is among the first so many draws."""
    valid = np.arange(drawn.shape[1]) < whole[:, None]
    codes = drawn + np.arange(len(drawn))[:, None] * levels
    counts = np.bincount(codes[valid], minlength=len(drawn) * levels)
    return counts.reshape(len(drawn), levels)


def _lookup(units: Units) -> Array:
    """Return (people, items, most) rows of each person and item; −1 where there are fewer."""
    pair = units.participant * units.items + units.item
    order = np.argsort(pair, kind="stable")
    ordered = pair[order]
    place = np.arange(len(order)) - np.searchsorted(ordered, ordered)
    table = np.full((units.participants * units.items, int(place.max(initial=0)) + 1), -1)
    table[ordered, place] = order
    return table.reshape(units.participants, units.items, -1)
