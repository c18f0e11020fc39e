"""Adaptive quadrature and the penalty, where the Laplace approximation is poor."""

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import gamma, norm

from analysis.mixed import fit_logistic, fit_mixed
from analysis.mixed.design import build_design
from analysis.mixed.estimation import RATES, Method, penalised, penalty
from analysis.mixed.families import GENERALISED
from analysis.mixed.laplace import Laplace
from analysis.mixed.parameters import Scaling
from analysis.mixed.quadrature import Quadrature
from analysis.mixed.simplify import PENALISED
from stimuli.errors import UserError
from tests.analysis.mixed import slow
from tests.analysis.mixed.data import public
from tests.analysis.mixed.test_likelihoods import EFFECTS, RESPONSES, frame, numeric_gradient

CBPP = "cbind(incidence, size - incidence) ~ C(period) + (1 | herd)"


def model(family, effects, nodes):
    design = build_design(f"{RESPONSES[family]} ~ {effects}", frame(), family)
    scaling, part = Scaling.of(design), GENERALISED[family]
    data = design.response, design.trials, design.offset
    laplace = Laplace(scaling, part, *data)
    return design, scaling, laplace, Quadrature(scaling, part, data, nodes, laplace)


@pytest.mark.parametrize("family", RESPONSES)
def test_its_value_is_the_integral_and_its_gradient_the_values_slope(family):
    design, scaling, _, found = model(family, "x + offset(v / 4) + (0 + v | site)", 40)
    at = np.array([-0.3, 0.2, 0.9])
    sd = float(scaling.random[0][0, 0] * at[-1])
    fixed = design.offset + design.fixed @ (scaling.fixed @ at[:-1])
    (factor,) = design.random
    expected = 0.0
    for level in range(factor.levels):
        own = factor.codes == level

        def density(u, own=own):
            eta = fixed[own] + sd * factor.regressors[own, 0] * u
            logs = slow.log_density(family, design.response[own], design.trials[own], eta)
            return np.exp(logs.sum()) * norm.pdf(u)

        expected += np.log(quad(density, -9, 9, epsabs=0, epsrel=1e-9, limit=200)[0])
    constant = GENERALISED[family].constant(design.response, design.trials)
    assert found.value_and_gradient(at)[0] + constant == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("nodes", [1, 2, 7])
@pytest.mark.parametrize("family", RESPONSES)
def test_its_gradient_is_exact_with_few_nodes_too(family, nodes):
    _, _, laplace, found = model(family, "x + (1 | person)", nodes)
    at = np.array([-0.3, 0.2, 0.9])
    value, gradient = found.value_and_gradient(at)
    np.testing.assert_allclose(gradient, numeric_gradient(found.value_and_gradient, at), atol=1e-4)
    if nodes == 1:
        assert value == pytest.approx(laplace.value_and_gradient(at)[0], abs=1e-8)


def test_grouped_binomial_is_lme4s():
    """lme4 1.1-31, glmer(..., nAGQ = 5, 9, 25): their log-likelihoods lack a constant."""
    fits = {
        n: fit_mixed(CBPP, public("cbpp"), "binomial", method=Method(quadrature=n))
        for n in (5, 9, 25)
    }
    assert [row.estimate for row in fits[9].fixed] == pytest.approx(
        [-1.399226, -0.991390, -1.127834, -1.579443], abs=5e-5
    )
    assert fits[9].random[0].sd == pytest.approx(0.647513, abs=2e-5)
    theirs = {5: -50.0056840858, 9: -50.0050180333, 25: -50.0050152744}
    for nodes in (5, 9):
        difference = fits[nodes].log_likelihood - fits[25].log_likelihood
        assert difference == pytest.approx(theirs[nodes] - theirs[25], abs=1e-7)
    assert "9 nodes" in fits[9].engine


@pytest.mark.parametrize(
    ("formula", "family"),
    [("y ~ x + (1 + x | person)", "binomial"), ("y ~ (1 | person) + (1 | thing)", "poisson"),
     ("y ~ x", "binomial"), ("y ~ (1 | person)", "gaussian")],
)  # fmt: skip
def test_it_is_refused_where_it_has_no_meaning(formula, family):
    table = frame().assign(y=lambda t: (t["hits"] > 0).astype(float))
    with pytest.raises(UserError, match="--quadrature goes with"):
        fit_mixed(formula, table, family, method=Method(quadrature=5))


