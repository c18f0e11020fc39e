"""Maxima that another program found in the same rows: gpboost 1.8.0 (Sigrist 2022, JMLR 23).

It maximised the same Laplace approximation (gaussian: the likelihood) by its Cholesky solver with
L-BFGS, to a relative tolerance of 1e-10.
"""

import numpy as np
import pytest

from analysis.mixed import fit_logistic, fit_mixed
from analysis.mixed.estimation import Method
from tests.analysis.mixed.test_fit import crossed
from tests.analysis.mixed.test_likelihoods import frame


def rows():
    made = frame(people=14, things=20)
    rng = np.random.default_rng(2)
    made["said"] = (rng.random(len(made)) < 0.3 + 0.03 * made["person"]).astype(int)
    return made


@pytest.mark.parametrize(
    ("formula", "family", "log_likelihood", "coefficients"),
    [
        ("said ~ x + (1 | person) + (1 | thing)", "binomial",
         -164.375311, [-0.046857, -0.115106]),
        ("said ~ x + (1 | person) + (1 | thing)", "probit",
         -164.358712, [-0.028979, -0.071752]),
        ("said ~ x + (1 + x || person)", "probit", -164.362153, [-0.028748, -0.072130]),
        ("count ~ x + f + (1 + x || person)", "poisson",
         -407.804046, [0.738696, -0.027887, 0.037537, -0.183283]),
        ("count ~ x + offset(v) + (1 | person)", "poisson", -663.230013, [-2.720271, 0.066911]),
        ("y ~ x + (1 | person) + (1 | thing)", "gaussian", -605.407895, [9.770330, 0.627660]),
    ],
)  # fmt: skip
def test_another_program_found_the_same_maximum(formula, family, log_likelihood, coefficients):
    found = fit_mixed(formula, rows(), family, method=Method(restricted=False))
    assert found.log_likelihood == pytest.approx(log_likelihood, abs=2e-6)
    for row, other in zip(found.fixed, coefficients, strict=True):
        assert row.estimate == pytest.approx(other, abs=1e-3 * row.se)


@pytest.mark.parametrize(
    ("groups", "log_likelihood", "coefficients", "variances"),
    [
        ("(1 | participant)", -315.540990, [-0.336162, 0.839998], [0.139230]),
        ("(1 | participant) + (1 | item)", -308.180891, [-0.371636, 0.931371],
         [0.197016, 0.454811]),
    ],
)  # fmt: skip
def test_another_program_found_the_same_variances(groups, log_likelihood, coefficients, variances):
    found = fit_logistic(f"y ~ explained + {groups}", crossed(16, 30))
    assert found.log_likelihood == pytest.approx(log_likelihood, abs=2e-6)
    assert [row.estimate for row in found.fixed] == pytest.approx(coefficients, abs=1e-3)
    assert [row.sd**2 for row in found.random] == pytest.approx(variances, abs=2e-3)
