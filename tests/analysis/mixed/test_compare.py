import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2
from scipy.stats import f as fisher

from analysis.mixed import fit_mixed
from analysis.mixed.inference import compare, f_test
from stimuli.errors import UserError
from tests.analysis.mixed.data import public


def test_a_slope_with_its_correlation_is_tested_against_the_mixture():
    """Stram & Lee (1994), case 3; lme4's anova gives 42.139 (naively with 2 df)."""
    found = compare(
        "Reaction ~ Days + (1 + Days | Subject)",
        "Reaction ~ Days + (1 | Subject)",
        public("sleepstudy"),
        "gaussian",
    )
    assert found.statistic == pytest.approx(1794.0786 - 1751.9393, abs=1e-3)
    assert found.df == 2
    expected = (chi2.sf(found.statistic, 1) + chi2.sf(found.statistic, 2)) / 2
    assert found.p == pytest.approx(expected)
    assert any("on its boundary" in note for note in found.notes)


def test_a_correlation_alone_is_no_boundary():
    """MixedModels.jl: 1752.0033 without and 1751.9393 with the correlation."""
    found = compare(
        "Reaction ~ Days + (1 + Days || Subject)",
        "Reaction ~ Days + (1 + Days | Subject)",
        public("sleepstudy"),
        "gaussian",
    )
    assert found.statistic == pytest.approx(0.0639, abs=1e-4)
    assert found.p == pytest.approx(chi2.sf(found.statistic, 1))


@pytest.mark.slow
def test_a_single_variance_is_rejected_at_its_nominal_rate():
    """Without the mixture the rate at 10 % would be about 5 %."""
    rng = np.random.default_rng(8)
    runs, hits = 150, 0
    groups = np.repeat(np.arange(25), 8)
    for _ in range(runs):
        table = pd.DataFrame({"g": groups, "y": rng.normal(size=200)})
        hits += compare("y ~ 1", "y ~ 1 + (1 | g)", table, "gaussian").p < 0.1
    assert 0.03 < hits / runs < 0.18


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        ("Reaction ~ Days + (1|Subject)", "Reaction ~ Days + (1|Subject)", "the same model"),
        ("Reaction ~ Days", "Days ~ 1", "different responses"),
        ("Reaction ~ Days + (1|Subject)", "Reaction ~ 1 + (1+Days|Subject)", "not a special case"),
        ("Reaction ~ 1 + (1|half)", "Reaction ~ Days + (1+Days|Subject)", "by half"),
        (
            "Reaction ~ Days + (1 + Days + late | Subject)",
            "Reaction ~ Days + (1 | Subject) + (0 + Days | Subject) + (1 + Days | half)",
            "not a special case",
        ),
    ],
)
def test_models_that_do_not_nest_are_refused(one, other, said):
    data = public("sleepstudy")
    data = data.assign(half=data["Subject"] % 2, late=(data["Days"] > 4).astype(float))
    with pytest.raises(UserError, match=said):
        compare(one, other, data, "gaussian")


def test_both_models_have_the_same_rows():
    data = public("sleepstudy")
    data.loc[5, "Days"] = np.nan
    found = compare("Reaction ~ 1 + (1|Subject)", "Reaction ~ Days + (1|Subject)", data, "gaussian")
    assert found.smaller.n == found.larger.n == 179


def test_fixed_effects_have_an_f_test_with_lmertests_freedom():
    """contest(m, L, joint = TRUE) of lmerTest 3.1-3: 110.007 of the restricted fit."""
    data = public("grouseticks")
    effects = "cHEIGHT + (1 | BROOD) + (1 | LOCATION)"
    larger = fit_mixed(f"np.log(TICKS + 1) ~ C(YEAR) + {effects}", data)
    smaller = fit_mixed(f"np.log(TICKS + 1) ~ {effects}", data)
    found = f_test(smaller, larger, 50.0)
    assert found.df_error == pytest.approx(110.00697, rel=1e-4)
    assert (found.value, found.df) == (25.0, 2)
    assert found.p == pytest.approx(fisher.sf(25, 2, 110.00697), rel=1e-3)


def test_only_models_with_the_same_random_effects_have_an_f_test():
    data, model = public("sleepstudy"), "Reaction ~ Days + (1 + Days | Subject)"
    found = compare(model, "Reaction ~ 1 + (1 + Days | Subject)", data, "gaussian")
    assert found.f.value == found.statistic
    assert found.f.df_error == pytest.approx(18.0, rel=1e-3)
    assert found.f.p > found.p
    assert compare(model, "Reaction ~ Days + (1 | Subject)", data, "gaussian").f is None
