"""The design's estimate, the mixed model's beside it, and where the two differ by much."""

import numpy as np
import pytest

from analysis.questions.estimates import EstimateRow
from analysis.report.deciding import Unvarying, beside, disagreement
from analysis.report.wording import points


def row(estimate, low, high):
    return {"estimate": estimate, "ci_low": low, "ci_high": high}


RAW, MODEL = row(0.31, 0.20, 0.42), row(0.21, 0.14, 0.27)


def test_estimates_apart_by_a_quarter_of_the_interval_are_said():
    """Both are above zero: today's rule on sign and decision alone says nothing."""
    (said,) = disagreement("Usefulness", "the rates", RAW, MODEL, points)
    assert "the rates give +31 [+20, +42], the mixed model +21 [+14, +27]" in said
    assert "more than a quarter of the interval’s width, as people or items that hardly" in said


@pytest.mark.parametrize(("away", "says"), [(0.054, False), (0.056, True)])
def test_a_quarter_is_of_the_designs_interval(away, says):
    other = row(0.31 - away, 0.1, 0.5)
    assert bool(disagreement("Usefulness", "the rates", RAW, other, points)) == says
    assert ("quarter" in beside(RAW, other, points)) == says


def test_an_interval_without_width_is_apart_from_more_than_nothing():
    flat = row(0.0, 0.0, 0.0)
    assert disagreement("x", "means", flat, row(0.004, -0.01, 0.01), points) == []
    assert "quarter" in disagreement("x", "means", flat, row(0.02, -0.01, 0.05), points)[0]


def test_the_model_is_beside_the_design_with_a_reason_where_they_differ():
    said = beside(RAW, MODEL, points, "6 of 20 leads hardly vary")
    assert said.startswith("by the mixed model +21 [+14, +27]; they differ")
    assert said.endswith(": 6 of 20 leads hardly vary")
    assert beside(RAW, row(0.30, 0.2, 0.4), points, "never said") == (
        "by the mixed model +30 [+20, +40]"
    )
    assert beside(RAW, None, points) == ""


def test_beside_corrected_limits_stand_corrected_ones():
    """An uncorrected interval beside a corrected p looks like that of another test."""
    of_family = EstimateRow(quantity="q", estimate=0.21, ci_low=0.14, ci_high=0.27,
                            adjusted_low=0.1, adjusted_high=0.31)  # fmt: skip
    assert beside(RAW, of_family, points).startswith("by the mixed model +21 [+10, +31]")


def test_who_hardly_varies_is_counted_among_those_with_answers_enough():
    people = np.repeat(np.array(["a", "b", "c", "d"]), [40, 40, 40, 3])
    answers = np.r_[np.ones(40), np.ones(39), 0, np.tile([0, 1], 20), np.ones(3)]
    found = Unvarying.count(answers, people, np.arange(len(people)))
    assert found == Unvarying(2, 4, 0, len(people))
    assert found.words("leads", "plates") == "2 of 4 leads hardly vary"
    assert Unvarying(1, 4, 2, 9).words() == "1 of 4 people and 2 of 9 items hardly vary"
    assert Unvarying(0, 4, 0, 9).words() == ""
