"""Power of human_ai_team: the world has what is asked, and the command says what it finds."""

import json

import numpy as np
import pytest
from scipy.stats import binom

from analysis.cli import main
from analysis.mixed.result import Outcome
from analysis.power.simulation import Cell, Run, arms_of
from analysis.studies.human_ai_team import simulated
from analysis.studies.human_ai_team.power import Shift, TeamWorld, read_shifts
from analysis.studies.human_ai_team.quantities import DIFFERENCES, VERDICT
from analysis.studies.human_ai_team.questions.models import MODELS
from analysis.studies.human_ai_team.questions.trust import TRUST
from analysis.studies.human_ai_team.simulated import (
    NO_CLAIM,
    SILENT,
    right_verdict,
    run_study,
    simulate_trials,
    simulated_trials,
)
from analysis.studies.human_ai_team.verdicts import LIKE, NOTHING, VERDICTS
from stimuli.errors import UserError
from stimuli.protocol import load_protocol
from tests.analysis.studies.human_ai_team.tables_of import results_of


def test_the_world_has_the_reliance_that_is_asked():
    """Many people and images: both reliances, within Monte-Carlo error."""
    world = TeamWorld(arms={"help": Shift(0.1, -0.05)})
    trials = simulate_trials(world, 12_000, 30, 400, np.random.default_rng(3))
    yes = (trials["decision"] == "yes").groupby([trials["method"], trials["ai_correct"]]).mean()
    wanted = {("confidence", False): 0.4, ("confidence", True): 0.85,
              ("help", False): 0.5, ("help", True): 0.9}  # fmt: skip
    assert {key: yes[key] for key in wanted} == pytest.approx(wanted, abs=0.012)
    assert trials["ai_correct"].mean() == pytest.approx(1 / 3, abs=0.01)


def test_arms_and_sheets_are_dealt_in_turn():
    trials = simulate_trials(
        TeamWorld(arms={"help": Shift(0.0)}), 12, 5, 3, np.random.default_rng(1)
    )
    assert not trials.duplicated(["participant", "item"]).any()
    cells = trials.groupby(["item", "method"])["participant"].nunique()
    assert (cells == 2).all()
    assert len(cells) == 2 * 15


def test_effects_are_written_as_over_and_under():
    assert read_shifts("--effect", "0.1:0, 0") == (Shift(0.1, 0.0), Shift(0.0))
    with pytest.raises(UserError, match="--effect a: must be as in"):
        read_shifts("--effect", "a")


def study(effect, number=0, people=60, other_arms=2, **rules):
    protocol = load_protocol("human_ai_team", None, {"analysis": {"replicates": 200, **rules}})
    world = TeamWorld(arms=arms_of(2 + other_arms, Shift(0.0)))
    return Run(protocol, world, 1, Cell(people, 20, effect), number)


@pytest.mark.parametrize(
    ("effect", "by"),
    [
        (Shift(0.4), "model"),
        *(
            pytest.param(effect, by, marks=pytest.mark.slow)
            for effect, by in ((Shift(0.4), "means"), (Shift(0.0), "means"), (Shift(0.0), "model"))
        ),
    ],
)
def test_power_counts_what_the_report_says_of_the_same_table(effect, by):
    run = study(effect, primary_test=by)
    found = run_study(run)
    report = results_of(simulated_trials(run), analysis={"replicates": 200, "primary_test": by})
    trust = report.of(TRUST)
    row = trust.row(VERDICT, base="all", method="help")
    assert found.verdicts == {"verdict": row.verdict, "claims": NO_CLAIM}
    assert row.verdict in (right_verdict(effect), NOTHING)
    for name, (estimate, is_found) in found.tests.items():
        pair = trust.row(DIFFERENCES[name], **row.of)
        assert estimate == pytest.approx(pair.estimate)
        assert is_found == (pair.p_adjusted < 0.05)
    assert found.model == report.of(MODELS).fits["all"].formula


def test_without_a_sound_model_the_means_decide(monkeypatch):
    monkeypatch.setattr(simulated, "fitted_model", lambda _: Outcome("correct ~ method", None))
    found = run_study(study(Shift(0.4), primary_test="model"))
    assert found.fitted
    assert (found.as_asked, found.model) == (False, "")
    assert found.tests["over_reliance"][1]
    assert found.verdicts == {"verdict": "over-reliance", "claims": NO_CLAIM}


@pytest.mark.slow
def test_without_an_effect_a_difference_is_claimed_in_few_studies():
    """One family of three arms and four quantities: 5 % of studies at most."""
    found = [run_study(study(Shift(0.0), n, 40, 2)).verdicts for n in range(12)]
    claimed = sum(one["verdict"] not in SILENT or one["claims"] != NO_CLAIM for one in found)
    assert claimed <= binom.ppf(0.999, 12, 0.05)


@pytest.mark.parametrize(
    ("effect", "verdict"),
    [
        (Shift(0.1), "over-reliance"),
        (Shift(0.0, 0.1), "under-reliance"),
        (Shift(-0.1), "help"),
        (Shift(0.1, -0.2), "help, at the price of over-reliance"),
        (Shift(0.0), LIKE),
    ],
)
def test_the_right_verdict_is_that_of_differences_without_error(effect, verdict):
    assert right_verdict(effect) == verdict


def test_the_command_writes_its_three_tests_and_the_verdicts(tmp_path):
    words = ["power", "human_ai_team", "--participants", "20", "--items", "10", "--arms", "2",
             "--runs", "2", "--effect", "0.3:0", "--workers", "1"]  # fmt: skip
    assert main([*words, "--out", str(tmp_path / "out")]) == 0
    results = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    truths = {row["term"]: row["truth"] for row in results["power"] if not row["family"]}
    assert truths == pytest.approx(
        {"over_reliance": 0.3, "under_reliance": 0.0, "accuracy": -0.3 * 2 / 3}
    )
    verdicts = {row["term"]: row["right"] for row in results["power"] if row["family"]}
    assert list(verdicts) == list(VERDICTS)
    assert [name for name, right in verdicts.items() if right] == ["over-reliance"]
    assert "Holm" in results["method"]
    assert main([*words[:-4], "0.7:0", "--out", str(tmp_path / "more")]) == 2
