"""Degrees of freedom: R's values, and the definitions computed slowly."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from scipy.stats import binom, norm
from scipy.stats import t as student

from analysis.mixed import fit_logistic, fit_mixed, marginal_probabilities
from analysis.mixed.design import build_design
from analysis.mixed.estimation import Method, joint_covariance, restricted_step
from analysis.mixed.families import GENERALISED
from analysis.mixed.fit import fit_design
from analysis.mixed.laplace import Laplace
from analysis.mixed.maximise import maximise
from analysis.mixed.parameters import Scaling
from tests.analysis.mixed import slow
from tests.analysis.mixed.data import public
from tests.analysis.mixed.test_likelihoods import EFFECTS, RESPONSES, frame

SLEEP = "Reaction ~ Days + (1 + Days | Subject)"
# lmerTest 3.1-3 (Kuznetsova, Brockhoff & Christensen 2017) on lme4 1.1-31, R 4.2.2:
# degrees of freedom and p, term by term.
LMERTEST = (
    ("sleepstudy", SLEEP, True, [(17.000, 1.1716e-17), (17.000, 3.2638e-6)]),
    ("sleepstudy", SLEEP, False, [(18.001, 1.2638e-18), (18.000, 1.6522e-6)]),
    ("sleepstudy", "Reaction ~ Days + (1 + Days || Subject)", True,
     [(18.156, 1.8934e-18), (18.156, 2.5941e-6)]),
    ("sleepstudy", "Reaction ~ Days + I(Days^2) + (1 | Subject)", True,
     [(30.0406, 2.2997e-21), (160.0, 0.0133404), (160.0, 0.290482)]),
    ("sleepstudy", "Reaction ~ Days + I(Days^2) + (1 + Days || Subject)", True,
     [(26.2294, 3.8101e-23), (114.994, 0.00964808), (144.631, 0.199776)]),
    ("penicillin", "diameter ~ 1 + (1 | plate) + (1 | sample)", True, [(5.48659, 3.6235e-7)]),
    ("pastes", "strength ~ 1 + (1 | batch/cask)", True, [(9.0, 1.4878e-14)]),
    ("dyestuff", "Yield ~ 1 + (1 | Batch)", True, [(5.0, 6.2345e-9)]),
    ("grouseticks", "np.log(TICKS + 1) ~ C(YEAR) + cHEIGHT + (1 | BROOD) + (1 | LOCATION)", True,
     [(106.266, 2.1587e-13), (113.317, 1.6407e-6), (108.055, 0.00164205), (39.2964, 3.8981e-7)]),
)  # fmt: skip


@pytest.mark.parametrize(("data", "formula", "restricted", "expected"), LMERTEST)
def test_degrees_of_freedom_and_p_are_lmertests(data, formula, restricted, expected):
    found = fit_mixed(formula, public(data), method=Method(restricted=restricted))
    assert [row.df for row in found.fixed] == pytest.approx([df for df, _ in expected], rel=5e-4)
    # Their optimiser stops at 1e-6 of its own scale, which far tails magnify.
    assert [row.p for row in found.fixed] == pytest.approx([p for _, p in expected], rel=5e-3)
    assert {row.statistic for row in found.fixed} == {"t"}


def test_a_model_without_random_effects_has_least_squares_t():
    data = public("sleepstudy")
    ours = fit_mixed("Reaction ~ Days", data).fixed
    theirs = smf.ols("Reaction ~ Days", data).fit()
    assert [row.df for row in ours] == pytest.approx([178, 178])
    assert [row.p for row in ours] == pytest.approx(theirs.pvalues.tolist(), rel=1e-6)
    limits = np.array([(row.ci_low, row.ci_high) for row in ours])
    np.testing.assert_allclose(limits, theirs.conf_int())


def test_z_on_request_is_the_normal_distributions():
    found = fit_mixed(SLEEP, public("sleepstudy"), method=Method(inference="z")).fixed
    assert [row.p for row in found] == pytest.approx([2 * norm.sf(row.z) for row in found])
    assert {(row.statistic, row.df) for row in found} == {("z", float("inf"))}


@pytest.mark.parametrize("effects", [EFFECTS["crossed, correlated"], EFFECTS["correlated slopes"]])
def test_satterthwaites_freedom_is_its_definition(effects):
    """Dense restricted deviance in covariance roots and log residual SD, by differences."""
    table = frame(8, 9)
    rng = np.random.default_rng(3)
    table["y"] += rng.normal(0, 2, 8)[table["person"]] + rng.normal(0, 2, 9)[table["thing"]]
    table["y"] += rng.normal(0, 2, 8)[table["person"]] * table["x"]
    result = fit_mixed(f"y ~ {effects}", table)
    estimates = result.estimates
    triangles, scale = estimates.triangles, estimates.scaling.random

    def own(at):
        sd = np.exp(at[-1])
        pairs = zip(scale, triangles.matrices(at[:-1]), strict=True)
        return [sd * one @ other for one, other in pairs], sd

    def deviance(at):
        return -2 * slow.restricted(estimates.design, *own(at))

    def covariance(at):
        roots, sd = own(at)
        root = slow.dense_root(estimates.design, roots)
        x = estimates.design.fixed
        v = root @ root.T + sd**2 * np.eye(len(x))
        return np.linalg.inv(x.T @ np.linalg.solve(v, x))

    at = np.append(estimates.spread, np.log(result.residual_sd))
    hessian = second_differences(deviance, at)
    values, vectors = np.linalg.eigh(hessian)
    kept = values > 1e-5 * values[-1]
    spread = 2 * (vectors[:, kept] / values[kept]) @ vectors[:, kept].T
    slopes = [(covariance(at + s) - covariance(at - s)) / 2e-4 for s in 1e-4 * np.eye(len(at))]
    for place, row in enumerate(result.fixed):
        variance = covariance(at)[place, place]
        slope = np.array([one[place, place] for one in slopes])
        assert row.se**2 == pytest.approx(variance, rel=1e-5)
        assert row.df == pytest.approx(2 * variance**2 / (slope @ spread @ slope), rel=5e-3)


def second_differences(function, at, step=2e-3):
    steps = step * np.eye(len(at))
    return np.array(
        [
            [
                function(at + a + b) - function(at + a - b) - function(at - a + b)
                + function(at - a - b)
                for a in steps
            ]
            for b in steps
        ]
    ) / (4 * step**2)  # fmt: skip


@pytest.mark.parametrize("family", RESPONSES)
@pytest.mark.parametrize("effects", ["x + (1 + x | person) + (1 | thing)", "x + (v || site)"])
def test_the_step_of_reml_is_the_dense_matrices(family, effects):
    design = build_design(f"{RESPONSES[family]} ~ {effects}", frame(9, 12), family)
    scaling, part = Scaling.of(design), GENERALISED[family]
    model = Laplace(scaling, part, design.response, design.trials, design.offset)
    top = maximise(model.value_and_gradient, *model.start())
    p = scaling.x.shape[1]
    before = joint_covariance(top.hessian, p)
    weight = part.derivatives(design.response, design.trials, linear_predictor(model, scaling,
                              design, top.point, p))[1]  # fmt: skip

    def inverse(covariances):
        v = np.diag(1 / weight)
        for factor, covariance in zip(scaling.factors, covariances, strict=True):
            same = factor.codes[:, None] == factor.codes[None, :]
            v += same * (factor.regressors @ covariance @ factor.regressors.T)
        return np.linalg.inv(scaling.x.T @ np.linalg.solve(v, scaling.x))

    def log_det(spread):
        squares = [t @ t.T for t in model.triangles.matrices(spread)]
        return np.linalg.slogdet(inverse(squares))[1] / 2

    spread = top.point[p:]
    steps = 1e-5 * np.eye(len(spread))
    score = np.array([(log_det(spread + s) - log_det(spread - s)) / 2e-5 for s in steps])
    lower = model.triangles.matrices(spread)
    change = model.triangles.matrices(before[p:, p:] @ score)
    raised = [positive(t @ t.T + t @ d.T + d @ t.T) for t, d in zip(lower, change, strict=True)]
    grown = inverse(raised) - inverse([t @ t.T for t in lower])
    found, _ = restricted_step(model, top.point, before)
    np.testing.assert_allclose(found[:p, :p] - before[:p, :p], grown, rtol=1e-4, atol=1e-9)
    assert (found[p:] == before[p:]).all()


def positive(matrix):
    values, vectors = np.linalg.eigh(matrix)
    return (vectors * np.maximum(values, 0)) @ vectors.T


def linear_predictor(model, scaling, design, point, p):
    """Return the working model's linear predictor, by way of the mode's own effects."""
    eta = design.offset + scaling.x @ point[:p]
    pairs = zip(scaling.factors, model.modes(point), model.triangles.matrices(point[p:]),
                strict=True)  # fmt: skip
    for factor, (effects, _), triangle in pairs:
        eta = eta + (factor.regressors * (effects @ triangle.T)[factor.codes]).sum(axis=1)
    return eta


@pytest.mark.slow
def test_t_holds_its_level_with_few_groups_where_z_does_not():
    """A between-group effect that isn't there, eight groups: 400 studies."""
    studies, group = 400, np.repeat(np.arange(8), 6)
    rng = np.random.default_rng(11)
    table = pd.DataFrame({"g": group, "x": np.where(group % 2, 0.5, -0.5), "y": 0.0})
    design = build_design("y ~ x + (1 | g)", table, "gaussian")
    alarms = {"t": 0, "z": 0}
    for _ in range(studies):
        response = rng.normal(0, 1, 8)[group] + rng.normal(0, 1, design.rows)
        row = fit_design(replace(design, response=response), "gaussian").fixed[1]
        alarms["t"] += row.p < 0.05
        alarms["z"] += 2 * norm.sf(abs(row.z)) < 0.05
    low, high = binom.interval(0.999, studies, 0.05)
    assert low <= alarms["t"] <= high
    assert alarms["z"] > high