def sparse(groups=24, rows=4, seed=2, sd=6.0):
    """Return 0/1 answers of groups most of which gave one answer only."""
    rng = np.random.default_rng(seed)
    g = np.repeat(np.arange(groups), rows)
    x = np.tile([-0.5, 0.5], len(g) // 2)
    eta = rng.normal(0, sd, groups)[g] + x
    return pd.DataFrame({"g": g, "x": x, "y": (rng.random(len(g)) < expit(eta)).astype(float)})


def test_groups_with_one_answer_do_not_run_off():
    """The Laplace approximation's SD is far above the truth, 3; quadrature and penalty near."""
    table = sparse(groups=60, sd=3.0)
    laplace = fit_mixed("y ~ x + (1 | g)", table, "binomial")
    exact = fit_mixed("y ~ x + (1 | g)", table, "binomial", method=Method(quadrature=25))
    calm = fit_mixed(
        "y ~ x + (1 | g)", table, "binomial", method=Method(quadrature=25, penalised=True)
    )
    assert calm.random[0].sd < exact.random[0].sd
    assert exact.random[0].sd == pytest.approx(3, abs=1.5)
    assert calm.converged
    assert calm.fixed[1].se < laplace.fixed[1].se * 1.5
    assert "penalty" in calm.engine
    assert calm.log_likelihood < exact.log_likelihood


@pytest.mark.parametrize("effects", EFFECTS.values(), ids=EFFECTS)
def test_the_penaltys_slope_is_its_own(effects):
    design = build_design(f"count ~ {effects}", frame(), "poisson")
    scaling = Scaling.of(design)
    model = Laplace(scaling, GENERALISED["poisson"], design.response, design.trials, design.offset)
    rng = np.random.default_rng(7)
    at = model.triangles.start(0.8) + rng.normal(0, 0.3, len(model.triangles))
    found = penalty(scaling, model.triangles, 0.5, at)[1]

    def value(spread):
        return penalty(scaling, model.triangles, 0.5, spread)

    np.testing.assert_allclose(found, numeric_gradient(value, at), atol=1e-6)
    p = scaling.x.shape[1]
    both = np.concatenate([np.zeros(p), at])
    whole = penalised(model.value_and_gradient, scaling, "poisson", p)
    plain = model.value_and_gradient(both)
    assert whole(both)[0] == pytest.approx(plain[0] + value(at)[0])
    np.testing.assert_allclose(whole(both)[1][p:] - plain[1][p:], found)


def test_of_one_effect_it_is_the_gammas_log_density():
    """Up to a constant: shape 2, the family's rate, on the link's scale."""
    design = build_design("count ~ 1 + (1 | person)", frame(),
                          "poisson")  # fmt: skip
    scaling = Scaling.of(design)
    triangles = Laplace(scaling, GENERALISED["poisson"], design.response, design.trials,
                        design.offset).triangles  # fmt: skip
    values = [penalty(scaling, triangles, RATES["poisson"], np.array([s]))[0] for s in (0.3, 2.0)]
    density = gamma(2, scale=1 / RATES["poisson"]).logpdf([0.3, 2.0])
    assert values[0] - values[1] == pytest.approx(density[0] - density[1])


def runaway(seed=1):
    """Two people and twelve items, each of which has two answers: the likelihood is flat."""
    rng = np.random.default_rng(seed)
    p, i = np.repeat(np.arange(2), 12), np.tile(np.arange(12), 2)
    x = (p + i) % 2 - 0.5
    eta = 1 + rng.normal(0, 1, 2)[p] + rng.normal(0, 1, 12)[i] + x
    return pd.DataFrame({"p": p, "i": i, "x": x, "y": rng.random(24) < expit(eta)})


def test_a_reports_model_that_runs_off_is_penalised_and_says_so():
    formula = "y ~ x + (1 + x || p) + (1 + x || i)"
    found = [fit_logistic(formula, runaway(seed)) for seed in (1, 2)]
    saved = [fit for fit in found if PENALISED in fit.notes]
    assert saved
    for fit in saved:
        assert fit.converged
        assert "penalty" in fit.engine
        assert max(row.sd for row in fit.random) < 10


def test_counts_are_lme4s():
    """glmer(TICKS ~ cHEIGHT + (1 | BROOD), family = poisson, nAGQ = 15) of lme4 1.1-31."""
    found = fit_mixed(
        "TICKS ~ cHEIGHT + (1 | BROOD)", public("grouseticks"), "poisson", Method(quadrature=15)
    )
    assert [row.estimate for row in found.fixed] == pytest.approx([0.569049, -0.0251675], abs=2e-4)
    assert found.random[0].sd == pytest.approx(1.31292, abs=2e-4)
