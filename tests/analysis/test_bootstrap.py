import numpy as np
import pytest

from analysis import bootstrap
from analysis.bootstrap import Plan, Units, cell_means, percentile_interval


def table(participants=6, items=8, seed=3):
    rng = np.random.default_rng(seed)
    codes = np.array([(p, i) for p in range(participants) for i in range(items)])
    values = rng.integers(0, 2, len(codes)).astype(float)
    cell = rng.integers(-1, 2, len(codes))
    return values, cell, Units(codes[:, 0], codes[:, 1])


def test_weights_give_what_copying_rows_gives():
    """Slow reference: draw names, copy every row as often as both its names were drawn."""
    values, cell, units = table()
    found = cell_means(values[:, None], cell, 2, units, Plan(25, 11))[:, :, 0]
    rng = np.random.Generator(np.random.PCG64(11))
    for replicate in range(25):
        people, items = rng.integers(6, size=6), rng.integers(8, size=8)
        copied = [
            (values[row], cell[row])
            for person in people
            for item in items
            for row in np.flatnonzero((units.participant == person) & (units.item == item))
        ]
        for number in range(2):
            own = [value for value, where in copied if where == number]
            expected = np.mean(own) if own else np.nan
            assert found[replicate, number] == pytest.approx(expected, nan_ok=True)


def test_the_result_does_not_depend_on_how_many_rows_are_held_at_a_time(monkeypatch):
    values, cell, units = table()
    whole = cell_means(values[:, None], cell, 2, units, Plan(40, 5))
    monkeypatch.setattr(bootstrap, "_ROWS_AT_ONCE", 100)
    np.testing.assert_array_equal(whole, cell_means(values[:, None], cell, 2, units, Plan(40, 5)))


def test_item_variance_widens_the_interval():
    """Answers that hang on the item alone: drawing people only would give no spread."""
    units = Units(np.repeat(np.arange(20), 10), np.tile(np.arange(10), 20))
    values = (units.item % 2).astype(float)
    draws = cell_means(values[:, None], np.zeros(200, int), 1, units, Plan(800, 1))[:, 0, 0]
    assert np.std(draws) == pytest.approx(0.5 / np.sqrt(10), rel=0.15)


def test_an_empty_cell_is_nan_and_an_empty_statistic_has_no_interval():
    values, _, units = table()
    draws = cell_means(values[:, None], np.zeros(len(values), int), 2, units, Plan(10, 1))
    assert np.isnan(draws[:, 1]).all()
    assert np.isnan(percentile_interval(draws[:, 1, 0], 0.95)).all()