def test_complete_separation_is_said_and_no_fault():
    """The working model knows nothing of some coefficient: its information is singular."""
    p, x = np.repeat(np.arange(6), 8), np.tile([-0.5, 0.5], 24)
    table = pd.DataFrame({"p": p, "x": x, "y": (x > 0).astype(float)})
    for family in ("binomial", "probit", "poisson"):
        found = fit_mixed("y ~ x + (1 + x || p)", table, family)
        assert any("Separation" in note for note in found.notes)
        assert not found.converged


def between_arms(people=10, trials=30, vary=True, seed=2):
    """Return answers of people in two arms; `vary` whether x varies within people."""
    rng = np.random.default_rng(seed)
    who, item = np.repeat(np.arange(people), trials), np.tile(np.arange(trials), people)
    arm = np.where(who % 2, 0.5, -0.5)
    x = np.where((item + who) % 2, 0.5, -0.5) if vary else arm
    y = (rng.permuted(np.tile([0.0, 1.0], (people, trials // 2)), axis=1)).ravel()
    return pd.DataFrame({"y": y, "arm": arm, "x": x, "who": who, "item": item})


def test_a_variance_of_zero_leaves_as_many_degrees_of_freedom_as_people():
    """Every person accepts half: the variance between them is estimated as zero."""
    found = fit_logistic("y ~ arm + x + (1 | who)", between_arms())
    assert found.random[0].sd < 0.01
    rows = {row.term: row for row in found.fixed}
    assert rows["arm"].df == 8  # ten people, less the mean and the arm
    assert rows["arm"].ci_high == pytest.approx(student.ppf(0.975, 8) * rows["arm"].se)
    assert rows["x"].df > 1000  # varies within people, and no slope was asked for
    assert any("Degrees of freedom of (Intercept), arm are at most 8" in n for n in found.notes)


def test_a_slope_that_was_left_out_bounds_degrees_of_freedom():
    table = between_arms()
    found = fit_logistic("y ~ x + (1 + x || who) + (1 | item)", table)
    assert ("who", "x") not in {(row.group, row.term) for row in found.random}
    assert {row.term: row.df for row in found.fixed}["x"] == 9
    rows = [pd.DataFrame({"x": [value]}) for value in (-0.5, 0.5)]
    assert marginal_probabilities(found, rows).contrast(np.array([-1, 1])).df == 9
    known = fit_mixed("y ~ arm + (1 | who)", table, "binomial", Method(inference="z"))
    assert known.fixed[1].df == np.inf


def test_a_difference_between_arms_of_what_varies_within_people_is_bounded_by_people():
    """Today arm:x counts answers where the slope of x that its error has was left out."""
    table = between_arms()
    found = fit_logistic("y ~ arm * x + (1 + x || who) + (1 | item)", table)
    assert ("who", "x") not in {(row.group, row.term) for row in found.random}
    rows = {row.term: row for row in found.fixed}
    assert (rows["x"].df, rows["arm:x"].df) == (9, 8)  # less x and arm:x
    assert any("arm:x are at most 8, by the levels" in note for note in found.notes)
    sleep = public("sleepstudy")
    sleep["arm"] = (sleep["Subject"].astype(str).str[-1].astype(int) % 2) - 0.5
    whole = fit_mixed("Reaction ~ arm * Days + (Days | Subject)", sleep)
    assert not np.isfinite(whole.estimates.freedom.bounds).any()  # no variance vanished
