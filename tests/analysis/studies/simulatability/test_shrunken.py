"""Accuracies shrunken over methods, for many tables at once, against the suite's own fit."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from analysis.mixed import fit_mixed
from analysis.mixed.modes import conditional_modes
from analysis.studies.simulatability.resampled_tables import shrunken_shares


def by_fit(right, answers):
    """Return each method's share and the standard deviation, as `fit` gives them."""
    names = np.repeat([f"m{n}" for n in range(len(answers))], answers)
    correct = np.concatenate([np.arange(n) < k for k, n in zip(right, answers, strict=True)])
    frame = pd.DataFrame({"method": names, "correct": correct.astype(float)})
    fit = fit_mixed("correct ~ 1 + (1 | method)", frame, "binomial")
    modes = conditional_modes(fit)["method"]
    return expit(fit.fixed[0].estimate + modes.effects[:, 0]), fit.random[0].sd


@pytest.mark.parametrize("seed", range(4))
def test_shares_are_those_of_fit(seed):
    rng = np.random.default_rng(seed)
    answers = rng.integers(5, 300, int(rng.integers(2, 7)))
    odds = 0.6 + rng.choice([0.05, 0.3, 0.8]) * rng.standard_normal(len(answers))
    right = rng.binomial(answers, expit(odds))
    share, sd = by_fit(right, answers)
    found = shrunken_shares(right[None], answers[None])
    np.testing.assert_allclose(found.share[0], share, atol=5e-5)
    assert found.sd[0] == pytest.approx(sd, abs=1e-4)


def test_methods_that_differ_by_chance_alone_share_one_accuracy():
    found = shrunken_shares(np.array([[60, 61, 59]]), np.array([[100, 100, 100]]))
    assert found.singular[0]
    np.testing.assert_allclose(found.share[0], 0.6)


def test_a_method_without_answers_has_no_share_and_changes_no_other():
    right, answers = np.array([[80, 50, 65]]), np.array([[100, 100, 100]])
    more = np.array([[80, 50, 65, 0]]), np.array([[100, 100, 100, 0]])
    found, other = shrunken_shares(right, answers), shrunken_shares(*more)
    np.testing.assert_allclose(other.share[0, :3], found.share[0], atol=1e-9)
    assert np.isnan(other.share[0, 3])


def test_methods_with_all_or_nothing_right_are_pulled_inside():
    found = shrunken_shares(np.array([[20, 0, 11]]), np.array([[20, 20, 20]]))
    assert ((found.share > 0) & (found.share < 1)).all()
    assert np.isfinite(found.sd).all()
