import numpy as np

from analysis.bootstrap import Plan, Units
from analysis.curves import MOST_TIMES, acceptance_curves, decision_times


def test_a_curve_is_the_share_accepted_by_then():
    """Straight from the definition, rejections and no answers never counting."""
    accept_s = np.array([1.0, np.inf, 2.5, 2.5, np.inf, 9.0])
    cell = np.array([0, 0, 0, 1, 1, 1])
    units = Units(np.array([0, 1, 0, 1, 0, 1]), np.arange(6))
    times = decision_times(accept_s, 30.0, (3.0,))
    assert times.tolist() == [0.0, 1.0, 2.5, 3.0, 9.0, 30.0]
    for number, curve in enumerate(acceptance_curves(accept_s, cell, 2, times, units, Plan(50, 1))):
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


def test_one_participant_gets_wilsons_limits():
    accept_s = np.array([1.0, np.inf, np.inf])
    one = acceptance_curves(
        accept_s,
        np.zeros(3, int),
        1,
        np.array([2.0]),
        Units(np.zeros(3, int), np.arange(3)),
        Plan(50, 1),
    )[0]
    assert 0 < one.ci_low[0] < 1 / 3 < one.ci_high[0] < 1
