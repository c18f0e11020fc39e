import doctest

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from analysis.statistics.bootstrap import (
    Resampling,
    Units,
    acceleration,
    bootstrap_kinds,
    bootstrap_sums,
    bootstrap_weights,
    cell_means,
    centred_p,
    draws,
    percentile_interval,
    resample,
)
from analysis.statistics.bootstrap.draws import BLOCK, draw_block


def table(participants=6, items=8, seed=3, gaps=0.2):
    """Answers of people to items, some missing, some given twice."""
    rng = np.random.default_rng(seed)
    codes = np.array([(p, i) for p in range(participants) for i in range(items)])
    codes = np.concatenate([codes[rng.random(len(codes)) > gaps], codes[:3], codes[-1:]])
    y = rng.normal(size=len(codes)) + 0.3 * codes[:, 1]
    x = rng.integers(0, 2, len(codes)).astype(float)
    return y, x, Units(codes[:, 0], codes[:, 1])


def copied_rows(units, plan, replicate):
    """Slow reference: draw names as the plan does, copy every row of both drawn names."""
    counts = draw_block(units, plan, replicate // BLOCK)
    rows = []
    for person, often in enumerate(counts.participant[replicate % BLOCK].astype(int)):
        for item, times in enumerate(counts.item[replicate % BLOCK].astype(int)):
            own = np.flatnonzero((units.participant == person) & (units.item == item))
            rows += [row for row in own for _ in range(often * times)]
    return np.array(rows, dtype=int)


def slope_columns(y, x):
    return np.column_stack([np.ones(len(y)), x, x * x, y, x * y])


def slope(s):
    n, x, xx, y, xy = np.moveaxis(s, -1, 0)
    return (n * xy - x * y) / (n * xx - x * x)


def mean_of(y):
    return np.column_stack([y, np.ones(len(y))]), lambda s: s[..., 0] / s[..., 1]


@pytest.mark.parametrize("drawn", ["both", "participants"])
@pytest.mark.parametrize("way", ["table", "rows"])
def test_a_regression_by_weights_is_that_of_copied_rows(monkeypatch, way, drawn):
    y, x, units = table()
    monkeypatch.setattr(draws, "LARGEST_TABLE", 0 if way == "rows" else draws.LARGEST_TABLE)
    plan = Resampling(300, 11, drawn)
    found = bootstrap_sums(slope_columns(y, x), slope, units, plan)
    for replicate in (*range(20), *range(250, 262)):
        rows = copied_rows(units, plan, replicate)
        expected = stats.linregress(x[rows], y[rows]).slope if np.ptp(x[rows]) else np.nan
        assert found.replicates[replicate, 0] == pytest.approx(expected, nan_ok=True)
    assert found.estimate[0] == pytest.approx(stats.linregress(x, y).slope)


def test_cell_means_are_those_of_copied_rows_and_an_empty_cell_is_nan():
    y, x, units = table()
    cell = np.where(np.arange(len(y)) % 5 == 0, -1, x.astype(int))
    plan = Resampling(25, 7)
    found = cell_means(y[:, None], cell, 3, units, plan)[:, :, 0]
    for replicate in range(25):
        rows = copied_rows(units, plan, replicate)
        for number in range(2):
            own = y[rows[cell[rows] == number]]
            assert found[replicate, number] == pytest.approx(own.mean() if len(own) else np.nan)
    assert np.isnan(found[:, 2]).all()
    assert np.isnan(percentile_interval(found[:, 2], 0.95)).all()


@settings(max_examples=20)
@given(st.integers(0, 2**31), st.integers(2, 12), st.integers(2, 12))
def test_both_ways_of_summing_and_any_chunks_agree(seed, participants, items):
    y, x, units = table(participants, items, seed)
    plan = Resampling(300, seed)
    columns = slope_columns(y, x)
    found = bootstrap_sums(columns, lambda s: s, units, plan).replicates
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(draws, "WEIGHTS_AT_ONCE", 100)
        patch.setattr(resample, "WEIGHTS_AT_ONCE", 100)
        np.testing.assert_allclose(
            bootstrap_weights(lambda w: w @ columns, units, plan).replicates, found, atol=1e-9
        )
        patch.setattr(draws, "LARGEST_TABLE", 0)
        rows = bootstrap_sums(columns, lambda s: s, units, plan).replicates
    np.testing.assert_allclose(rows, found, atol=1e-9)


def test_more_replicates_begin_with_the_same_ones():
    y, _, units = table()
    columns, mean = mean_of(y)
    few = bootstrap_sums(columns, mean, units, Resampling(BLOCK + 3, 4)).replicates
    many = bootstrap_sums(columns, mean, units, Resampling(3 * BLOCK, 4)).replicates
    np.testing.assert_array_equal(few[:BLOCK], many[:BLOCK])


def one_sample(y):
    """Everyone answers one item, which can't be drawn otherwise: the ordinary bootstrap."""
    return Units(np.arange(len(y)), np.zeros(len(y), dtype=int))


@pytest.mark.parametrize(
    ("kind", "method"), [("percentile", "percentile"), ("basic", "basic"), ("bca", "BCa")]
)
def test_with_one_factor_intervals_are_scipys(kind, method):
    y = np.random.default_rng(2).exponential(size=40)
    columns, mean = mean_of(y)
    ours = bootstrap_sums(columns, mean, one_sample(y), Resampling(40_000, 1), True).interval(
        kind=kind
    )
    theirs = stats.bootstrap(
        (y,), np.mean, n_resamples=40_000, method=method, rng=np.random.default_rng(3)
    ).confidence_interval
    width = theirs.high - theirs.low
    assert ours.ci_low == pytest.approx(theirs.low, abs=0.03 * width)
    assert ours.ci_high == pytest.approx(theirs.high, abs=0.03 * width)


def test_acceleration_of_two_factors_is_a_sixth_of_the_skewness_of_additive_draws():
    """On an additive table the statistic is exactly a sum of independent contributions."""
    rng = np.random.default_rng(6)
    people, items = rng.exponential(size=7), -2 * rng.exponential(size=9)
    units = Units(np.repeat(np.arange(7), 9), np.tile(np.arange(9), 7))
    columns, mean = mean_of(people[units.participant] + items[units.item])
    found = bootstrap_sums(columns, mean, units, Resampling(200_000, 1), True)
    a = acceleration(float(found.estimate[0]), found.without_participant[:, 0],
                     found.without_item[:, 0])  # fmt: skip
    assert 6 * a == pytest.approx(stats.skew(found.replicates[:, 0]), abs=0.02)


def test_p_by_centring_counts_what_lies_as_far_as_the_estimate():
    draws = np.array([0.5, 1.0, 1.5, 2.5, np.nan])
    # Moved to 0: -.5, 0, .5, 1.5; as far as 1 from it: one of four.
    assert centred_p(1.0, draws) == pytest.approx((1 + 1) / (1 + 4))
    assert centred_p(1.0, draws, null=1.0) == 1.0
    assert np.isnan(centred_p(1.0, np.array([np.nan])))


def test_nothing_to_draw_and_nothing_known_is_nan_not_a_crash():
    units = Units(np.zeros(0, dtype=int), np.zeros(0, dtype=int))
    assert np.isnan(cell_means(np.zeros((0, 2)), np.zeros(0), 3, units, Resampling(5, 1))).all()
    y = np.ones(4)
    alone = bootstrap_sums(
        *mean_of(y), Units(np.zeros(4, int), np.zeros(4, int)), Resampling(9, 1), True
    )
    assert alone.interval().ci_low == 1.0
    assert np.isnan(alone.interval(kind="bca").ci_low)


def test_bca_without_the_jackknife_is_refused():
    y, _, units = table()
    with pytest.raises(ValueError, match="jackknife"):
        bootstrap_sums(*mean_of(y), units, Resampling(9, 1)).interval(kind="bca")


@pytest.mark.parametrize("times", [1, 2**23])
def test_numbers_by_kind_are_those_of_weighted_rows_to_the_last_digit(times, monkeypatch):
    monkeypatch.setattr(resample, "_LARGEST_SINGLE", 2**24 // times)
    rng = np.random.default_rng(12)
    kind = rng.integers(4, size=90)
    units = Units(rng.integers(6, size=90), rng.integers(5, size=90))
    plan = Resampling(300, seed=2)
    slow = bootstrap_weights(lambda w: w @ np.eye(4)[kind], units, plan)
    quick = bootstrap_kinds(kind, 4, lambda numbers: numbers, units, plan)
    assert np.array_equal(quick.estimate, slow.estimate)
    assert np.array_equal(quick.replicates, slow.replicates)


def test_the_example_of_the_documentation_runs():
    assert doctest.testmod(resample) == (0, 7)
