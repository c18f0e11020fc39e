"""Regression to the mean and calibration."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf

from analysis.questions.estimates import select
from analysis.statistics.bootstrap import Resampling
from analysis.studies.simulatability.questions.confidence import AUROC, GAP, RIGHT, confidence_rows
from analysis.studies.simulatability.questions.regression import (
    ADJUSTED,
    CORRELATION,
    SLOPE,
    domain_regression,
)
from analysis.studies.simulatability.words import TESTS
from tests.analysis.studies.simulatability.tables_of import predictions_of, trials_of


def test_with_one_test_it_is_an_analysis_of_covariance():
    found = predictions_of(trials_of(24, 12).query("use == 'forward'"))
    answer = domain_regression(found)
    people = found.pairs.groupby(["participant", "method"], as_index=False)[["pre", "post"]].mean()
    people[["pre", "post"]] *= 100
    own = smf.ols("post ~ pre + C(method, Treatment('no_explanation'))", people).fit()
    assert answer.row(SLOPE).estimate == pytest.approx(own.params["pre"])
    assert answer.row(ADJUSTED).estimate == pytest.approx(own.params.iloc[1])
    assert answer.row(CORRELATION).estimate < 0


def test_the_test_that_comes_first_counts_and_methods_stand_against_the_reference():
    """Adjusted for accuracy before a later test, an effect that was carried over would vanish."""
    orders = (TESTS, TESTS[::-1])
    world = {"carry_over": 1.0}
    trials = trials_of(30, 12, world=world, orders=orders, lime=0.2, anchor=0.0)
    own = predictions_of(trials, orders=orders).first()
    assert own.tests == TESTS
    assert own.pairs["participant"].nunique() * 12 == len(own.pairs)
    rows = domain_regression(own).rows(ADJUSTED, against="no_explanation")
    assert [(row.of["method"], row.n) for row in rows] == [("lime", 30), ("anchor", 30)]
    assert rows[0].ci_low > 0


def test_confidence_is_set_beside_calibration():
    trials = trials_of(12, 8)
    rng = np.random.default_rng(1)
    sure = np.where(
        trials["correct"], rng.integers(2, 5, len(trials)), rng.integers(1, 4, len(trials))
    )
    found = predictions_of(trials.assign(confidence=pd.array(sure, dtype="Int64")))
    rows = list(confidence_rows(found, Resampling(200, 1)))
    shares = select(rows, RIGHT)
    assert sum(row.n for row in shares) == len(trials)
    assert all(row.estimate > 0.5 for row in select(rows, AUROC))
    assert all(0 <= row.estimate <= 50 for row in select(rows, GAP))
    share = next(row for row in shares if row.n)
    method, phase, step = (share.of[name] for name in ("method", "phase", "step"))
    own = trials[(trials["method"] == method) & (trials["phase"] == phase)]
    assert share.estimate == own.loc[sure[own.index] == int(step), "correct"].mean()
