import math

import pytest
from scipy.stats import norm

from analysis.statistics.detection import CRITERION, D_PRIME, z_sum
from analysis.statistics.proportions import Count


def d_prime(*counts):
    """Return d' of hits and false alarms."""
    return z_sum(counts, D_PRIME)


def criterion(*counts):
    return z_sum(counts, CRITERION)


def test_log_linear_correction_by_hand():
    """Hautus 1995: 18 of 20 hits, 4 of 25 false alarms."""
    counts = Count(18, 20), Count(4, 25)
    hit, false = norm.ppf(18.5 / 21), norm.ppf(4.5 / 26)
    assert d_prime(*counts).estimate == pytest.approx(hit - false)
    assert criterion(*counts).estimate == pytest.approx(-(hit + false) / 2)


def test_perfect_and_empty_answers_stay_finite():
    found = d_prime(Count(10, 10), Count(0, 30))
    assert math.isfinite(found.estimate)
    assert found.ci_low > 0
    assert not d_prime(Count(0, 0), Count(1, 4)).known


def test_who_accepts_everything_has_no_sensitivity_and_a_liberal_criterion():
    counts = Count(20, 20), Count(20, 20)
    assert d_prime(*counts).estimate == pytest.approx(0)
    assert criterion(*counts).ci_high < 0
