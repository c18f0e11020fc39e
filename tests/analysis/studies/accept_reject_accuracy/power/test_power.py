"""Power of the assessment of accuracy: the world has the difference that is asked, and is found."""

import numpy as np
import pytest

from analysis.power.simulation import Cell, Difference, Run
from analysis.studies.accept_reject.against_experts import VERDICT
from analysis.studies.accept_reject_accuracy.power import LabelWorld
from analysis.studies.accept_reject_accuracy.simulated import (
    DIFFERS,
    run_study,
    simulate_judgements,
)
from stimuli.protocol import load_protocol
from tests.analysis.power.commands import check_files, check_one_line, run

BASE = ["power", "accept_reject_accuracy", "--participants", "3,6", "--items", "40", "--runs", "2"]


@pytest.mark.parametrize("difference", [-0.2, 0.0, 0.01])
def test_the_world_has_the_difference_that_is_asked(difference):
    """Many leads and images: p_S − p_E as the tables have it, within Monte-Carlo error."""
    rng = np.random.default_rng(3)
    trials, items = simulate_judgements(LabelWorld(), 120, 3000, difference, rng)
    rates = (trials["decision"] == "accept").groupby(trials["solver"]).mean()
    assert rates["S"] - rates["E"] == pytest.approx(difference, abs=0.012)
    assert (items["model_label"] != items["true_label"]).mean() > 0


def test_a_lead_judges_each_image_once_and_two_lists_show_each_label():
    trials, _ = simulate_judgements(LabelWorld(), 4, 30, -0.1, np.random.default_rng(1))
    assert not trials.duplicated(["participant", "item"]).any()
    pairs = trials[trials["participant"].isin(["0", "1"])].groupby("item")["solver"].nunique()
    assert (pairs == 2).all()


def outcome(difference, number=0, leads=8, items=120):
    rules = load_protocol("accept_reject_accuracy")
    cell = Cell(leads, items, Difference(difference))
    return run_study(Run(rules, LabelWorld(), 1, cell, number))


def test_a_large_difference_is_found_and_is_not_likeness():
    found = outcome(-0.4)
    estimate, differs = found.tests[DIFFERS]
    assert differs
    assert estimate == pytest.approx(-0.4, abs=0.12)
    assert found.verdicts == {VERDICT: "worse"}


def test_equal_labels_are_like_where_images_suffice():
    found = outcome(0.0, leads=10, items=300)
    assert not found.tests[DIFFERS][1]
    assert found.verdicts == {VERDICT: "like"}


def test_the_command_writes_test_and_verdicts_and_says_how_studies_were_analysed(tmp_path):
    results, rows = run([*BASE, "--effect=-0.3,0"], tmp_path / "out", "--workers", "1")
    check_files(tmp_path / "out", rows, ("power_difference", "power_comparison"))
    assert {row["term"] for row in rows} == {DIFFERS, "worse", "like", "better", "undecided"}
    assert len(rows) == 5 * 2 * 2
    assert "mixed" not in results["method"]
    assert "t interval over leads and images" in results["formula"]
    right = {row["effect"]: row["term"] for row in rows if row["right"]}
    assert right == {-0.3: "worse", 0.0: "like"}
    assert {row["as_asked"] for row in rows} == {None}
    assert results["models"] == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--effect=2"], ["--effect 2", "between -1 and 1"]),
        (["--effect=0.5"], ["--effect 0.5", "--label-errors"]),
        (["--effect=-0.9"], ["--effect -0.9", "between"]),
        (["--accept-wrong", "0.99"], ["--accept-wrong 0.99"]),
        (["--label-errors", "1"], ["--label-errors 1"]),
        (["--items", "3"], ["--items 3", "4 or more"]),
    ],
)
def test_mistakes_end_with_one_line(words, said, tmp_path, capsys):
    check_one_line([*BASE, *words], tmp_path / "out", said, capsys)


@pytest.mark.slow
def test_false_alarms_of_both_tests_stay_at_five_percent():
    """No difference; and a difference at the margin, which must not be called likeness."""
    none = [outcome(0.0, number, 8, 100).tests[DIFFERS][1] for number in range(200)]
    margin = [outcome(-0.1, number, 8, 100).verdicts[VERDICT] for number in range(200)]
    assert np.mean(none) < 0.10
    assert np.mean([verdict == "like" for verdict in margin]) < 0.10
