"""Negative binomial, gamma and ordinal models."""

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import quad
from scipy.stats import binom, norm
from statsmodels.discrete.discrete_model import NegativeBinomial
from statsmodels.miscmodels.ordinal_model import OrderedModel

from analysis.mixed import NotEstimableError, fit_mixed, fit_ordinal, marginal_probabilities
from analysis.mixed.design import build_design
from analysis.mixed.estimation import Method, family_of
from analysis.mixed.laplace import Laplace
from analysis.mixed.modes import conditional_modes
from analysis.mixed.parameters import Scaling
from stimuli.errors import UserError
from tests.analysis.mixed import slow
from tests.analysis.mixed.data import public
from tests.analysis.mixed.test_likelihoods import frame, numeric_gradient, own_scale

WINE = "rating ~ temp + contact + (1 | judge)"
SHAPES = {"nbinom2": [0.4], "gamma": [0.9], "ordinal": [-0.8, -0.2, 0.3]}


def estimates(result):
    return [row.estimate for row in (*result.fixed, *result.family_parameters)]


def errors(result):
    return [row.se for row in (*result.fixed, *result.family_parameters)]


def z_fit(formula, table, family):
    return fit_mixed(formula, table, family, method=Method(inference="z"))


def rows():
    """Return people × things with a response for each of the families."""
    table = frame()
    rng = np.random.default_rng(4)
    return table.assign(
        count=rng.negative_binomial(1.5, 0.4, len(table)),
        wait=rng.gamma(2.0, 1.5, len(table)),
        level=np.arange(len(table)) * 7 % 11 % 4,
    )


RESPONSES = {"nbinom2": "count", "gamma": "wait", "ordinal": "level"}


@pytest.mark.parametrize("family", RESPONSES)
@pytest.mark.parametrize("effects", ["x + (1 + x | person) + (1 | thing)", "v + (1 | site)"])
def test_laplace_value_is_the_definitions_and_its_gradient_the_values_slope(effects, family):
    design = build_design(f"{RESPONSES[family]} ~ {effects}", rows(), family)
    scaling, part = Scaling.of(design), family_of(design, family)
    model = Laplace(scaling, part, design.response, design.trials, design.offset)
    rng, p = np.random.default_rng(5), design.fixed.shape[1]
    spread = model.triangles.start(0.8) + rng.normal(0, 0.3, len(model.triangles))
    shape = np.array(SHAPES[family])
    at = np.concatenate([rng.normal(0, 0.3, p), spread, shape])
    value, gradient = model.value_and_gradient(at)
    value += part.family(shape).constant(design.response, design.trials)
    expected = slow.laplace_of(
        lambda eta: slow.shaped_log_density(family, design.response, eta, part.named(shape)[0]),
        design, own_scale(scaling, model, spread), scaling.fixed @ at[:p],
    )  # fmt: skip
    assert value == pytest.approx(expected, abs=2e-5)
    slopes = numeric_gradient(model.value_and_gradient, at)
    np.testing.assert_allclose(gradient, slopes, atol=2e-5 * max(1, np.abs(gradient).max()))


def test_wine_by_clmm():
    """ordinal 2022.11-16: clmm(rating ~ temp + contact + (1 | judge), data = wine)."""
    found = z_fit(WINE, public("wine"), "ordinal")
    assert found.log_likelihood == pytest.approx(-81.5654093, abs=1e-5)
    assert estimates(found) == pytest.approx(
        [3.06299663, 1.83488492, -1.62366692, 1.51336518, 4.22852669, 6.08877256], abs=3e-5
    )
    assert errors(found) == pytest.approx(
        [0.595376183, 0.512529332, 0.682441032, 0.603753330, 0.808966050, 0.972453654], abs=5e-5
    )
    assert found.random[0].sd == pytest.approx(1.13113258, abs=2e-5)
    assert [row.term for row in found.family_parameters] == ["1|2", "2|3", "3|4", "4|5"]
    modes = conditional_modes(found)["judge"].effects[:, 0]
    assert modes[:3] == pytest.approx([1.6961781751, -0.5657830767, 0.9688082782], abs=1e-4)
    assert found.converged
    assert found.parameters == 7


