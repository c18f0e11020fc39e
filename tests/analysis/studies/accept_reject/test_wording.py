"""Sentences say what decides, and no more than follows from the data."""

import numpy as np
import pytest

from analysis.questions.question import Within
from analysis.studies.accept_reject.against_experts import AGAINST_E
from analysis.studies.accept_reject.questions import acceptance
from analysis.studies.accept_reject.questions.acceptance import ACCEPTANCE
from analysis.studies.accept_reject.questions.comparison import COMPARISON, compared_sentences
from analysis.studies.accept_reject.questions.controls import CONTROLS
from analysis.studies.accept_reject.questions.model import MIXED_MODEL
from analysis.studies.accept_reject.questions.usefulness import USEFULNESS
from tests.analysis.studies.accept_reject.simulate_table import Truth, simulate
from tests.analysis.studies.accept_reject.whole import alone, by, rate, results_of, said_of

OF_MODELS = [ACCEPTANCE, USEFULNESS, COMPARISON, CONTROLS, MIXED_MODEL]


@pytest.fixture(scope="module")
def many():
    return results_of(simulate(["lead"] * 10, per_solver=8), only=OF_MODELS)


@pytest.fixture(scope="module")
def said_of_many(many):
    return said_of(many, *OF_MODELS)


def compared(results, verdict):
    limits = {
        "estimate": -0.01, "ci_low": -0.13, "ci_high": 0.11, "low_90": -0.09, "high_90": 0.07,
        "margin": 0.1, "verdict": verdict,
    }  # fmt: skip
    rows = [
        row | limits if row["quantity"] == AGAINST_E.id else row for row in results["estimates"]
    ]
    found = alone(*OF_MODELS).read_results(results | {"estimates": rows})
    return compared_sentences(found)


def test_like_e_gives_the_interval_that_decides(many):
    """The 90 % interval lies within the margin; the 95 % one may not."""
    said = next(s for s in compared(many, "like") if "like E" in s)
    assert "90 % interval [−9, +7]" in said
    assert "95 %" not in said
    said = next(s for s in compared(many, "undecided") if "undecided" in s)
    assert "95 % interval [−13, +11]" in said


def test_the_page_says_whether_model_and_rates_agree(many, said_of_many):
    assert "Model and rates agree" in said_of_many or many["model"]["disagreements"]
    model = many["model"] | {"disagreements": ["They differ in sign."]}
    forced = said_of(many | {"model": model}, *OF_MODELS)
    assert "They differ in sign." in forced


def test_a_rise_of_forty_points_is_clear_in_the_figure_of_differences():
    """Its band lies above zero at the decision time, and the panel shows all of the band."""
    table = simulate(["lead"] * 16, per_solver=24, truth=Truth(0.35, 0.75, 0.75))
    found = results_of(table, only=[ACCEPTANCE])
    whole = alone(ACCEPTANCE).read_results(found)
    figure = acceptance.draw(Within(whole.of(ACCEPTANCE), whole))
    for place, solver in enumerate("SE"):
        curve = by(found["acceptance"]["curve_differences"], solver=solver)
        at = curve["time_s"].index(3.0)
        with_, without = (rate(found, solver, run).estimate for run in ("with", "without"))
        assert curve["rate"][at] == pytest.approx(with_ - without)
        assert curve["band_low"][at] > 0
        low, high = figure.axes[2 + place].get_ylim()
        assert low <= np.nanmin(curve["band_low"]) or low == -1
        assert high >= np.nanmax(curve["band_high"]) or high == 1
