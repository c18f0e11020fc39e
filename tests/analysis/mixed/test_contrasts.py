import numpy as np
import pandas as pd
import pytest

from analysis.mixed import fit_mixed
from analysis.mixed.marginal import average, margins
from stimuli.errors import UserError
from tests.analysis.mixed.data import public

CBPP = "cbind(incidence, size - incidence) ~ C(period) + (1 | herd)"


def test_standard_errors_are_the_delta_methods():
    """Numeric derivatives by every parameter, through the fitted parameters."""
    from dataclasses import replace

    result = fit_mixed(CBPP, public("cbpp"), "binomial")
    estimates = result.estimates
    frame = estimates.design.recipe.frame
    settings = [frame.assign(period=period) for period in sorted(frame["period"].unique())]

    def averages(parameters):
        moved = replace(estimates, coefficients=parameters[:4], spread=parameters[4:])
        at = replace(result, estimates=moved)
        return np.array([average(at, rows, estimates.design.offset)[0] for rows in settings])

    at = np.concatenate([estimates.coefficients, estimates.spread])
    steps = 1e-5 * np.eye(len(at))
    jacobian = np.array([(averages(at + s) - averages(at - s)) / 2e-5 for s in steps]).T
    expected = np.sqrt(np.diag(jacobian @ estimates.covariance @ jacobian.T))
    found = margins(result, "period")
    assert [row.se for row in found.averages] == pytest.approx(expected.tolist(), rel=1e-5)


def test_counts_are_averaged_with_their_random_effects():
    data = public("grouseticks")
    formula = "TICKS ~ C(YEAR) + (1 | BROOD)"
    result = fit_mixed(formula, data, "poisson")
    found = margins(result, "YEAR")
    first = np.exp(result.fixed[0].estimate + result.random[0].sd ** 2 / 2)
    assert found.averages[0].estimate == pytest.approx(first, rel=1e-6)


def test_interactions_give_every_cell_and_holm_orders_p():
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"g": np.arange(400) % 20, "a": rng.choice(list("uv"), 400),
                          "b": rng.choice(list("xyz"), 400)})  # fmt: skip
    table["y"] = rng.normal(size=400) + (table["a"] == "v") * (table["b"] == "z") * 2
    result = fit_mixed("y ~ a * b + (1 + a | g)", table)
    found = margins(result, "a:b")
    assert found.labels[0] == "u, x"
    assert len(found.averages) == 6
    assert len(found.contrasts) == 15
    raw = np.array([row.p for row in found.contrasts])
    holm = np.array([row.p_holm for row in found.contrasts])
    steps = np.maximum.accumulate(np.sort(raw) * np.arange(15, 0, -1))
    np.testing.assert_allclose(holm[np.argsort(raw)], np.minimum(steps, 1))


def test_polynomials_keep_the_columns_of_the_fit():
    data = public("sleepstudy")
    raw = fit_mixed("Reaction ~ Days + I(Days^2) + (1 | Subject)", data)
    orthogonal = fit_mixed("Reaction ~ poly(Days, 2) + (1 | Subject)", data)
    one, other = margins(raw, "Days=2.5,7"), margins(orthogonal, "Days=2.5,7")
    for left, right in zip(one.averages, other.averages, strict=True):
        assert left.estimate == pytest.approx(right.estimate)
        assert left.se == pytest.approx(right.se)


@pytest.mark.parametrize(
    ("term", "said"),
    [("herd", "no fixed effect"), ("period=9", "has no 9"), ("period=a", "takes numbers")],
)
def test_terms_that_can_not_be_set_are_named(term, said):
    result = fit_mixed(CBPP, public("cbpp"), "binomial")
    with pytest.raises(UserError, match=said):
        margins(result, term)


@pytest.mark.parametrize(
    ("values", "term", "labels"),
    [
        ([1000000, 1000001, 1000002], "C(v)", ("1000000", "1000001", "1000002")),
        ([2**53, 2**53 + 1, 2**53 + 2], "C(v)", tuple(str(2**53 + k) for k in range(3))),
        ([12345.25, 12345.5, 12346.0], "v", ("12345.25", "12345.5", "12346")),
        (["1", "1.0", "x"], "v", ("1", "1.0", "x")),
    ],
)
def test_labels_keep_all_digits(values, term, labels):
    """Today a million and its neighbours are all 1e+06."""
    table = pd.DataFrame({"v": values * 20, "y": np.random.default_rng(1).normal(size=60)})
    result = fit_mixed(f"y ~ {term}", table)
    found = margins(result, "v")
    assert found.labels == labels
    assert next((row.setting, row.against) for row in found.contrasts) == (labels[1], labels[0])
    if term != "v" or values[-1] == "x":
        assert [row.term for row in result.fixed][1:] == [f"{term}[{one}]" for one in labels[1:]]
