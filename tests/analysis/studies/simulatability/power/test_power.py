"""Power of simulatability: the world has what is asked, and the command says what it finds."""

import json

import numpy as np
import pytest
from scipy.stats import binom

from analysis.cli import main
from analysis.power.simulation import Cell, Difference, Run, arms_of
from analysis.studies.simulatability.inquiry import SIMULATABILITY
from analysis.studies.simulatability.power import SimulationWorld
from analysis.studies.simulatability.quantities import EFFECT
from analysis.studies.simulatability.questions.effects import EFFECTS
from analysis.studies.simulatability.questions.models import MODELS
from analysis.studies.simulatability.simulated import (
    right_verdict,
    run_study,
    simulate_predictions,
    simulated_trials,
)
from analysis.studies.simulatability.words import TESTS
from tests.analysis.asking import asking
from tests.analysis.studies.simulatability.tables_of import dataset_of, protocol_of


def test_the_world_has_the_accuracies_that_are_asked():
    """Many people and items: before, practice and gain, within Monte-Carlo error."""
    world = SimulationWorld(pre=0.6, practice=0.05, arms={"helped": Difference(0.1)})
    trials = simulate_predictions(world, 600, 400, np.random.default_rng(3))
    found = trials.groupby(["method", "phase"])["correct"].mean()
    wanted = {
        ("no_explanation", "pre"): 0.60,
        ("no_explanation", "post"): 0.65,
        ("helped", "pre"): 0.60,
        ("helped", "post"): 0.75,
    }
    assert {key: found[key] for key in wanted} == pytest.approx(wanted, abs=0.02)


def test_what_is_carried_over_is_there_before_the_later_tests_explanations():
    orders = (TESTS, TESTS[::-1])
    world = SimulationWorld(
        pre=0.6, practice=0.05, carry_over=0.5, arms={"helped": Difference(0.2)}
    )
    trials = simulate_predictions(
        world, 800, 200, np.random.default_rng(3), "text", orders
    ).query("method == 'helped'")  # fmt: skip
    late = trials["use"] != trials["first_test"]
    found = trials.groupby([late, trials["phase"]])["correct"].mean()
    wanted = {(False, "pre"): 0.6, (True, "pre"): 0.7, (False, "post"): 0.85, (True, "post"): 0.85}
    assert found.to_dict() == pytest.approx(wanted, abs=0.025)
    groups = trials.groupby("first_test")["participant"].nunique()
    assert groups.to_dict() == dict.fromkeys(TESTS, 200)


def test_everybody_predicts_every_item_twice_in_one_arm():
    trials = simulate_predictions(
        SimulationWorld(arms={"a": Difference(0.0), "b": Difference(0.0)}),
        7,
        5,
        np.random.default_rng(1),
    )
    assert len(trials) == 7 * 10 * 2
    assert not trials.duplicated(["participant", "item", "phase"]).any()
    assert (trials.groupby("participant")["method"].nunique() == 1).all()
    assert (trials.groupby("use")["item"].nunique() == 5).all()


def study(change, number=0, people=36, other_arms=1):
    cell = Cell(people, 12, Difference(change))
    world = SimulationWorld(arms=arms_of(2 + other_arms, Difference(0.0)))
    return Run(protocol_of(), world, 1, cell, number)


@pytest.mark.parametrize("change", [0.25, pytest.param(0.0, marks=pytest.mark.slow)])
def test_power_counts_what_the_report_says_of_the_same_table(change):
    run = study(change)
    found = run_study(run)
    plan, trials = asking(SIMULATABILITY, EFFECTS, MODELS), simulated_trials(run)
    results = plan.analyse(dataset_of(trials), None, (), lambda _: None)
    report = plan.read_results(results)
    for test in TESTS:
        row = report.of(EFFECTS).row(EFFECT, method="helped", test=test)
        estimate, is_found = found.tests[test]
        assert estimate == pytest.approx(row.estimate / 100)
        assert is_found == (row.p_adjusted < 0.05)
        assert found.verdicts[f"{test}_verdict"] == row.verdict
        assert (row.verdict == "helps") == (change > 0)
    assert found.model == report.of(MODELS).fits["tabular"].formula


@pytest.mark.slow
def test_without_an_effect_one_is_claimed_in_five_percent_of_studies_at_most():
    found = [run_study(study(0.0, n, 24, 1)).verdicts for n in range(12)]
    for test in TESTS:
        claimed = sum(own[f"{test}_verdict"] in ("helps", "harms") for own in found)
        assert claimed <= binom.ppf(0.999, len(found), 0.05)


def test_the_right_verdict_is_that_of_a_change_without_error():
    changes = {0.1: "helps", -0.02: "harms", 0.0: "equivalent"}
    assert {c: right_verdict(Difference(c)) for c in changes} == changes


def test_the_command_says_who_carries_the_whole_model(tmp_path, capsys):
    words = ["power", "simulatability", "--participants", "8", "--items", "8", "--arms", "2",
             "--runs", "2", "--workers", "1"]  # fmt: skip
    assert main([*words, "--effect", "0.1", "--out", str(tmp_path / "out")]) == 0
    results = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    row, *verdicts = results["power"]
    assert (row["term"], row["truth"], row["as_asked"]) == ("forward", 0.1, 0.0)
    assert {row["term"]: row["right"] for row in verdicts}["helps"]
    assert {row["as_asked"] for row in results["models"]} == {False}
    assert "Holm’s correction over 1 method" in results["method"]
    said = " ".join(results["assumptions"])
    assert "8 participants are 4 per arm" in said
    assert "0 % with 4 participants per arm" in said
    assert main([*words, "--effect", "0.5", "--out", str(tmp_path / "more")]) == 2
    assert "accuracy after explanations would be 1.19" in capsys.readouterr().err
