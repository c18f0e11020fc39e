"""Weights of rows: lme4's values, and rows written several times."""

import numpy as np
import pandas as pd
import pytest

from analysis.mixed import fit_mixed
from analysis.mixed.design import Reading
from analysis.mixed.estimation import Method
from analysis.mixed.marginal import margins
from stimuli.errors import UserError
from tests.analysis.mixed.data import public

SLEEP = "Reaction ~ Days + (1 + Days | Subject)"


@pytest.mark.parametrize(("restricted", "value"), [(True, -885.6007983), (False, -889.8630737)])
def test_gaussian_weights_are_lme4s(restricted, value):
    """lme4 1.1-31, lmer(..., weights = 1 + Days / 3); degrees of freedom: lmerTest 3.1-3."""
    data = public("sleepstudy").assign(w=lambda t: 1 + t["Days"] / 3)
    found = fit_mixed(
        SLEEP, data, method=Method(restricted=restricted), reading=Reading(weights="w")
    )
    assert found.log_likelihood == pytest.approx(value, abs=2e-6)
    if restricted:
        assert [row.estimate for row in found.fixed] == pytest.approx([249.51778, 10.804308])
        assert [row.se for row in found.fixed] == pytest.approx([7.49487, 1.59323], rel=1e-4)
        assert [row.df for row in found.fixed] == pytest.approx([17.0014, 16.9991], rel=5e-4)
        assert found.residual_sd == pytest.approx(42.0995, rel=1e-5)
        assert [row.sd for row in found.random] == pytest.approx([24.98835, 5.968313], rel=1e-4)


def test_weights_of_a_share_are_its_trials():
    """glmer(incidence / size ~ ..., weights = size) is glmer(cbind(...) ~ ...)."""
    data, terms = public("cbpp"), "C(period) + (1 | herd)"
    one = fit_mixed(
        f"I(incidence / size) ~ {terms}", data, "binomial", reading=Reading(weights="size")
    )
    other = fit_mixed(f"cbind(incidence, size - incidence) ~ {terms}", data, "binomial")
    assert one.fixed == other.fixed
    assert one.log_likelihood == pytest.approx(other.log_likelihood)


@pytest.mark.parametrize("family", ["binomial", "probit", "poisson"])
def test_whole_weights_are_rows_written_several_times(family):
    rng = np.random.default_rng(2)
    table = pd.DataFrame({"g": np.arange(120) % 12, "x": rng.normal(size=120)})
    table["y"] = rng.integers(0, 2 if family != "poisson" else 5, 120)
    table["w"] = rng.integers(1, 4, 120)
    model = "y ~ x + (1 + x | g)"
    one = fit_mixed(model, table, family, reading=Reading(weights="w"))
    other = fit_mixed(model, table.loc[table.index.repeat(table["w"])], family)
    assert one.log_likelihood == pytest.approx(other.log_likelihood, abs=1e-6)
    for left, right in zip(one.fixed, other.fixed, strict=True):
        assert left.estimate == pytest.approx(right.estimate, rel=1e-4, abs=1e-5)
        assert left.se == pytest.approx(right.se, rel=1e-3)
        assert left.df == pytest.approx(right.df, rel=1e-2)


def test_what_is_averaged_has_no_weights():
    data = public("sleepstudy").assign(w=lambda t: 1 + t["Days"] / 3)
    result = fit_mixed("Reaction ~ Days + (1 | Subject)", data, reading=Reading(weights="w"))
    zero = margins(result, "Days=0").averages[0]
    assert zero.estimate == pytest.approx(result.fixed[0].estimate)


@pytest.mark.parametrize(
    ("values", "family", "said"),
    [([0.0, 1, 1, 1], "gaussian", "weights are above 0"), ([-1.0, 1, 1, 1], "binomial", "above 0"),
     (list("abcd"), "gaussian", "where a number is needed"),
     ([3.0, 3, 3, 3], "binomial", "no number of successes")],
)  # fmt: skip
def test_weights_that_have_no_meaning_are_refused(values, family, said):
    table = pd.DataFrame({"y": [0.5, 1, 0, 1], "x": [1.0, 2, 3, 5], "w": values})
    with pytest.raises(UserError, match=said):
        fit_mixed("y ~ x", table, family, reading=Reading(weights="w"))


def test_a_column_of_weights_that_is_missing_is_named():
    with pytest.raises(UserError, match="--weights v: the table has no such column"):
        fit_mixed("y ~ 1", pd.DataFrame({"y": [1.0, 2]}), reading=Reading(weights="v"))
