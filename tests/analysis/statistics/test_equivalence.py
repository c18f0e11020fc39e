import numpy as np
import pytest
from scipy.stats import norm
from statsmodels.stats.weightstats import ztost

from analysis.statistics.proportions import UNKNOWN, Interval, deciding, judge, true_verdict


@pytest.mark.parametrize(
    ("wide", "narrow", "verdict"),
    [
        ((-0.09, 0.09), (-0.08, 0.08), "like"),
        ((-0.12, 0.09), (-0.09, 0.08), "like"),
        ((-0.12, 0.09), (-0.11, 0.08), "undecided"),
        ((-0.4, -0.11), (-0.38, -0.13), "worse"),
        ((-0.4, -0.09), (-0.38, -0.11), "undecided"),
        ((0.11, 0.3), (0.12, 0.29), "better"),
        ((-0.3, 0.3), (-0.2, 0.2), "undecided"),
    ],
)
def test_verdict_by_margin(wide, narrow, verdict):
    """Margin .10: like by the 90 % interval, worse or better by the 95 % one."""
    middle = sum(narrow) / 2
    assert judge(Interval(middle, *wide), Interval(middle, *narrow), 0.10) == verdict


def test_nothing_known_gives_no_verdict():
    assert judge(UNKNOWN, UNKNOWN, 0.10) == "unknown"


@pytest.mark.parametrize("mean", [-0.09, -0.06, -0.056, 0.0, 0.056, 0.06, 0.09])
def test_like_as_by_two_one_sided_tests(mean):
    """Schuirmann's tests; oracle statsmodels' ztost, by whose formula the limits are made."""
    values = np.random.default_rng(2).normal(0, 0.5, size=400)
    values += mean - values.mean()
    se = values.std(ddof=1) / 20
    wide, narrow = (Interval(mean, mean - z * se, mean + z * se) for z in norm.ppf([0.975, 0.95]))
    assert (judge(wide, narrow, 0.10) == "like") == (ztost(values, -0.10, 0.10)[0] < 0.05)


def test_a_difference_without_an_interval_is_not_ruled_out():
    """At the ceiling nobody differed: 0.0 [0.0, 0.0] says nothing of others."""
    assert judge(Interval(0.0, 0.0, 0.0), Interval(0.0, 0.0, 0.0), 0.10) == "undecided"


@pytest.mark.parametrize(
    ("difference", "verdict"),
    [(0.0, "like"), (-0.2, "worse"), (0.2, "better"), (0.1, "undecided")],
)
def test_what_is_right_to_say_of_a_known_difference(difference, verdict):
    assert true_verdict(difference, 0.10) == verdict


def test_a_verdict_is_given_with_the_interval_that_decided_it():
    wide, narrow = Interval(0, -0.12, 0.09), Interval(0, -0.09, 0.08)
    assert deciding(judge(wide, narrow, 0.10), wide, narrow) == (90, narrow)
    assert deciding("undecided", wide, narrow) == (95, wide)