def test_ticks_by_glmmtmb():
    """glmmTMB 1.1.5: TICKS ~ YEAR + scale(HEIGHT) + (1|BROOD) + (1|LOCATION), nbinom2."""
    model = "TICKS ~ C(YEAR) + scale(cHEIGHT) + (1 | BROOD) + (1 | LOCATION)"
    found = z_fit(model, public("grouseticks"), "nbinom2")
    assert found.log_likelihood == pytest.approx(-888.908426, abs=1e-5)
    assert estimates(found) == pytest.approx(
        [0.523721087, 1.167169374, -0.988244136, -0.851401499, 3.29299835], abs=3e-5
    )
    assert errors(found)[:4] == pytest.approx([0.194751, 0.232895, 0.257106, 0.126152], abs=5e-6)
    assert [row.sd for row in found.random] == pytest.approx([0.697971398, 0.593369929], abs=2e-5)


@pytest.mark.parametrize(
    ("effects", "log_likelihood", "expected", "se", "sds", "dispersion"),
    [
        ("(1 | Subject)", -883.578337, [5.53394471, 0.03384509], [0.0322709564, 0.0025064505],
         [0.124587], 0.0966416501),
        ("(1 + Days | Subject)", -866.018343, [5.53251792, 0.03384996],
         [0.02627629, 0.00462856], [0.1008579, 0.0175084], 0.080852791),
    ],
)  # fmt: skip
def test_sleep_by_glmmtmb(effects, log_likelihood, expected, se, sds, dispersion):
    """glmmTMB 1.1.5: Reaction ~ Days + ..., sleepstudy, Gamma(link = "log")."""
    found = z_fit(f"Reaction ~ Days + {effects}", public("sleepstudy"), "gamma")
    assert found.log_likelihood == pytest.approx(log_likelihood, abs=1e-6)
    assert [row.estimate for row in found.fixed] == pytest.approx(expected, abs=1e-6)
    assert [row.se for row in found.fixed] == pytest.approx(se, abs=2e-8, rel=2e-6)
    assert [row.sd for row in found.random] == pytest.approx(sds, abs=1e-6)
    assert found.family_parameters[0].estimate ** -0.5 == pytest.approx(dispersion, abs=2e-7)


def test_levels_have_an_order_and_no_size():
    table = public("wine").assign(
        back=lambda t: -t["rating"], far=lambda t: t["rating"] ** 3, word=lambda t: t["rating"].map(
            dict(enumerate(("poor", "so-so", "fair", "good", "best"), 1)))
    )  # fmt: skip
    whole = fit_ordinal(WINE, table)
    far = fit_ordinal(WINE.replace("rating", "far"), table)
    back = fit_ordinal(WINE.replace("rating", "back"), table)
    assert estimates(far) == pytest.approx(estimates(whole), abs=1e-6)
    thresholds = [row.estimate for row in whole.family_parameters]
    assert thresholds == sorted(thresholds)
    turned = [-value for value in (*estimates(whole)[:2], *reversed(thresholds))]
    assert estimates(back) == pytest.approx(turned, abs=1e-4)
    with pytest.raises(UserError, match="give its order with --levels"):
        fit_ordinal(WINE.replace("rating", "word"), table)


def test_t_tests_of_levels_allow_for_the_variances():
    """Errors grow by a step of REML, degrees of freedom are finite; z takes neither."""
    by_t, by_z = fit_ordinal(WINE, public("wine")), z_fit(WINE, public("wine"), "ordinal")
    assert estimates(by_t) == pytest.approx(estimates(by_z), abs=1e-6)
    assert all(t.se > z.se for t, z in zip(by_t.fixed, by_z.fixed, strict=True))
    assert by_t.statistic == "t"
    assert np.isfinite([row.df for row in by_t.fixed]).all()


