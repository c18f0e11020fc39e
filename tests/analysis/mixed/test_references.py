"""Published fits, to the digits that were published."""

import numpy as np
import pytest
from scipy.stats import poisson

from analysis.mixed import fit_mixed
from analysis.mixed.estimation import Method
from tests.analysis.mixed.data import public


def estimates(result):
    return [row.estimate for row in result.fixed]


def errors(result):
    return [row.se for row in result.fixed]


def sds(result):
    return {(row.group, row.term): row.sd for row in result.random}


def test_sleepstudy_maximum_likelihood():
    """Bates et al. (2015), section 2; standard errors and SDs: MixedModels.jl, test/pls.jl."""
    found = fit_mixed(
        "Reaction ~ Days + (1 + Days | Subject)",
        public("sleepstudy"),
        "gaussian",
        method=Method(restricted=False),
    )
    assert -2 * found.log_likelihood == pytest.approx(1751.9393444647046, abs=1e-7)
    assert estimates(found) == pytest.approx([251.40510484848477, 10.4672859595959], abs=1e-6)
    assert errors(found) == pytest.approx([6.632257721914501, 1.5022354739749826], abs=5e-5)
    assert sds(found)["Subject", "(Intercept)"] == pytest.approx(23.780468100188497, abs=2e-3)
    assert sds(found)["Subject", "Days"] == pytest.approx(5.716827903196682, abs=1e-4)
    assert found.converged
    assert found.parameters == 6


def test_sleepstudy_restricted():
    """lme4's VarCorr: variances 612.10 and 35.07, covariance 9.60, residual 654.94."""
    found = fit_mixed("Reaction ~ Days + (1 + Days | Subject)", public("sleepstudy"))
    assert -2 * found.log_likelihood == pytest.approx(1743.6283, abs=5e-5)
    assert sds(found)["Subject", "(Intercept)"] ** 2 == pytest.approx(612.10, abs=0.02)
    assert sds(found)["Subject", "Days"] ** 2 == pytest.approx(35.07, abs=0.006)
    assert found.residual_sd**2 == pytest.approx(654.94, abs=0.006)
    both = found.correlations[0]
    covariance = both.r * np.prod([row.sd for row in found.random])
    assert covariance == pytest.approx(9.60, abs=0.006)
    assert (both.group, both.term1, both.term2) == ("Subject", "(Intercept)", "Days")
    assert errors(found) == pytest.approx([6.8246, 1.5458], abs=5e-5)


def test_a_variance_of_zero_is_found_and_said():
    """Dyestuff2, MixedModels.jl, test/pls.jl."""
    found = fit_mixed(
        "Yield ~ 1 + (1 | Batch)", public("dyestuff2"), method=Method(restricted=False)
    )
    assert -2 * found.log_likelihood == pytest.approx(162.87303665382575, abs=1e-8)
    assert found.random[0].sd < 1e-4
    assert found.residual_sd == pytest.approx(3.653231351374652, abs=1e-6)
    assert errors(found) == pytest.approx([0.6669857396443261], abs=1e-6)
    assert any("(Intercept) by Batch is estimated as zero" in note for note in found.notes)
    assert found.converged


def test_crossed_factors():
    """Penicillin: REML, Bates (2010), lme4: Mixed-effects modeling with R, section 2.1.

    Maximum likelihood: MixedModels.jl, test/pls.jl.
    """
    formula = "diameter ~ 1 + (1 | plate) + (1 | sample)"
    restricted = fit_mixed(formula, public("penicillin"))
    assert -2 * restricted.log_likelihood == pytest.approx(330.8606, abs=5e-5)
    assert [*sds(restricted).values(), restricted.residual_sd] == pytest.approx(
        [0.84670, 1.93157, 0.54992], abs=2e-5
    )
    assert errors(restricted) == pytest.approx([0.8086], abs=5e-5)
    full = fit_mixed(formula, public("penicillin"), method=Method(restricted=False))
    assert -2 * full.log_likelihood == pytest.approx(332.18834867227616, abs=1e-7)
    assert errors(full) == pytest.approx([0.7445960346851368], abs=1e-5)
    assert sds(full)["plate", "(Intercept)"] == pytest.approx(0.8455645948223015, abs=1e-4)
    assert sds(full)["sample", "(Intercept)"] == pytest.approx(1.770647779277388, abs=1e-4)
    assert full.groups == {"plate": 24, "sample": 6}


