"""Numbers are printed no finer than their intervals allow."""

import pytest

from analysis.questions.estimates import EstimateRow
from analysis.report.parts import Column, corrected_p, limits, share_with_limits, table
from analysis.report.wording import correlation, estimated, no_finer, number, ratio, rounded
from analysis.studies.accept_reject.against_experts import verdict_fact


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


def test_a_column_has_one_number_of_decimals():
    """A column had r of 0.45 below one of -0.1, and shares of 92 % below 95.5 %."""
    rows = [
        {"rate": 0.3521, "ci_low": 0.2512, "ci_high": 0.4612},
        {"rate": 0.9551, "ci_low": 0.6401, "ci_high": 0.9959},
        {"rate": 0.5, "ci_low": None, "ci_high": None},
    ]
    assert table("", share_with_limits("Accepted"), rows).rows == (
        ("35.2 %", "[25.1, 46.1]"), ("95.5 %", "[64.0, 99.6]"), ("50.0 %", "–"),
    )  # fmt: skip


def test_ratios_of_a_column_keep_digits_of_their_own():
    rows = [
        {"rate": 9.21, "ci_low": 0.234, "ci_high": 357.2},
        {"rate": 1.083, "ci_low": 0.861, "ci_high": 1.362},
    ]
    columns = (Column("", "rate", ratio), limits(ratio))
    assert [row[0] for row in table("", columns, rows).rows] == ["9", "1.08"]


@pytest.mark.parametrize(
    ("value", "ends", "written"),
    [
        (-0.145, (-0.85, 0.76), "−0.14 [−0.85, 0.76]"),
        (-0.052, (-0.8, 0.79), "−0.05 [−0.80, 0.79]"),
        (0.449, (-0.57, 0.92), "0.45 [−0.57, 0.92]"),
    ],
)
def test_a_correlation_has_two_decimals(value, ends, written):
    """Both -.145 and -.052 were -0.1."""
    assert estimated(correlation, value, *ends) == written


def test_what_is_rounded_to_zero_has_no_sign():
    assert number(-0.004) == "0.00"
    assert estimated(number, -0.004, -0.7, 0.7) == "0.0 [−0.7, 0.7]"


@pytest.mark.parametrize(
    ("sizes", "note"),
    [
        ([6, 6, 6], "Holm’s correction is over 6 tests, of which 3 are shown."),
        ([3, 3, 3], "Holm’s correction is over 3 tests."),
        ([3, 3, 3, None, 2, 2], "Holm’s correction is over 2 and 3 tests."),
        ([1, None], ""),
        ([None], ""),
    ],
)
def test_a_table_says_over_how_many_tests_p_is_corrected(sizes, note):
    """Three of six pairs were shown, and nothing said that the correction is over six."""
    rows = [{"p_adjusted": 0.02, "family": size} for size in sizes]
    assert table("", [corrected_p()], rows).note == note


def test_an_undecided_verdict_has_a_direction():
    row = EstimateRow(
        quantity="p_s_less_p_e", of={}, estimate=0.04, ci_low=-0.06, ci_high=0.14,
        verdict="undecided",
    )  # fmt: skip
    fact = verdict_fact(row, "S against E")
    assert (fact.value, fact.label) == ("undecided", "S against E: +4 [−6, +14] points")
