"""Values and gradients of both likelihoods against their definitions."""

import numpy as np
import pandas as pd
import pytest

from analysis.mixed.design import build_design
from analysis.mixed.families import GENERALISED
from analysis.mixed.gaussian import LinearMixed
from analysis.mixed.laplace import Laplace
from analysis.mixed.parameters import Scaling
from tests.analysis.mixed import slow


def frame(people=6, things=7, seed=1):
    rng = np.random.default_rng(seed)
    rows = pd.DataFrame(
        [(p, t) for p in range(people) for t in range(things)], columns=["person", "thing"]
    )
    rows = rows.assign(
        x=rng.choice([-0.5, 0.5], len(rows)),
        v=3 + rng.normal(size=len(rows)),
        f=rng.choice(list("abc"), len(rows)),
        site=rows["person"] % 3,
        size=rng.integers(1, 6, len(rows)),
        y=rng.normal(10, 3, len(rows)),
        count=rng.poisson(2.0, len(rows)),
    )
    rows["hits"] = rng.binomial(rows["size"], 0.4)
    return rows.sample(frac=0.85, random_state=2).reset_index(drop=True)


EFFECTS = {
    "one factor": "x + (1 | person)",
    "correlated slopes": "x + (1 + x + v | person)",
    "slopes apart": "x + (1 + x + v || person)",
    "crossed": "x + v + (1 | person) + (1 | thing)",
    "crossed, correlated": "x * v + (1 + x | person) + (1 + v | thing)",
    "nested, with an offset": "x + offset(v) + (1 | site/person)",
    "a factor's slopes": "f + (0 + f | person) + (1 | thing)",
    "three factors": "x + (0 + x | site) + (1 | person) + (1 + v || thing)",
    "correlated and apart": "x + (1 + x | person) + (0 + v | person) + (1 | thing)",
}
RESPONSES = {
    "binomial": "cbind(hits, size - hits)",
    "probit": "cbind(hits, size - hits)",
    "poisson": "count",
}


def own_scale(scaling, model, spread):
    """Return triangles for the columns as they stand."""
    pairs = zip(scaling.random, model.triangles.matrices(spread), strict=True)
    return [own @ triangle for own, triangle in pairs]


def numeric_gradient(function, at, step=1e-5):
    steps = step * np.eye(len(at))
    return [(function(at + s)[0] - function(at - s)[0]) / (2 * step) for s in steps]


def spread_near(model, rng):
    return model.triangles.start(0.8) + rng.normal(0, 0.3, len(model.triangles))


@pytest.mark.parametrize("family", RESPONSES)
@pytest.mark.parametrize("effects", EFFECTS.values(), ids=EFFECTS)
def test_laplace_value_is_the_definitions_and_its_gradient_the_values_slope(effects, family):
    design = build_design(f"{RESPONSES[family]} ~ {effects}", frame(), family)
    scaling = Scaling.of(design)
    part = GENERALISED[family]
    model = Laplace(scaling, part, design.response, design.trials, design.offset)
    rng = np.random.default_rng(5)
    at = np.concatenate([rng.normal(0, 0.3, design.fixed.shape[1]), spread_near(model, rng)])
    p = design.fixed.shape[1]
    value, gradient = model.value_and_gradient(at)
    triangles = own_scale(scaling, model, at[p:])
    expected = slow.laplace(design, family, triangles, scaling.fixed @ at[:p])
    assert value + part.constant(design.response, design.trials) == pytest.approx(
        expected, abs=1e-6
    )
    slopes = numeric_gradient(model.value_and_gradient, at)
    np.testing.assert_allclose(gradient, slopes, atol=1e-5 * max(1, np.abs(gradient).max()))


@pytest.mark.parametrize("part", GENERALISED.values(), ids=lambda part: part.name)
def test_each_familys_derivatives_are_those_of_its_density(part):
    eta = np.linspace(-6, 6, 49)
    trials = np.full(len(eta), 5.0)
    y = np.arange(len(eta)) % 6 * 1.0
    step = 1e-5

    def slope(function):
        return (function(eta + step) - function(eta - step)) / (2 * step)

    score, weight, bend = part.derivatives(y, trials, eta)
    assert score == pytest.approx(slope(lambda at: part.log_density(y, trials, at)), abs=2e-5)
    assert -weight == pytest.approx(
        slope(lambda at: part.derivatives(y, trials, at)[0]), rel=1e-6, abs=1e-7
    )
    assert bend == pytest.approx(
        slope(lambda at: part.derivatives(y, trials, at)[1]), rel=1e-6, abs=1e-7
    )
    assert (weight > 0).all()


@pytest.mark.parametrize("restricted", [False, True])
@pytest.mark.parametrize("effects", EFFECTS.values(), ids=EFFECTS)
def test_linear_value_is_the_definitions_and_its_gradient_the_values_slope(effects, restricted):
    design = build_design(f"y ~ {effects}", frame(), "gaussian")
    scaling = Scaling.of(design)
    model = LinearMixed(scaling, design.response - design.offset, restricted)
    at = spread_near(model, np.random.default_rng(6))
    value, gradient = model.value_and_gradient(at)
    fit = model.fit(at)
    triangles = [fit.residual_sd * t for t in own_scale(scaling, model, at)]
    if restricted:
        expected = slow.restricted(design, triangles, fit.residual_sd)
    else:
        coefficients = scaling.fixed @ fit.coefficients
        expected = slow.linear(design, triangles, fit.residual_sd, coefficients)
    assert value == pytest.approx(expected, abs=1e-7)
    np.testing.assert_allclose(gradient, numeric_gradient(model.value_and_gradient, at), atol=1e-5)


def test_far_from_the_maximum_the_mode_is_still_found():
    """Newton's step overshoots there; halving brings it back."""
    design = build_design("count ~ x + (1 | person) + (1 | thing)", frame(), "poisson")
    scaling = Scaling.of(design)
    model = Laplace(scaling, GENERALISED["poisson"], design.response, design.trials, design.offset)
    at = np.array([-6.0, 2.0, 5.0, 4.0])
    value = model.value_and_gradient(at)[0]
    triangles = own_scale(scaling, model, at[2:])
    constant = GENERALISED["poisson"].constant(design.response, design.trials)
    expected = slow.laplace(design, "poisson", triangles, scaling.fixed @ at[:2])
    assert value + constant == pytest.approx(expected, abs=1e-4)
