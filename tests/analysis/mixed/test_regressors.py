"""Sums by pattern against the same sums row by row."""

import numpy as np
import pytest

from analysis.mixed.design import build_design
from analysis.mixed.regressors import ByPattern, ByRow, regressors_of
from tests.analysis.mixed.test_likelihoods import EFFECTS, frame

FACTORIAL = {
    "one effect": "x + (1 | person) + (1 | thing)",
    "factorial slopes": "x + (1 + x | person) + (1 + x || thing)",
    "a factor's slopes": "f + (0 + f | person) + (1 | thing)",
    "nested": "x + (1 + x | site/person)",
    "three factors": "x + (0 + x | site) + (1 | person) + (1 + x || thing)",
}


def regressors(effects):
    design = build_design(f"y ~ {effects}", frame(), "gaussian")
    factors = design.random
    pairs = [(f, g) for f in range(len(factors)) for g in range(f + 1, len(factors))]
    return design, pairs, regressors_of(factors, pairs, design.rows)


@pytest.mark.parametrize("effects", FACTORIAL.values(), ids=FACTORIAL)
def test_sums_by_pattern_are_those_by_row(effects):
    design, pairs, fast = regressors(effects)
    assert isinstance(fast, ByPattern)
    slow = ByRow(design.random, pairs)
    rng = np.random.default_rng(8)
    values, weight = rng.normal(size=design.rows), rng.uniform(0.2, 2, design.rows)
    shapes = [(factor.levels, len(factor.terms)) for factor in design.random]
    effects = [rng.normal(size=shape) for shape in shapes]
    triangles = [np.tril(rng.normal(size=(k, k))) for _, k in shapes]
    inverse = {(f, f): rng.normal(size=(levels, k, k)) for f, (levels, k) in enumerate(shapes)}
    inverse |= {(f, g): rng.normal(size=shapes[f] + shapes[g]) for f, g in pairs}

    def everything(z):
        products = z.cross_products(weight)
        between = [products.between((f, g), triangles[f], triangles[g]) for f, g in pairs]
        meetings = products.meetings(inverse, triangles)
        rows = [z.predict(effects), z.leverages(inverse, triangles)]
        return [*rows, *z.level_sums(values), *products.within, *between, *meetings]

    for ours, theirs in zip(everything(fast), everything(slow), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-11, atol=1e-11)


def test_measured_quantities_are_summed_by_row():
    assert isinstance(regressors(EFFECTS["crossed, correlated"])[2], ByRow)
