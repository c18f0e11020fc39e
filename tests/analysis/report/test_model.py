"""A fitted model as the page shows it: formulas, effects, and whose test a p is from."""

from types import SimpleNamespace

import pytest

from analysis.mixed.result import RandomEffect, intraclass
from analysis.report.declared import ReportModel
from analysis.report.model import model_parts
from analysis.report.parts import Bullets, Paragraph, Table

FIXED = {
    "term": "x", "estimate": 0.5, "se": 0.1, "z": 5.0, "p": 0.0001, "ci_low": 0.3, "ci_high": 0.7,
}  # fmt: skip
MODEL = {
    "fitted": True, "asked": "y ~ x + (1 | g)", "formula": "y ~ x + (1 | g)", "engine": "a 1.0",
    "family": "gaussian", "n": 100, "groups": {"g": 1}, "log_likelihood": -12.5, "converged": True,
    "intraclass": {},
    "fixed": [FIXED], "random": [{"group": "g", "term": "(Intercept)", "sd": 0.2}], "notes": [],
}  # fmt: skip


def kinds(parts, kind):
    return [part for part in parts if isinstance(part, kind)]


def test_a_model_that_was_fitted_as_asked_is_told_once():
    parts = model_parts(MODEL, ("Coded so.",))
    assert [part.text for part in kinds(parts, Paragraph) if part.kind == "formula"] == [
        "y ~ x + (1 | g)"
    ]
    fixed, random = kinds(parts, Table)
    assert fixed.columns[-1].unit == "Wald"
    assert fixed.rows == (("x", "0.50", "[0.30, 0.70]", "0.10", "5.00", "< .001"),)
    assert random.rows == (("g", "(Intercept)", "0.200"),)
    assert any("100 trials, 1 g; log-likelihood −12.500; a 1.0. Coded so." in part.text
               for part in kinds(parts, Paragraph))  # fmt: skip


def test_many_correlations_are_left_to_their_file():
    pairs = [{"group": "g", "term1": "a", "term2": str(k), "r": 0.5} for k in range(4)]
    random = model_parts(MODEL | {"correlations": pairs}, file="model")[-1]
    assert len(random.rows) == 1
    assert random.note == "Their 4 correlations are in tables/model_correlations.csv."
    found = {"fit": MODEL | {"correlations": pairs}}
    assert ReportModel("model", "fit").files(found)["model_correlations"] == pairs


def test_a_simplified_model_shows_both_formulas_and_why():
    parts = model_parts(MODEL | {"asked": "y ~ x + (1 + x || g)", "notes": ["Left out: x."]})
    shown = [part.text for part in kinds(parts, Paragraph) if part.kind == "formula"]
    assert shown == ["y ~ x + (1 + x || g)", "y ~ x + (1 | g)"]
    assert kinds(parts, Bullets) == [Bullets(("Left out: x.",))]


def test_an_unsound_fit_shows_no_estimates():
    parts = model_parts(MODEL | {"converged": False, "notes": ["Separation."]})
    assert kinds(parts, Table) == []
    assert "isn’t sound" in parts[-1].text


def test_correlations_and_ratios_stand_where_there_are_any():
    fixed = FIXED | {"odds_ratio": 1.65, "odds_ratio_low": 1.35, "odds_ratio_high": 2.01}
    correlation = {"group": "g", "term1": "(Intercept)", "term2": "x", "r": -0.25}
    parts = model_parts(
        MODEL
        | {"family": "binomial", "fixed": [fixed], "correlations": [correlation]}
        | {"residual_sd": 1.5}
    )
    first, second = kinds(parts, Table)
    assert first.rows[0][-2:] == ("1.65", "[1.35, 2.01]")
    assert second.rows[1][-1] == "−0.250"
    assert second.rows[2][2] == "1.500"
    assert "independent" not in second.caption


@pytest.mark.parametrize(
    ("family", "residual_sd", "shares"),
    [
        # Log odds: the residual's variance is that of the logistic distribution.
        ("binomial", None, {"g": 0.04 / (0.04 + 0.25 + 3.28987), "h": 0.0698}),
        ("probit", None, {"g": 0.04 / 1.29, "h": 0.25 / 1.29}),
        ("gaussian", 0.7, {"g": 0.04 / 0.78, "h": 0.25 / 0.78}),
        ("poisson", None, {}),
    ],
)
def test_the_share_of_the_variance_between_people_and_items(family, residual_sd, shares):
    spreads = [("g", "(Intercept)", 0.2), ("g", "x", 5.0), ("h", "(Intercept)", 0.5)]
    random = [RandomEffect(*spread) for spread in spreads]
    result = SimpleNamespace(random=random, family=family, residual_sd=residual_sd)
    found = intraclass(result)
    assert found == pytest.approx(shares, abs=1e-4)
    told = {"intraclass": found} | ({"residual_sd": residual_sd} if residual_sd else {})
    note = model_parts(MODEL | {"family": family} | told)[-1].note
    assert bool(shares) == ("(ICC): g" in note)
    assert ("on the scale of the estimates" in note) == (bool(shares) and not residual_sd)
