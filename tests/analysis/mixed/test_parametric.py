"""The parametric bootstrap against its own definition, and against a known distribution."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from analysis.mixed import fit_mixed
from analysis.mixed.design import Reading
from analysis.mixed.estimation import Method
from analysis.mixed.inference import parametric_bootstrap
from stimuli.errors import UserError
from stimuli.io.canonical import seed_of
from stimuli.workers import Workers

HERE = Workers(here=True)


def answers(people=10, items=12, seed=3):
    rng = np.random.default_rng(seed)
    g, i = np.repeat(np.arange(people), items), np.tile(np.arange(items), people)
    x = (g + i) % 2 - 0.5
    eta = -0.3 + 0.8 * x + rng.normal(0, 0.9, people)[g] + rng.normal(0, 0.6, items)[i]
    y = (rng.random(len(g)) < expit(eta)).astype(float)
    return pd.DataFrame({"g": g, "i": i, "x": x, "y": y, "v": eta + rng.normal(0, 1, len(g))})


def test_it_is_what_its_definition_says():
    """Replicates are drawn and fitted one by one, from the table."""
    table, formula = answers(12, 12), "y ~ x + (1 + x | g)"
    result = fit_mixed(formula, table, "binomial")
    found = parametric_bootstrap(result, Method(), 19, HERE)
    sds = [row.sd for row in result.random]
    r = result.correlations[0].r
    root = np.array([[sds[0], 0], [r * sds[1], sds[1] * np.sqrt(1 - r**2)]])
    estimates = [row.estimate for row in result.fixed]
    draws = []
    for number in range(19):
        rng = np.random.default_rng(seed_of("bootstrap", formula, number))
        people = rng.standard_normal((12, 2)) @ root.T
        eta = estimates[0] + estimates[1] * table["x"] + people[table["g"], 0]
        eta += people[table["g"], 1] * table["x"]
        again = table.assign(y=rng.binomial(1, expit(eta)).astype(float))
        fitted = fit_mixed(formula, again, "binomial").fixed
        draws.append([(f.estimate - e) / f.se for f, e in zip(fitted, estimates, strict=True)])
    reached = np.sort(np.abs(draws), axis=0)
    assert found.failed == 0
    for row, known, own in zip(found.fixed, result.fixed, reached.T, strict=True):
        assert row.p == pytest.approx((1 + (own >= abs(known.z)).sum()) / 20)
        assert row.ci_high - row.estimate == pytest.approx(own[18] * known.se, rel=1e-4)


@pytest.mark.parametrize("family", ["gaussian", "poisson"])
def test_every_family_is_drawn_from(family):
    table = answers().assign(y=lambda t: t["v"] if family == "gaussian" else t["y"])
    result = fit_mixed("y ~ x + (1 | g)", table, family)
    found = parametric_bootstrap(result, Method(), 19, HERE)
    for row, known in zip(found.fixed, result.fixed, strict=True):
        assert row.ci_low < row.estimate == known.estimate < row.ci_high
        assert row.ci_high - row.ci_low == pytest.approx(known.ci_high - known.ci_low, rel=0.5)


@pytest.mark.parametrize(
    ("draws", "within"), [(300, 0.09), pytest.param(1500, 0.04, marks=pytest.mark.slow)]
)
def test_without_random_effects_it_is_students_t(draws, within):
    table = answers()
    result = fit_mixed("v ~ x", table)
    found = parametric_bootstrap(result, Method(), draws, HERE)
    for row, known in zip(found.fixed, result.fixed, strict=True):
        assert row.p == pytest.approx(known.p, abs=within)
        assert row.ci_low == pytest.approx(known.ci_low, abs=3 * within * known.se)


@pytest.mark.slow
def test_the_number_of_workers_changes_nothing():
    result = fit_mixed("v ~ x + (1 | g)", answers())
    alone = parametric_bootstrap(result, Method(), 30, HERE)
    assert parametric_bootstrap(result, Method(), 30, Workers(2)) == alone


def test_what_can_not_be_drawn_is_refused():
    result = fit_mixed("v ~ x + (1 | g)", answers())
    with pytest.raises(UserError, match="at least 19"):
        parametric_bootstrap(result, Method(), 5, HERE)
    table = answers().assign(w=1.5)
    weighted = fit_mixed("y ~ x + (1 | g)", table, "binomial", reading=Reading(weights="w"))
    with pytest.raises(UserError, match="--weights"):
        parametric_bootstrap(weighted, Method(), 20, HERE)
