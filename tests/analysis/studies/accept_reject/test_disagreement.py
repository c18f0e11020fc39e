"""Where model and rates differ the page says so; elsewhere it says that they agree."""

import pytest

from analysis.studies.accept_reject.disagreement import disagreements


def results(raw, model, pooled=(0.1, -0.5, 0.7), harm=(0.2, -0.4, 0.8), method="mixed probit"):
    def limits(values, name="estimate"):
        return dict(zip((name, "ci_low", "ci_high"), values, strict=True))

    return {
        "usefulness": [
            {"solver": "S", "net": False, **limits(raw)},
            {"solver": "S", "net": True, **limits((-0.9, -0.95, -0.8))},
        ],
        "model": {"marginal_usefulness": [{"solver": "S", **limits(model)}]},
        "protocol": {"analysis": {"primary_test": "model"}},
        "controls": {
            "sensitivity": {"method": method, **limits(harm, "difference")},
            "pooled": limits(pooled, "difference"),
        },
    }


def test_agreement_says_nothing():
    assert disagreements(results((0.1, 0.05, 0.15), (0.11, 0.07, 0.16))) == []


def test_opposite_signs_are_said():
    said, why = disagreements(results((0.03, -0.1, 0.1), (-0.04, -0.1, 0.02)))
    assert said.startswith("Usefulness for S")
    assert "The protocol names the mixed model as the primary analysis" in why
    assert "disagree in sign" in said
    assert "+3 [−10, +10]" in said
    assert "−4 [−10, +2]" in said


def test_signs_of_nothing_are_none():
    assert disagreements(results((0.003, -0.1, 0.1), (-0.004, -0.1, 0.02))) == []


def test_intervals_that_decide_otherwise_are_said():
    said, why = disagreements(results((0.05, -0.01, 0.11), (0.05, 0.01, 0.09)))
    assert "whether it differs from zero" in said
    assert "adjust for nothing" in why


def test_harm_is_compared_with_pooled_counts():
    said, why = disagreements(
        results((0.1, 0.05, 0.15), (0.1, 0.05, 0.15), harm=(-0.4, -0.7, -0.1))
    )
    assert "d′" in said
    assert why


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_what_is_not_known_is_not_compared(missing):
    assert disagreements(results((missing, None, None), (0.1, 0.05, 0.15))) == []
