import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from analysis.mixed import NotEstimableError, fit_logistic, optimise
from tests.analysis.mixed.cbpp import animals, log_coefficients

CROSSED = "y ~ explained*solver + run + order + (1 + explained*solver || participant) + (1 | item)"
TRUTH = {
    "(Intercept)": -0.4,
    "explained": 1.2,
    "solver": 0.3,
    "explained:solver": -0.5,
    "run": 0.2,
    "order": 0.0,
}


def crossed(people=24, items=60, seed=1, sd_person=0.8, sd_slope=0.5, sd_item=0.7):
    rng = np.random.default_rng(seed)
    rows = pd.DataFrame(
        [(p, i) for p in range(people) for i in range(items)], columns=["participant", "item"]
    )
    order = rows["participant"] % 2 - 0.5
    cell = (rows["participant"] // 2 + rows["item"]) % 4
    rows["explained"], rows["solver"] = cell % 2 - 0.5, cell // 2 - 0.5
    rows["order"], rows["run"] = order, -2 * order * rows["explained"]
    person, slope = rng.normal(0, sd_person, people), rng.normal(0, sd_slope, people)
    thing = rng.normal(0, sd_item, items)
    eta = TRUTH["(Intercept)"] + person[rows["participant"]] + thing[rows["item"]]
    eta += slope[rows["participant"]] * rows["explained"]
    for name in ("explained", "solver", "run"):
        eta += TRUTH[name] * rows[name]
    eta += TRUTH["explained:solver"] * rows["explained"] * rows["solver"]
    return rows.assign(y=rng.random(len(rows)) < expit(eta))


def fixed(result):
    return {row.term: row for row in result.fixed}


def test_cbpp_against_lme4_and_glmmtmb():
    """lme4's glmer (estimates, SD, log-likelihood); glmmTMB's full-Hessian standard errors."""
    found = fit_logistic("ill ~ period + (1 | herd)", animals())
    assert [row.estimate for row in found.fixed] == pytest.approx(
        [-1.39853, -0.99233, -1.12868, -1.58031], abs=2e-5
    )
    assert [round(row.se, 4) for row in found.fixed] == [0.2325, 0.3066, 0.3266, 0.4274]
    assert found.random[0].sd == pytest.approx(0.64226, abs=1e-5)
    assert found.log_likelihood + log_coefficients() == pytest.approx(-92.02628, abs=1e-5)
    assert found.groups == {"herd": 15}
    assert found.converged


def test_truth_is_recovered_in_crossed_data():
    found = fit_logistic(CROSSED, crossed())
    for term, row in fixed(found).items():
        assert abs(row.estimate - TRUTH[term]) < 3.3 * row.se, term
    sds = {(row.group, row.term): row.sd for row in found.random}
    assert sds["participant", "(Intercept)"] == pytest.approx(0.8, abs=0.35)
    assert sds["item", "(Intercept)"] == pytest.approx(0.7, abs=0.25)
    assert found.converged


def test_gpboosts_own_likelihood_agrees_at_gpboosts_own_solution(monkeypatch):
    """Two computations of one Laplace approximation."""
    monkeypatch.setitem(optimise.GPBOOST_PARAMS, "delta_rel_conv", 1e-10)
    design = optimise.Design("", *_parts("y ~ explained + (1 | participant) + (1 | item)"))
    coefficients, variances, value = optimise._gpboost(design)
    ours, _ = optimise.Laplace(design).value_and_gradient(
        np.concatenate([coefficients, np.sqrt(variances)])
    )
    assert ours == pytest.approx(value, abs=1e-4)


def _parts(formula):
    from analysis.mixed.design import build_design

    design = build_design(formula, crossed(12, 30).assign(y=lambda t: t["y"].astype(float)))
    return design.response, design.fixed, design.fixed_names, design.random


def test_standard_errors_count_the_uncertainty_of_variances():
    """With few people and a large variance gpboost's own are too small."""
    rows = crossed(people=10, items=24, sd_person=3.0, sd_slope=0.0, seed=4)
    rows = rows.assign(y=rows["y"].astype(float))
    from analysis.mixed.design import build_design

    optimum = optimise.maximise(build_design("y ~ explained + (1 | participant)", rows))
    p = len(optimum.coefficients)
    hessian = np.linalg.inv(optimum.covariance)
    conditional = np.linalg.inv(hessian[:p, :p])
    assert np.diag(optimum.covariance)[0] >= np.diag(conditional)[0]


def test_vanished_slopes_are_left_out_and_said():
    found = fit_logistic(CROSSED, crossed(sd_slope=0.0, seed=3))
    said = " ".join(found.notes)
    assert "vanishing variance by participant" in said
    assert all(row.sd >= 0.01 for row in found.random if row.term != "(Intercept)")
    assert found.asked == CROSSED
    assert found.formula != CROSSED
    assert {"participant", "item"} <= {row.group for row in found.random}


def test_a_term_that_others_determine_is_named():
    rows = crossed(8, 40)
    found = fit_logistic("y ~ explained + again + (1 | item)", rows.assign(again=rows["explained"]))
    assert "again was left out: the terms before it determine it." in found.notes


def test_one_person_gets_plain_logistic_regression_and_is_told():
    rows = crossed(people=2, items=80)
    found = fit_logistic(CROSSED, rows[rows["participant"] == 0])
    said = " ".join(found.notes)
    assert "there is only one participant" in said
    assert "no item was seen twice" in said
    assert "statsmodels" in found.engine
    assert not found.random


def test_complete_separation_is_said_not_estimated():
    rows = crossed(8, 40)
    found = fit_logistic(CROSSED, rows.assign(y=rows["explained"] > 0))
    assert not found.converged
    assert any(note.startswith("Separation: ") for note in found.notes)


def test_separation_of_one_cell_is_said():
    rows = crossed(10, 60)
    empty = (rows["explained"] > 0) & (rows["solver"] > 0)
    found = fit_logistic(CROSSED, rows.assign(y=rows["y"] & ~empty))
    assert not found.converged
    assert any("no finite estimate" in note for note in found.notes)


@pytest.mark.parametrize("answer", [True, False])
def test_equal_answers_are_not_fitted(answer):
    with pytest.raises(NotEstimableError, match="are the same"):
        fit_logistic(CROSSED, crossed(4, 12).assign(y=answer))


def test_no_rows_are_not_fitted():
    with pytest.raises(NotEstimableError, match="no rows"):
        fit_logistic(CROSSED, crossed(4, 12).iloc[:0])


def test_where_gpboost_finds_nothing_the_maximum_is_the_same(monkeypatch):
    rows = crossed(12, 40)
    expected = fit_logistic("y ~ explained + (1 | participant) + (1 | item)", rows)
    monkeypatch.setattr(optimise, "_gpboost", optimise._from_nothing)
    found = fit_logistic("y ~ explained + (1 | participant) + (1 | item)", rows)
    assert found.log_likelihood == pytest.approx(expected.log_likelihood, abs=1e-6)
    assert any("gpboost found no solution" in note for note in found.notes)
