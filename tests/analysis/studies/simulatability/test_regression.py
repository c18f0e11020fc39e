"""Regression to the mean and calibration."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf

from analysis.statistics.bootstrap import Resampling
from analysis.studies.simulatability.questions.confidence import confidence_of
from analysis.studies.simulatability.questions.regression import domain_regression
from tests.analysis.studies.simulatability.tables_of import predictions_of, trials_of


def test_with_one_test_it_is_an_analysis_of_covariance():
    found = predictions_of(trials_of(24, 12).query("use == 'forward'"))
    row = domain_regression(found, "tabular")
    people = found.pairs.groupby(["participant", "method"], as_index=False)[["pre", "post"]].mean()
    people[["pre", "post"]] *= 100
    own = smf.ols("post ~ pre + C(method, Treatment('no_explanation'))", people).fit()
    assert row.slope.estimate == pytest.approx(own.params["pre"])
    assert row.methods[0].estimate == pytest.approx(own.params.iloc[1])
    assert row.correlation < 0


def test_two_tests_have_a_row_each_and_methods_stand_against_the_reference():
    found = predictions_of(trials_of(30, 12, lime=0.2, anchor=0.0))
    row = domain_regression(found, "tabular")
    assert row.people == 60
    assert row.base == "no_explanation"
    assert [own.method for own in row.methods] == ["lime", "anchor"]


def test_confidence_is_set_beside_calibration():
    trials = trials_of(12, 8)
    rng = np.random.default_rng(1)
    sure = np.where(
        trials["correct"], rng.integers(2, 5, len(trials)), rng.integers(1, 4, len(trials))
    )
    found = predictions_of(trials.assign(confidence=pd.array(sure, dtype="Int64")))
    answer = confidence_of(found, Resampling(200, 1))
    assert sum(row.n for row in answer.steps) == len(trials)
    for row in answer.methods:
        assert row.auroc > 0.5
        assert 0 <= row.gap <= 0.5
    step = next(r for r in answer.steps if r.n)
    own = trials[(trials["method"] == step.method) & (trials["phase"] == step.phase)]
    assert step.rate == own.loc[sure[own.index] == step.step, "correct"].mean()
