"""A predictor's unit and its zero point change nothing but its own coefficient."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from analysis.mixed import fit_mixed
from analysis.mixed.estimation import Method
from analysis.mixed.marginal import margins
from analysis.mixed.simplify import fit_simplified
from tests.analysis.mixed.data import public

WITH_PRODUCT = "{family} ~ arm * x + z + (1 + x {bar} who) + (1 | item)"
WITHOUT = "{family} ~ arm + x + z + (1 + x | who) + (1 | item)"
CASES = {
    "correlated": ("gaussian", "|", False),
    "independent": ("binomial", "||", False),
    "penalised": ("binomial", "|", True),
    "counts": ("poisson", "|", False),
}


@cache
def answers(spread, people=12, items=10):
    """Return a table; `spread` is how much x's slope varies from person to person."""
    rng = np.random.default_rng(4)
    who, item = np.repeat(np.arange(people), items), np.tile(np.arange(items), people)
    x, arm, noise = rng.normal(size=len(who)), who % 2 - 0.5, rng.normal(size=len(who))
    eta = rng.normal(0, 0.7, people)[who] + rng.normal(0, 0.4, items)[item]
    eta += (0.8 + spread * rng.normal(size=people)[who]) * x + 0.3 * arm
    return pd.DataFrame(
        {"who": who, "item": item, "x": x, "arm": arm, "z": rng.normal(size=len(who)),
         "gaussian": eta + noise,
         "binomial": (rng.random(len(who)) < expit(eta)).astype(float),
         "poisson": rng.poisson(np.exp(np.clip(eta, -3, 3))).astype(float)}
    )  # fmt: skip


def fitted(formula, case, spread, unit=1.0, zero=0.0):
    family, bar, penalised = CASES[case]
    table = answers(spread)
    table = table.assign(x=unit * (table["x"] + zero))
    formula = formula.format(family=family, bar=bar)
    return fit_simplified(formula, table, family, Method(penalised=penalised))


def same(here, there, unit, but=()):
    """Compare two fits; coefficients of x are per unit."""
    assert (there.formula, there.notes) == (here.formula, here.notes)
    for one, other in zip(here.fixed, there.fixed, strict=True):
        factor = unit if "x" in one.term.split(":") else 1.0
        if one.term in but:
            continue
        assert (other.estimate * factor, other.se * abs(factor)) == pytest.approx(
            (one.estimate, one.se), rel=1e-4, abs=1e-4 * one.se
        )
        assert (other.df, other.p) == pytest.approx((one.df, one.p), rel=0.005)
    values = [
        sorted((row.estimate, row.ci_low, row.ci_high) for row in margins(fit, "x").averages)
        for fit in (here, there)
    ]
    assert np.array(values[0]) == pytest.approx(np.array(values[1]), rel=1e-4, abs=1e-5)


@pytest.mark.parametrize(
    ("case", "spread", "unit"),
    [("correlated", 0.5, -1e6), ("independent", 0.0, 1e-7), ("penalised", 0.5, 3e4),
     ("counts", 0.0, -2e-5)],
)  # fmt: skip
def test_another_unit_changes_no_test(case, spread, unit):
    """Today the slope of kilometres keeps its variance, and counts rows instead of people."""
    same(fitted(WITH_PRODUCT, case, spread), fitted(WITH_PRODUCT, case, spread, unit), unit)


@pytest.mark.parametrize(
    ("case", "spread", "zero"), [("correlated", 0.0, 2500.0), ("counts", 0.5, -300.0)]
)
def test_another_zero_point_changes_no_test(case, spread, zero):
    """But for the intercept, which is at 0; independent effects are another model there."""
    here, there = (fitted(WITHOUT, case, spread, 1.0, at) for at in (0.0, zero))
    same(here, there, 1.0, but=("(Intercept)",))


def test_a_slope_of_large_numbers_is_not_singular():
    data = public("sleepstudy")
    data["Big"] = 5e9 + 1e6 * data["Days"]
    plain, big = (
        fit_mixed(f"Reaction ~ {name} + (1 + {name} | Subject)", data) for name in ("Days", "Big")
    )
    assert big.notes == ()
    assert big.fixed[1].df == pytest.approx(plain.fixed[1].df, rel=1e-4)
    assert big.fixed[1].z == pytest.approx(plain.fixed[1].z, rel=1e-6)
