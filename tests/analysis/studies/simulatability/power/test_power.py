"""Power of simulatability: the world has what is asked, and the command says what it finds."""

import json

import numpy as np
import pytest

from analysis.cli import main
from analysis.studies.simulatability.power.simulation_world import Gain, SimulationWorld


def test_the_world_has_the_accuracies_that_are_asked():
    """Many people and items: before, practice and gain, within Monte-Carlo error."""
    world = SimulationWorld(pre=0.6, practice=0.05, arms={"helped": Gain(0.1)})
    trials = world.study(3000, 400, np.random.default_rng(3))
    found = trials.groupby(["method", "phase"])["correct"].mean()
    wanted = {
        ("no_explanation", "pre"): 0.60,
        ("no_explanation", "post"): 0.65,
        ("helped", "pre"): 0.60,
        ("helped", "post"): 0.75,
    }
    assert {key: found[key] for key in wanted} == pytest.approx(wanted, abs=0.02)


def test_everybody_predicts_every_item_twice_in_one_arm():
    trials = SimulationWorld(arms={"a": Gain(0.0), "b": Gain(0.0)}).study(
        7, 5, np.random.default_rng(1)
    )
    assert len(trials) == 7 * 10 * 2
    assert not trials.duplicated(["participant", "item", "phase"]).any()
    assert (trials.groupby("participant")["method"].nunique() == 1).all()
    assert (trials.groupby("use")["item"].nunique() == 5).all()


def test_the_command_says_who_carries_the_whole_model(tmp_path, capsys):
    words = ["power", "simulatability", "--participants", "8", "--items", "8", "--arms", "2",
             "--runs", "2", "--workers", "1"]  # fmt: skip
    assert main([*words, "--effect", "0.1", "--out", str(tmp_path / "out")]) == 0
    results = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    (row,) = results["power"]
    assert (row["truth"], row["singular"]) == (0.1, 1.0)
    said = " ".join(results["assumptions"])
    assert "8 participants are 4 per arm" in said
    assert "0 % with 4 participants per arm" in said
    assert main([*words, "--effect", "0.5", "--out", str(tmp_path / "more")]) == 2
    assert "accuracy after explanations would be 1.19" in capsys.readouterr().err
