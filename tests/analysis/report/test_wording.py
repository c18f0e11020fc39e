"""Numbers are printed no finer than their intervals allow."""

import pytest

from analysis.report.parts import share_with_limits
from analysis.report.wording import estimated, no_finer, number, ratio, rounded


@pytest.mark.parametrize(
    ("half", "digits"),
    [(0.0022, 4), (0.0036, 4), (0.022, 3), (0.05, 2), (0.3, 2), (0.4, 2), (3, 1), (4, 1), (40, 0)],
)
def test_an_interval_s_width_keeps_two_digits(half, digits):
    for most in (4, 1):
        written = no_finer(rounded(number, most), 10 - half, 10 + half)(9.87654321)
        assert len(written.partition(".")[2]) == min(digits, most)


def test_a_ratio_has_digits_of_its_own_and_no_limit_is_0():
    """Otherwise an odds ratio of 9 would have the limits [0, 357]."""
    assert estimated(ratio, 9.21, 0.234, 357.2) == "9 [0.2, 357]"
    assert estimated(ratio, 0.19, 0.0042, 7.98) == "0.2 [0.004, 8]"
    assert estimated(ratio, 1.083, 0.861, 1.362) == "1.08 [0.86, 1.36]"
    assert estimated(ratio, 1.0, None, None) == "1.00"


def test_without_a_width_nothing_limits_the_digits():
    for low, high in ((None, None), (1.0, 1.0)):
        assert no_finer(rounded(number, 2), low, high)(1.0) == "1.00"


def test_a_share_and_its_limits_have_the_same_digits():
    wide = {"rate": 0.3521, "ci_low": 0.2512, "ci_high": 0.4612}
    narrow = {"rate": 0.3521, "ci_low": 0.3412, "ci_high": 0.3631}
    said = [
        [column.text(row) for column in share_with_limits("Accepted")] for row in (wide, narrow)
    ]
    assert said == [["35 %", "[25, 46]"], ["35.2 %", "[34.1, 36.3]"]]


def test_what_is_rounded_to_zero_has_no_sign():
    assert number(-0.004) == "0.00"
    assert estimated(number, -0.004, -0.7, 0.7) == "0.0 [−0.7, 0.7]"
