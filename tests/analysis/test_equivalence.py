import pytest

from analysis.equivalence import judge
from analysis.proportions import UNKNOWN, Interval


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