def test_nested_factors():
    """Pastes, MixedModels.jl, test/pls.jl."""
    found = fit_mixed(
        "strength ~ 1 + (1 | batch/cask)", public("pastes"), method=Method(restricted=False)
    )
    assert -2 * found.log_likelihood == pytest.approx(247.99446586289676, abs=1e-7)
    assert estimates(found) == pytest.approx([60.05333333333329])
    assert errors(found) == pytest.approx([0.6421359883527029], abs=1e-5)
    assert sds(found)["batch:cask", "(Intercept)"] == pytest.approx(2.904069002535747, abs=1e-4)
    assert sds(found)["batch", "(Intercept)"] == pytest.approx(1.095070371687089, abs=1e-4)
    assert found.residual_sd == pytest.approx(0.8234088395243269, abs=1e-5)
    assert found.groups == {"batch": 10, "batch:cask": 30}


def test_grouped_binomial():
    """lme4's glmer on cbpp, with the binomial coefficients in the log-likelihood.

    Standard errors: glmmTMB, which also takes them from the full Hessian.
    """
    formula = "cbind(incidence, size - incidence) ~ C(period) + (1 | herd)"
    found = fit_mixed(formula, public("cbpp"), "binomial", method=Method(inference="z"))
    assert [row.term for row in found.fixed] == [
        "(Intercept)", "C(period)[2]", "C(period)[3]", "C(period)[4]",
    ]  # fmt: skip
    assert estimates(found) == pytest.approx([-1.39853, -0.99233, -1.12868, -1.58031], abs=1e-5)
    assert [round(se, 4) for se in errors(found)] == [0.2325, 0.3066, 0.3266, 0.4274]
    assert found.random[0].sd == pytest.approx(0.64226, abs=5e-6)
    assert found.log_likelihood == pytest.approx(-92.02628, abs=5e-6)


def test_counts_with_three_factors():
    """Grouse ticks: MixedModels.jl, test/pirls.jl: deviance of the Laplace approximation.

    That deviance leaves out the log-likelihood of the saturated model.
    """
    data = public("grouseticks")
    formula = "TICKS ~ C(YEAR) + cHEIGHT + (1 | INDEX) + (1 | BROOD) + (1 | LOCATION)"
    found = fit_mixed(formula, data, "poisson")
    saturated = poisson.logpmf(data["TICKS"], data["TICKS"]).sum()
    deviance = 2 * (saturated - found.log_likelihood)
    assert deviance == pytest.approx(849.5439802900257, abs=1e-4)
    assert found.converged


def test_dyestuff():
    """lme4's tests/testthat/test-lmer.R; MixedModels.jl, test/pls.jl."""
    restricted = fit_mixed("Yield ~ 1 + (1 | Batch)", public("dyestuff"))
    assert -2 * restricted.log_likelihood == pytest.approx(319.654276842342, abs=1e-8)
    assert sds(restricted)["Batch", "(Intercept)"] ** 2 == pytest.approx(1764.0375195, rel=1e-4)
    full = fit_mixed("Yield ~ 1 + (1 | Batch)", public("dyestuff"), method=Method(restricted=False))
    assert -2 * full.log_likelihood == pytest.approx(327.3270598811428, abs=1e-8)
    assert full.residual_sd == pytest.approx(49.510099986291145, abs=1e-5)
    assert errors(full) == pytest.approx([17.69455188898009], abs=1e-4)
    assert full.aic == pytest.approx(333.3270598811394, abs=1e-6)
    assert full.bic == pytest.approx(337.5306520261259, abs=1e-6)


def test_sleepstudy_uncorrelated():
    """MixedModels.jl, test/pls.jl (zerocorr), and with a slope alone."""
    data = public("sleepstudy")
    found = fit_mixed(
        "Reaction ~ Days + (1 + Days || Subject)", data, method=Method(restricted=False)
    )
    assert -2 * found.log_likelihood == pytest.approx(1752.0032551398835, abs=1e-7)
    assert errors(found) == pytest.approx([6.707710260366577, 1.5193083237479683], abs=1e-4)
    assert [*sds(found).values(), found.residual_sd] == pytest.approx(
        [24.171449463289047, 5.799379721123582, 25.556130034081047], abs=1e-3
    )
    assert found.correlations == ()
    alone = fit_mixed(
        "Reaction ~ Days + (0 + Days | Subject)", data, method=Method(restricted=False)
    )
    assert -2 * alone.log_likelihood == pytest.approx(1774.080315280528, abs=1e-7)
