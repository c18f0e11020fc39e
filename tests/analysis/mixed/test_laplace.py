import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from analysis.mixed.design import build_design
from analysis.mixed.laplace import Laplace


def frame(people=7, things=9, seed=1, groups=("person", "thing")):
    rng = np.random.default_rng(seed)
    rows = pd.DataFrame(
        [(p, t) for p in range(people) for t in range(things)], columns=["person", "thing"]
    )
    rows = rows.assign(
        x=rng.choice([-0.5, 0.5], len(rows)),
        v=rng.normal(size=len(rows)),
        site=rows["person"] % 3,
        y=rng.integers(0, 2, len(rows)),
    )
    return rows.sample(frac=0.8, random_state=2).reset_index(drop=True)


FORMULAS = {
    "one factor": "y ~ x + (1 | person)",
    "slopes in one factor": "y ~ x + (1 + x + v || person)",
    "crossed": "y ~ x + (1 | person) + (1 | thing)",
    "crossed slopes": "y ~ x*v + (1 + x*v || person) + (1 + x || thing)",
    "three factors, no intercept": "y ~ x + (0 + x | site) + (1 | person) + (1 + v || thing)",
}


def slow_value(design, parameters):
    """The definition, densely: mode by a general optimiser, then the determinant."""
    p = design.fixed.shape[1]
    blocks = []
    for term, sd in zip(design.random, parameters[p:], strict=True):
        block = np.zeros((design.rows, len(term.levels)))
        block[np.arange(design.rows), term.codes] = sd * term.regressor
        blocks.append(block)
    a = np.hstack(blocks)
    offset = design.fixed @ parameters[:p]

    def joint(u):
        eta = offset + a @ u
        slope = a.T @ (design.response - expit(eta)) - u
        return -(design.response @ eta - np.logaddexp(0, eta).sum() - u @ u / 2), -slope

    mode = minimize(joint, np.zeros(a.shape[1]), jac=True, method="BFGS", options={"gtol": 1e-9})
    mean = expit(offset + a @ mode.x)
    hessian = np.eye(a.shape[1]) + a.T @ ((mean * (1 - mean))[:, None] * a)
    return -mode.fun - np.linalg.slogdet(hessian)[1] / 2


@pytest.mark.parametrize("formula", FORMULAS.values(), ids=FORMULAS)
def test_value_is_the_definitions(formula):
    design = build_design(formula, frame())
    rng = np.random.default_rng(5)
    for _ in range(3):
        at = np.concatenate(
            [rng.normal(0, 0.7, design.fixed.shape[1]), rng.uniform(0, 2, len(design.random))]
        )
        assert Laplace(design).value_and_gradient(at)[0] == pytest.approx(
            slow_value(design, at), abs=1e-6
        )


@pytest.mark.parametrize("formula", FORMULAS.values(), ids=FORMULAS)
def test_gradient_is_the_values_slope(formula):
    design = build_design(formula, frame())
    laplace = Laplace(design)
    rng = np.random.default_rng(6)
    at = np.concatenate(
        [rng.normal(0, 0.7, design.fixed.shape[1]), rng.uniform(0.1, 1.5, len(design.random))]
    )
    found = laplace.value_and_gradient(at)[1]
    steps = 1e-5 * np.eye(len(at))
    slopes = [
        (laplace.value_and_gradient(at + s)[0] - laplace.value_and_gradient(at - s)[0]) / 2e-5
        for s in steps
    ]
    np.testing.assert_allclose(found, slopes, atol=1e-6)


def test_the_sign_of_a_standard_deviation_is_immaterial():
    design = build_design(FORMULAS["crossed slopes"], frame())
    at = np.concatenate([np.zeros(4), np.full(len(design.random), 0.7)])
    other = at.copy()
    other[5] *= -1
    laplace = Laplace(design)
    assert laplace.value_and_gradient(at)[0] == pytest.approx(laplace.value_and_gradient(other)[0])


def test_far_from_the_maximum_the_mode_is_still_found():
    """Newton's step overshoots there; halving brings it back."""
    design = build_design(FORMULAS["crossed"], frame())
    at = np.array([12.0, -20.0, 15.0, 9.0])
    assert Laplace(design).value_and_gradient(at)[0] == pytest.approx(
        slow_value(design, at), abs=1e-4
    )
