"""Where model and rates differ the page says so; elsewhere it says that they agree."""

import pytest

from analysis.questions.estimates import estimate_row
from analysis.report.deciding import MEANS, MODEL, Unvarying, decides
from analysis.statistics.proportions import Interval
from analysis.studies.accept_reject.controls import CHANGE, MIXED, POOLED, Harm
from analysis.studies.accept_reject.quantities import GAIN, NET, RAW
from analysis.studies.accept_reject.questions.model import find_disagreements, harm_disagreements
from analysis.studies.accept_reject.usefulness import Usefulness


def found(raw, model):
    numbers = {(RAW, MEANS): raw, (NET, MEANS): (-0.9, -0.95, -0.8), (RAW, MODEL): model}
    rows = [
        estimate_row(GAIN, {"solver": "S", "part": part, "by": by}, Interval(*limits))
        for (part, by), limits in numbers.items()
    ]
    return find_disagreements(Usefulness(tuple(rows), MODEL, MODEL, Unvarying(0, 9, 0, 9)))


def of_harm(pooled, model):
    rows = [
        estimate_row(CHANGE, {"by": by}, Interval(*limits))
        for by, limits in ((POOLED, pooled), (MIXED, model))
    ]
    return harm_disagreements(Harm(tuple(rows), MIXED, "", False, False, False, None))


def test_agreement_says_nothing():
    assert found((0.1, 0.05, 0.15), (0.11, 0.07, 0.16)) == []
    assert of_harm((0.1, -0.5, 0.7), (0.2, -0.4, 0.8)) == []


def test_opposite_signs_are_said():
    (said,) = found((0.03, -0.1, 0.1), (-0.04, -0.1, 0.02))
    assert said.startswith("Usefulness for S")
    assert "The protocol names the mixed model as the primary analysis" in decides("model")
    assert "disagree in sign" in said
    assert "+3 [−10, +10]" in said
    assert "−4 [−10, +2]" in said


def test_signs_of_nothing_are_none():
    assert found((0.003, -0.1, 0.1), (-0.004, -0.1, 0.02)) == []
    assert found((0.01, -0.13, 0.14), (-0.01, -0.15, 0.13)) == []


def test_intervals_that_decide_otherwise_are_said():
    (said,) = found((0.05, -0.01, 0.11), (0.05, 0.01, 0.09))
    assert "whether it differs from zero" in said
    assert "adjust for nothing" in decides("model")


def test_harm_is_compared_with_pooled_counts():
    (said,) = of_harm((0.1, -0.5, 0.7), (-0.4, -0.7, -0.1))
    assert "d′" in said


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_what_is_not_known_is_not_compared(missing):
    assert found((missing, None, None), (0.1, 0.05, 0.15)) == []
