import numpy as np
import pytest
from scipy.stats import t as student

from analysis.statistics import curves
from analysis.statistics.bootstrap import Resampling, Units, cell_means
from analysis.statistics.curves import (
    MOST_TIMES,
    Cells,
    curves_and_differences,
    decision_times,
)
from analysis.statistics.means import estimate_shares, measure_shares
from analysis.statistics.proportions import Count
from analysis.statistics.two_way import band_factors, largest_deviations


def acceptance_curves(accept_s, cell, cells, *further):
    return curves_and_differences(accept_s, Cells(cell, cells), *further)[0]


def test_a_curve_is_the_share_accepted_by_then():
    """Straight from the definition, rejections and no answers never counting."""
    accept_s = np.array([1.0, np.inf, 2.5, 2.5, np.inf, 9.0])
    cell = np.array([0, 0, 0, 1, 1, 1])
    units = Units(np.array([0, 1, 0, 1, 0, 1]), np.arange(6))
    times = decision_times(accept_s, 30.0, (3.0,))
    assert times.tolist() == [0.0, 1.0, 2.5, 3.0, 9.0, 30.0]
    for number, curve in enumerate(
        acceptance_curves(accept_s, cell, 2, times, units, Resampling(50, 1))
    ):
        for t, rate, low, high in zip(
            curve.time_s, curve.rate, curve.ci_low, curve.ci_high, strict=True
        ):
            assert rate == np.mean(accept_s[cell == number] <= t)
            assert low <= rate <= high


def test_many_times_become_quantiles_that_keep_the_cutoff():
    accept_s = np.random.default_rng(1).exponential(3, 5000)
    times = decision_times(accept_s, 30.0, (3.0,))
    assert len(times) <= MOST_TIMES + 3
    assert 3.0 in times
    assert (np.diff(times) > 0).all()


def crossed(people=8, items=12, seed=2):
    """Return acceptance times of a small crossed table with both variances."""
    rng = np.random.default_rng(seed)
    person, item = (part.ravel() for part in np.indices((people, items)))
    shift = rng.normal(0, 1, people)[person] + rng.normal(0, 1, items)[item]
    accept_s = np.exp(1 + 0.5 * shift + rng.normal(0, 0.5, people * items))
    accept_s[rng.random(people * items) < 0.2] = np.inf
    cell = (item % 2).astype(int)
    return accept_s, cell, Units(person, item), decision_times(accept_s, 30.0, (3.0,))


def test_the_band_is_the_sup_t_band_of_all_times_at_once():
    """Straight from the definition, on the same draws."""
    accept_s, cell, units, times = crossed()
    plan = Resampling(300, 5, means="bootstrap")
    reached = (accept_s[:, None] <= times).astype(float)
    draws = cell_means(reached, cell, 2, units, plan)
    for number, curve in enumerate(acceptance_curves(accept_s, cell, 2, times, units, plan)):
        own = draws[:, number]
        se = own.std(axis=0, ddof=1)
        largest = [max(abs(row - curve.rate)[se > 0] / se[se > 0]) for row in own]
        width = np.quantile(largest, 0.95) * se
        low = np.clip(np.minimum(curve.rate - width, curve.ci_low), 0, 1)
        high = np.clip(np.maximum(curve.rate + width, curve.ci_high), 0, 1)
        np.testing.assert_allclose(curve.band_low, low, atol=1e-12)
        np.testing.assert_allclose(curve.band_high, high, atol=1e-12)


def test_curves_do_not_depend_on_how_times_are_cut(monkeypatch):
    accept_s, cell, units, times = crossed()
    whole = acceptance_curves(accept_s, cell, 2, times, units, Resampling(100, 5))
    monkeypatch.setattr(curves, "MOST_CELLS", 7 * len(accept_s))
    for one, other in zip(
        whole, acceptance_curves(accept_s, cell, 2, times, units, Resampling(100, 5)), strict=True
    ):
        for name in ("rate", "ci_low", "ci_high", "band_low", "band_high"):
            np.testing.assert_allclose(getattr(one, name), getattr(other, name), atol=1e-12)


@pytest.mark.parametrize("people", ["random", "fixed"])
def test_two_way_limits_are_those_of_each_time_by_itself(people):
    plan = Resampling(50, 5, people=people)
    accept_s, cell, units, times = crossed()
    cells, (gain,) = curves_and_differences(accept_s, Cells(cell, 2, [(1, 0)]), times, units, plan)
    at = len(times) // 2
    reached = (accept_s <= times[at]).astype(float)
    found = measure_shares(reached, cell, 2, units, plan)
    counts = [Count(int(reached[cell == k].sum()), int((cell == k).sum())) for k in (0, 1)]
    for curve, weights in ((cells[1], [0.0, 1.0]), (gain, [-1.0, 1.0])):
        part = estimate_shares(counts, np.array(weights), found)
        assert curve.ci_low[at] == pytest.approx(part.ci_low)
        assert curve.ci_high[at] == pytest.approx(part.ci_high)


def test_one_point_needs_no_wider_a_band_than_its_interval():
    """Of a single point the largest deviation is |t|: its quantile is Student's."""
    accept_s, cell, units, _ = crossed()
    found = measure_shares(accept_s < 3, cell, 2, units, Resampling(1, 1))
    contrast = np.array([-1.0, 1.0])
    df = found.spread(contrast).df
    (largest,) = largest_deviations(found, [contrast], 40_000, 3)
    assert band_factors(largest, df) == pytest.approx(student.ppf(0.975, df), rel=0.02)


def test_one_participants_band_is_massarts():
    accept_s = np.array([1.0, np.inf, 2.0, np.inf])
    units = Units(np.zeros(4, int), np.arange(4))
    curve = acceptance_curves(
        accept_s, np.zeros(4, int), 1, np.array([1.5]), units, Resampling(9, 1)
    )[0]
    assert curve.band_high[0] == pytest.approx(0.25 + np.sqrt(np.log(40) / 8))


def test_a_difference_has_its_own_sup_t_band_from_the_same_draws():
    accept_s, cell, units, times = crossed()
    plan = Resampling(300, 5, means="bootstrap")
    reached = (accept_s[:, None] <= times).astype(float)
    draws = cell_means(reached, cell, 2, units, plan)
    cells, (curve,) = curves_and_differences(accept_s, Cells(cell, 2, [(1, 0)]), times, units, plan)
    np.testing.assert_allclose(curve.rate, cells[1].rate - cells[0].rate)
    own = draws[:, 1] - draws[:, 0]
    se = own.std(axis=0, ddof=1)
    largest = [max(abs(row - curve.rate)[se > 0] / se[se > 0]) for row in own]
    width = np.quantile(largest, 0.95) * se
    low = np.clip(np.minimum(curve.rate - width, curve.ci_low), -1, 1)
    np.testing.assert_allclose(curve.band_low, low, atol=1e-12)
    assert (curve.band_low <= curve.ci_low).all()
    assert (curve.band_high >= curve.ci_high).all()
    assert curve.n == len(accept_s)


def test_a_difference_with_an_empty_cell_is_none():
    accept_s = np.array([1.0, 2.0])
    units = Units(np.zeros(2, int), np.arange(2))
    _, found = curves_and_differences(
        accept_s, Cells(np.zeros(2, int), 2, [(0, 1)]), np.array([1.5]), units, Resampling(9, 1)
    )
    assert found == [None]
