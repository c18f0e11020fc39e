"""What power counts is what the report says of the same table."""

import numpy as np
import pytest
from scipy.stats import binom

from analysis.power.simulation import Cell, Run
from analysis.studies.accept_reject.against_experts import AGAINST_E, verdicts
from analysis.studies.accept_reject.power import PlateWorld, Usefulness
from analysis.studies.accept_reject.quantities import GAIN
from analysis.studies.accept_reject.simulated import (
    run_study,
    simulated_study,
)
from stimuli.protocol import load_protocol
from tests.analysis.studies.accept_reject.whole import estimate, results_of


def study(effect, number=0, leads=10, plates=24):
    cell = Cell(leads, plates, effect)
    return Run(load_protocol("accept_reject"), PlateWorld(), 1, cell, number)


@pytest.mark.parametrize(
    "effect",
    [Usefulness(0.45, 0.0, 2.5), pytest.param(Usefulness(0.0, 0.0), marks=pytest.mark.slow)],
)
def test_power_counts_what_the_report_says_of_the_same_table(effect):
    run = study(effect)
    found, report = run_study(run), results_of(simulated_study(run))
    for solver in ("S", "E"):
        row = estimate(report, GAIN, solver=solver, by=report["usefulness"]["used"])
        difference, is_found = found.tests[f"usefulness {solver}"]
        assert difference == pytest.approx(row.estimate)
        assert is_found == (row.p_adjusted < 0.05)
    harms = [report["controls"][name] for name in ("less_sensitive", "more_wrong")]
    assert [found.tests[name][1] for name in ("sensitivity", "wrong_digits")] == harms
    assert found.verdicts["comparison"] == estimate(report, AGAINST_E).verdict
    said = " ".join(report["headline"])
    assert (found.verdicts["harm"] == "harm") == ("do harm" in said)
    assert (found.verdicts["harm"] == "harm") == (effect.harm > 0)
    assert found.model == report["model"]["fit"]["formula"]


@pytest.mark.slow
def test_without_an_effect_usefulness_is_found_in_five_percent_of_studies_at_most():
    """Both tests are one family: whether any of them is found, within chance."""
    found = [run_study(study(Usefulness(0.0, 0.0), n, 8, 16)) for n in range(12)]
    any_of = [any(one.tests[f"usefulness {s}"][1] for s in "SE") for one in found]
    assert sum(any_of) <= binom.ppf(0.999, len(found), 0.05)
    assert sum(one.verdicts["harm"] == "harm" for one in found) <= binom.ppf(0.999, 12, 0.05)


@pytest.mark.parametrize(
    ("difference", "verdict"),
    [(0.0, "like"), (-0.09, "like"), (0.1, "undecided"), (-0.2, "worse"), (0.2, "better")],
)
def test_the_right_verdict_is_that_of_a_difference_without_error(difference, verdict):
    assert verdicts(lambda effect: effect, 0.1).right(difference) == verdict


@pytest.mark.slow
def test_without_harm_it_is_named_in_five_percent_of_studies_at_most():
    found = [run_study(study(Usefulness(0.0, 0.0), n, 20, 16)) for n in range(200)]
    assert np.mean([one.verdicts["harm"] == "harm" for one in found]) <= 0.09
