import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.weightstats import ztost

from analysis.statistics.equivalence import by_replicates, judge
from analysis.statistics.proportions import UNKNOWN, Interval


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


@given(st.integers(0, 2**31), st.floats(-0.3, 0.3), st.floats(0.01, 0.2))
def test_like_goes_with_two_one_sided_p_below_five_percent(seed, estimate, spread):
    draws = estimate + spread * np.random.default_rng(seed).normal(size=2000)
    found = by_replicates(estimate, draws, 0.10)
    if found.verdict == "like":
        assert found.p < 0.052
    elif found.p < 0.048:
        assert found.verdict in ("like", "undecided")
        assert abs(found.narrow.ci_low) < 0.101
    if found.verdict in ("worse", "better"):
        assert found.p > 0.9


def test_two_one_sided_tests_are_statsmodels():
    """Schuirmann's tests, on draws of the estimate's distribution: oracle statsmodels' ztost."""
    rng = np.random.default_rng(2)
    values = rng.normal(0.02, 1, size=400) * 0.5
    p, (_, p_above), (_, p_below) = ztost(values, -0.10, 0.10)
    draws = rng.normal(values.mean(), values.std(ddof=1) / 20, size=200_000)
    found = by_replicates(values.mean(), draws, 0.10)
    assert found.p == pytest.approx(p, abs=1e-3)
    assert (found.p_above, found.p_below) == pytest.approx((p_above, p_below), abs=1e-3)
    assert (found.verdict == "like") == (p < 0.05)


def test_no_replicate_no_verdict_and_no_margin_no_test():
    assert by_replicates(float("nan"), np.full(5, np.nan), 0.1).verdict == "unknown"
    with pytest.raises(ValueError, match="margin"):
        by_replicates(0.0, np.zeros(5), 0.0)
