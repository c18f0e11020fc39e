"""The published draws against a slow loop that copies rows."""

import numpy as np
import pytest

from analysis.statistics.bootstrap import Units
from analysis.studies.simulatability.resampled_tables import (
    Plan,
    TrimmedBlocks,
    each_block,
)


def table_of(seed, people=7, items=9):
    """Return units in mixed order, some cells empty, one person with an item twice."""
    rng = np.random.default_rng(seed)
    cells = [(p, i) for p in range(people) for i in range(items) if rng.random() < 0.8]
    cells.append(cells[3])
    rows = rng.permutation(len(cells))
    person, item = np.array(cells)[rows].T
    return Units(person, item)


def until(blocks, rows):
    """Copy blocks of rows one after the other, and cut the last where there are enough."""
    table = []
    for block in blocks:
        table += block
        if len(table) >= rows:
            return table[:rows]
    raise AssertionError("too few blocks")


def slow_weights(units, people, picks):
    """Draw people's blocks, then items' blocks from what was drawn; count the rows."""
    every = range(units.rows)
    first = until(([r for r in every if units.participant[r] == p] for p in people), units.rows)
    there = sorted({int(units.item[row]) for row in first})
    drawn = (there[int(pick * len(there))] for pick in picks)
    second = until(([r for r in first if units.item[r] == i] for i in drawn), units.rows)
    return np.bincount(second, minlength=units.rows)


class Replayed:
    """A generator whose uniform draws are kept, for the slow loop to use again."""

    def __init__(self, seed):
        self._rng, self.kept = np.random.default_rng(seed), []

    def random(self, size):
        self.kept.append(self._rng.random(size))
        return self.kept[-1]


@pytest.mark.parametrize("seed", range(3))
def test_weights_are_those_of_copied_and_trimmed_blocks(seed):
    units = table_of(seed)
    blocks = TrimmedBlocks(units)
    people = blocks.draw_people(np.random.default_rng(seed), 40)
    rng = Replayed(seed)
    weights = blocks.of_items(people, blocks.of_people(people), rng)
    picks = np.concatenate(rng.kept, axis=1)
    slow = [slow_weights(units, *draws) for draws in zip(people.tolist(), picks, strict=True)]
    np.testing.assert_array_equal(weights, slow)
    assert (weights.sum(axis=1) == units.rows).all()


def test_a_seed_means_the_same_replicates_however_many_are_asked():
    def drawn(replicates):
        return each_block(lambda rng, size: rng.random((size, 2)), Plan(replicates, 3), 100)

    np.testing.assert_array_equal(drawn(700)[:500], drawn(500))
    assert len(drawn(700)) == 700


def test_large_tables_are_drawn_in_smaller_blocks_and_less_often():
    assert sum(Plan(25_000, 1).sizes(2_166)) == 25_000
    large = Plan(25_000, 1).sizes(1_000_000)
    assert max(large) == 2
    assert sum(large) == 500
