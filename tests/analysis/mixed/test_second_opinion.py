"""Another engine's opinion: the same maximum where it can fit the model, a reason where not."""

import numpy as np
import pytest

from analysis.fit.words import second_words
from analysis.mixed.fit import fit_mixed
from analysis.mixed.second_opinion import SecondOpinion, second_opinion
from tests.analysis.mixed.data import public
from tests.analysis.mixed.test_likelihoods import frame

pytest.importorskip("gpboost")


def rows():
    made = frame(people=14, things=20)
    rng = np.random.default_rng(2)
    made["said"] = (rng.random(len(made)) < 0.3 + 0.03 * made["person"]).astype(int)
    return made


@pytest.mark.parametrize(
    ("formula", "family"),
    [
        ("said ~ x + (1 | person) + (1 | thing)", "binomial"),
        ("said ~ x + (0 + x | person) + (1 | thing)", "binomial"),
        ("said ~ x + (1 | person) + (1 | thing)", "probit"),
        ("said ~ x + (1 + x || person)", "probit"),
        ("count ~ x + f + (1 + x || person)", "poisson"),
        ("count ~ x + offset(v) + (1 | person)", "poisson"),
        ("y ~ x + (1 | person) + (1 | thing)", "gaussian"),
    ],
)
def test_gpboost_finds_the_same_maximum(formula, family):
    opinion = second_opinion(fit_mixed(formula, rows(), family))
    assert opinion.reason == ""
    assert opinion.difference == pytest.approx(0, abs=1e-3)
    assert opinion.largest_shift < 0.02
    assert "same maximum" in second_words(opinion)


@pytest.mark.parametrize(
    ("formula", "table", "family", "reason"),
    [
        ("Reaction ~ Days + (Days | Subject)", "sleepstudy", "gaussian", "correlate"),
        (
            "cbind(incidence, size - incidence) ~ C(period) + (1 | herd)",
            "cbpp",
            "binomial",
            "0 or 1",
        ),
        ("Reaction ~ Days", "sleepstudy", "gaussian", "no random effects"),
    ],
)
def test_what_gpboost_cannot_fit_is_said(formula, table, family, reason):
    opinion = second_opinion(fit_mixed(formula, public(table), family))
    assert reason in opinion.reason
    assert opinion.log_likelihood is None
    assert "can't fit" in second_words(opinion)


@pytest.mark.parametrize(
    ("difference", "words"), [(0.5, "stopped 0.5 short"), (-0.5, "don't rely on this fit")]
)
def test_another_maximum_is_said(difference, words):
    opinion = SecondOpinion("gpboost", "", -100.0, difference, 0.1)
    assert words in second_words(opinion)
