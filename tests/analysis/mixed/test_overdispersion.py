"""Counts that scatter more than Poisson's are noticed; others are left in peace."""

from dataclasses import replace
from itertools import islice

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from analysis.mixed import fit_mixed
from analysis.mixed.design import build_design
from analysis.mixed.diagnostics import ALARM, overdispersion
from analysis.mixed.families import POISSON
from analysis.mixed.laplace import Laplace
from analysis.mixed.maximise import maximise
from analysis.mixed.parameters import Scaling
from tests.analysis.mixed import slow
from tests.analysis.mixed.data import public

TICKS = "TICKS ~ C(YEAR) + cHEIGHT + (1 | BROOD)"


def counts(people=12, items=10, base=0.5, extra=0.0, seed=1):
    """Yield a design without end, each with new counts."""
    rng = np.random.default_rng(seed)
    g, i = np.repeat(np.arange(people), items), np.tile(np.arange(items), people)
    x = rng.choice([-0.5, 0.5], len(g))
    table = pd.DataFrame({"g": g, "i": i, "x": x, "y": 0})
    design = build_design("y ~ x + (1 | g) + (1 | i)", table, "poisson")
    while True:
        eta = base + rng.normal(0, 0.5, people)[g] + rng.normal(0, 0.4, items)[i] + 0.3 * x
        eta += rng.normal(0, extra, len(g))
        yield replace(design, response=rng.poisson(np.exp(eta)).astype(float))


def found(design):
    scaling = Scaling.of(design)
    model = Laplace(scaling, POISSON, design.response, design.trials, design.offset)
    point = maximise(model.value_and_gradient, *model.start()).point
    return model, point, overdispersion(model, point, design.response)


@pytest.mark.parametrize(
    ("base", "studies"),
    [(1.0, 12), *(pytest.param(base, 120, marks=pytest.mark.slow) for base in (-1.0, 1.0))],
)
def test_poisson_counts_hold_its_level(base, studies):
    alarms = [found(design)[2].p < 0.05 for design in islice(counts(base=base), studies)]
    assert sum(alarms) <= binom.ppf(0.999, studies, 0.05)


def test_counts_that_scatter_more_are_found():
    alarms = [found(design)[2].p < ALARM for design in islice(counts(extra=0.6), 6)]
    assert sum(alarms) >= 5


def test_leverages_are_the_dense_hat_matrix():
    design = next(counts())
    model, point, _ = found(design)
    _, variance, mean = model.predictor(point)
    leverage = mean * variance
    scaling, p = Scaling.of(design), design.fixed.shape[1]
    scaled = replace(design, random=scaling.factors)
    whole = np.hstack([scaling.x, slow.dense_root(scaled, model.triangles.matrices(point[p:]))])
    penalty = np.diag(np.r_[np.zeros(p), np.ones(whole.shape[1] - p)])
    inverse = np.linalg.inv(whole.T @ (mean[:, None] * whole) + penalty)
    hat = mean * np.einsum("ij,jk,ik->i", whole, inverse, whole)
    np.testing.assert_allclose(leverage, hat, rtol=1e-7)


def test_the_note_offers_a_row_effect_which_takes_it_up():
    without = fit_mixed(TICKS, public("grouseticks"), "poisson")
    assert "--row-effect" in without.notes[0]
    with_rows = fit_mixed(f"{TICKS} + (1 | INDEX)", public("grouseticks"), "poisson")
    assert not any("--row-effect" in note for note in with_rows.notes)
    assert with_rows.fixed[3].se > without.fixed[3].se
