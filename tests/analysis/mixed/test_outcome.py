"""A fit, or the reason why there is none."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from analysis.mixed import NotEstimableError, fit_linear, fit_logistic
from analysis.mixed.result import first_sound, fit_or_reason, model_row

FORMULA = "y ~ x + (1 | g)"
HEAD = {"coding": "x is ±½.", "rule": "None."}


def rows(n=120):
    rng = np.random.default_rng(1)
    group = np.arange(n) % 8
    x = np.where(np.arange(n) // 8 % 2, 0.5, -0.5)
    y = x + rng.normal(0, 1, 8)[group] + rng.normal(0, 0.5, n)
    return pd.DataFrame({"y": y, "x": x, "g": group.astype(str)})


def test_a_fit_has_its_coefficients_with_their_exponentials():
    outcome = fit_or_reason(fit_linear, FORMULA, rows())
    found = model_row(outcome, HEAD, "time_ratio", ("residual_sd",))
    assert found["fitted"]
    assert found["asked"] == FORMULA
    assert found["coding"] == HEAD["coding"]
    (slope,) = (row for row in found["fixed"] if row["term"] == "x")
    assert slope["time_ratio"] == pytest.approx(np.exp(slope["estimate"]))
    assert slope["time_ratio_low"] == pytest.approx(np.exp(slope["ci_low"]))
    assert found["residual_sd"] == outcome.result.residual_sd
    assert "correlations" not in found
    assert outcome.sound is outcome.result


def fails(error):
    def fit(formula, frame):
        raise error

    return fit


@pytest.mark.parametrize(
    ("fit", "frame", "too_large", "reason"),
    [
        (fit_logistic, rows().assign(y=1), "", "all 120 answers are the same"),
        (fails(NotEstimableError("no")), rows(), "", "no"),
        (fails(MemoryError()), rows(), "", "120 rows need more memory than there is"),
        (fails(AssertionError()), rows(), "too many", "too many"),
    ],
)
def test_what_can_not_be_fitted_has_its_reason(fit, frame, too_large, reason):
    outcome = fit_or_reason(fit, FORMULA, frame, too_large)
    assert outcome.sound is None
    assert model_row(outcome, HEAD, "odds_ratio") == {
        "asked": FORMULA, **HEAD, "fitted": False, "reason": f"No model was fitted: {reason}.",
    }  # fmt: skip


def unsound_but(sound_formula):
    """Return a fit that is sound for one formula alone."""

    def fit(formula, frame):
        fault = "" if formula == sound_formula else "It ran away."
        return replace(fit_linear(FORMULA, frame), formula=formula, fault=fault)

    return fit


def test_simpler_models_are_tried_until_one_is_sound_and_it_says_so():
    simpler = [("y ~ x + (1 | h)", "First."), ("y ~ x", "Second.")]
    asked = first_sound(unsound_but(FORMULA), FORMULA, rows(), simpler)
    assert asked.result.formula == FORMULA
    assert "First." not in asked.result.notes
    second = first_sound(unsound_but("y ~ x"), FORMULA, rows(), simpler)
    assert (second.asked, second.result.asked, second.result.formula) == (FORMULA, FORMULA, "y ~ x")
    assert second.result.notes[0] == "Second."
    none = first_sound(unsound_but(""), FORMULA, rows(), simpler)
    assert none.sound is None
    assert none.why_not == "It ran away."
    assert none.result.formula == FORMULA