def null_ratings(rng, people, items):
    """Return ratings from 1 to 5 that nothing changes: of people in two arms, of 12 items each."""
    who, item = np.repeat(np.arange(people), 12), np.tile(np.arange(12), people)
    eta = rng.normal(0, 1, people)[who]
    if items:
        eta = eta + rng.normal(0, 0.7, 12)[item]
    latent = eta + rng.logistic(size=len(who))
    return pd.DataFrame(
        {
            "rating": 1 + (latent > np.array([[-1.5], [-0.5], [0.5], [1.5]])).sum(axis=0),
            "arm": np.where(who % 2, 0.5, -0.5),
            "inside": np.where((item + who // 2) % 2, 0.5, -0.5),
            "participant": who,
            "item": item,
        }
    )


@pytest.mark.slow
@pytest.mark.parametrize("items", [False, True])
@pytest.mark.parametrize("people", [24, 48])
def test_ratings_that_nothing_changes_give_five_percent_of_alarms(people, items):
    """Between people (`arm`) and within them (`inside`), 200 studies."""
    formula = "rating ~ arm + inside + (1 | participant)" + " + (1 | item)" * items
    rng, studies, alarms = np.random.default_rng(1), 200, {"arm": 0, "inside": 0}
    for _ in range(studies):
        found = fit_ordinal(formula, null_ratings(rng, people, items))
        for row in found.fixed:
            if row.term in alarms:
                alarms[row.term] += row.p < 0.05
    low, high = binom.interval(0.999, studies, 0.05)
    print(f"\n{people} people, {'items' if items else 'no items'}: {alarms}")
    assert all(low <= count <= high for count in alarms.values())


def test_the_mean_level_is_that_of_its_probabilities():
    """Averaged over the judges by many draws from the fitted model."""
    found = fit_ordinal(WINE, public("wine"))
    cold = public("wine").assign(temp="cold")
    average = marginal_probabilities(found, [cold]).probability(0)
    rng = np.random.default_rng(1)
    thresholds = np.array([row.estimate for row in found.family_parameters])
    eta = found.fixed[1].estimate * (cold["contact"] == "yes").to_numpy()
    eta = np.repeat(eta, 2000) + rng.normal(0, found.random[0].sd, 2000 * len(cold))
    drawn = 1 + (eta[:, None] + rng.logistic(size=(len(eta), 1)) > thresholds).sum(axis=1)
    assert average.estimate == pytest.approx(drawn.mean(), abs=0.01)
    assert 1 < average.ci_low < average.estimate < average.ci_high < 5


def test_separated_levels_are_named():
    table = pd.DataFrame({"level": [1, 1, 2, 2, 3, 3] * 2, "x": [0, 0, 0, 0, 1, 1] * 2})
    found = fit_mixed("level ~ x", table, "ordinal")
    assert not found.converged
    assert "along x" in found.notes[0]


@pytest.mark.parametrize(
    ("family", "cells", "said"),
    [
        ("nbinom2", [0, 1.5, 2], "y is 1.5 in line 3: a nbinom2 response counts"),
        ("nbinom2", [0, -1, 2], "y is -1 in line 3"),
        ("gamma", [1, 0, 2], "y is 0 in line 3: a gamma response is above 0"),
        ("gamma", [1, -1, 2], "y is -1 in line 3"),
        ("ordinal", [2, 2, 2], "y is 2 in every row"),
        ("ordinal", ["low", "high", "low"], r"y is text \(high, low\): give its order"),
    ],
)
def test_responses_that_dont_suit_are_named(family, cells, said):
    with pytest.raises(UserError, match=said):
        fit_mixed("y ~ 1", pd.DataFrame({"y": cells}), family)


def test_counts_that_are_all_zero_have_no_estimate():
    with pytest.raises(NotEstimableError, match="all 4 counts are 0"):
        fit_mixed("y ~ 1", pd.DataFrame({"y": [0, 0, 0, 0]}), "nbinom2")


def test_counts_that_scatter_no_more_than_poisson_counts_are_said():
    table = frame()
    found, plain = (fit_mixed("count ~ x", table, family) for family in ("nbinom2", "poisson"))
    assert "--family poisson fits as well" in found.notes[0]
    assert estimates(found)[:2] == pytest.approx(estimates(plain), abs=1e-3)


def test_wine_with_a_slope_by_clmm():
    """The same package: clmm(rating ~ temp + contact + (1 + temp | judge), data = wine)."""
    found = z_fit("rating ~ temp + contact + (1 + temp | judge)", public("wine"), "ordinal")
    assert found.log_likelihood == pytest.approx(-81.5463953, abs=1e-6)
    assert estimates(found)[:2] == pytest.approx([3.06559578, 1.83197538], abs=2e-5)
    assert errors(found)[:2] == pytest.approx([0.614722181, 0.515580412], abs=2e-4)
    assert found.correlations[0].r == pytest.approx(0.648667115, abs=1e-3)


def test_without_random_effects_they_are_statsmodels_regressions():
    table = rows()
    x = table["v"].to_numpy()[:, None]
    found = z_fit("count ~ v", table, "nbinom2")
    other = NegativeBinomial(table["count"], np.hstack([np.ones_like(x), x])).fit(
        method="bfgs", maxiter=500, disp=0, gtol=1e-8
    )
    assert found.log_likelihood == pytest.approx(other.llf, abs=1e-5)
    assert estimates(found)[:2] == pytest.approx(other.params[:2], abs=2e-4)
    found = z_fit("level ~ v", table, "ordinal")
    other = OrderedModel(table["level"], x, distr="logit").fit(method="bfgs", disp=0, gtol=1e-8)
    thresholds = other.model.transform_threshold_params(other.params)[1:-1]
    assert estimates(found) == pytest.approx([other.params.iloc[0], *thresholds], abs=1e-4)
    assert errors(found)[0] == pytest.approx(other.bse.iloc[0], abs=1e-4)


@pytest.mark.parametrize("family", RESPONSES)
def test_the_approximation_is_near_the_integral(family):
    """One effect of groups with many rows, each group's integral by scipy's quad."""
    rng = np.random.default_rng(3)
    table = pd.DataFrame({"g": np.repeat(np.arange(3), 60)})
    table["count"] = rng.negative_binomial(1.5, 0.4, len(table))
    table["wait"] = rng.gamma(2.0, 1.0, len(table))
    table["level"] = rng.integers(0, 4, len(table))
    design = build_design(f"{RESPONSES[family]} ~ 1 + (1 | g)", table, family)
    part, shape = family_of(design, family), np.array(SHAPES[family])
    scaling = Scaling.of(design)
    model = Laplace(scaling, part, design.response, design.trials, design.offset)
    own = np.full(design.fixed.shape[1], 0.2)
    at = np.concatenate([np.linalg.solve(scaling.fixed, own), [0.7], shape])
    value = model.value_and_gradient(at)[0]
    value += part.family(shape).constant(design.response, design.trials)
    total = 0.0
    for level in range(3):
        y = design.response[design.random[0].codes == level]

        def log_joint(u, y=y):
            eta = np.full(len(y), own.sum() + 0.7 * u)
            named = part.named(shape)[0]
            return slow.shaped_log_density(family, y, eta, named).sum() + norm.logpdf(u)

        top = max(log_joint(u) for u in np.linspace(-4, 4, 81))
        area = quad(lambda u, top=top, log=log_joint: np.exp(log(u) - top), -6, 6, limit=200)[0]
        total += top + np.log(area)
    assert value == pytest.approx(total, abs=0.02)
