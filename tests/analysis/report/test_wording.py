"""Numbers are printed no finer than their intervals allow."""

import pytest

from analysis.report.parts import share_with_limits
from analysis.report.wording import digits_of


@pytest.mark.parametrize(
    ("half", "digits"),
    [(0.0022, 4), (0.0036, 3), (0.022, 3), (0.05, 2), (0.3, 2), (0.4, 1), (3, 1), (4, 0), (40, 0)],
)
def test_half_an_interval_gets_one_or_two_digits(half, digits):
    """By the rule of the Particle Data Group: two up to 354, then one."""
    assert digits_of(10 - half, 10 + half, 4) == digits
    assert digits_of(10 - half, 10 + half, 1) == min(digits, 1)


def test_without_a_width_nothing_limits_the_digits():
    assert digits_of(None, None, 2) == digits_of(1.0, 1.0, 2) == 2


def test_a_share_and_its_limits_have_the_same_digits():
    wide = {"rate": 0.3521, "ci_low": 0.2512, "ci_high": 0.4612}
    narrow = {"rate": 0.3521, "ci_low": 0.3412, "ci_high": 0.3631}
    said = [
        [column.text(row) for column in share_with_limits("Accepted")] for row in (wide, narrow)
    ]
    assert said == [["35 %", "[25, 46]"], ["35.2 %", "[34.1, 36.3]"]]
