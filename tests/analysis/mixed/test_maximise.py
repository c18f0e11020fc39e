import numpy as np
import pytest

from analysis.mixed import fit_mixed
from analysis.mixed.design import build_design
from analysis.mixed.families import GENERALISED
from analysis.mixed.laplace import Laplace
from analysis.mixed.maximise import maximise
from analysis.mixed.parameters import Scaling
from tests.analysis.mixed.data import public


def test_a_saddle_is_left():
    """Where a variance was stepped to zero the gradient vanishes by symmetry alone."""

    def twin_peaks(x):
        s = x[0]
        return s**2 - s**4 / 2, np.array([2 * s - 2 * s**3])

    found = maximise(twin_peaks, np.array([0.0]), np.eye(1))
    assert abs(found.point[0]) == pytest.approx(1, abs=1e-6)


def test_where_the_likelihood_can_not_be_computed_it_turns_back():
    def wall(x):
        if x[0] > 1.5:
            return -np.inf, np.zeros(1)
        return float(np.log(1.5 - x[0] + 1e-12) / 10 + x[0]), np.array(
            [1 - 0.1 / (1.5 - x[0] + 1e-12)]
        )

    found = maximise(wall, np.array([-3.0]), np.eye(1))
    assert found.point[0] == pytest.approx(1.4, abs=1e-5)


@pytest.mark.parametrize(
    ("data", "formula", "family"),
    [
        ("sleepstudy", "Reaction ~ Days + (1 + Days | Subject)", "gaussian"),
        ("grouseticks", "TICKS ~ cHEIGHT + (1 | BROOD) + (1 | LOCATION)", "poisson"),
    ],
)
def test_the_order_of_rows_and_of_brackets_is_immaterial(data, formula, family):
    table = public(data)
    one = fit_mixed(formula, table, family)
    head, *brackets = formula.split(" + (")
    turned = " + (".join([head, *reversed(brackets)])
    other = fit_mixed(turned, table.sample(frac=1, random_state=3), family)
    assert one.log_likelihood == pytest.approx(other.log_likelihood, abs=1e-8)
    for left, right in zip(one.fixed, other.fixed, strict=True):
        assert left.estimate == pytest.approx(right.estimate, rel=1e-5)
        assert left.se == pytest.approx(right.se, rel=1e-4)
    sds = {(row.group, row.term): row.sd for row in other.random}
    for row in one.random:
        assert row.sd == pytest.approx(sds[row.group, row.term], rel=1e-4, abs=1e-8)


def test_differences_to_one_side_give_nearly_the_same_hessian():
    table = public("grouseticks")
    design = build_design("TICKS ~ cHEIGHT + (1 | BROOD) + (1 | LOCATION)", table, "poisson")
    model = Laplace(
        Scaling.of(design), GENERALISED["poisson"], design.response, design.trials, design.offset
    )
    both, one = (
        maximise(model.value_and_gradient, *model.start(), one_sided=way) for way in (False, True)
    )
    assert one.evaluations < both.evaluations
    np.testing.assert_allclose(one.hessian, both.hessian, rtol=1e-4, atol=1e-4)
