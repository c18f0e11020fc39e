"""Power of human_ai_team: the world has what is asked, and the command says what it finds."""

import json

import numpy as np
import pytest

from analysis.cli import main
from analysis.studies.human_ai_team.power.question import effects_of
from analysis.studies.human_ai_team.power.team_world import Shift, TeamWorld
from stimuli.errors import UserError


def test_the_world_has_the_reliance_that_is_asked():
    """Many people and images: both reliances, within Monte-Carlo error."""
    world = TeamWorld(arms={"help": Shift(0.1, -0.05)})
    trials = world.study(12_000, 30, 400, np.random.default_rng(3))
    yes = (trials["decision"] == "yes").groupby([trials["method"], trials["ai_correct"]]).mean()
    wanted = {("confidence", False): 0.4, ("confidence", True): 0.85,
              ("help", False): 0.5, ("help", True): 0.9}  # fmt: skip
    assert {key: yes[key] for key in wanted} == pytest.approx(wanted, abs=0.012)
    assert trials["ai_correct"].mean() == pytest.approx(1 / 3, abs=0.01)


def test_arms_and_sheets_are_dealt_in_turn():
    trials = TeamWorld(arms={"help": Shift(0.0)}).study(12, 5, 3, np.random.default_rng(1))
    assert not trials.duplicated(["participant", "item"]).any()
    cells = trials.groupby(["item", "method"])["participant"].nunique()
    assert (cells == 2).all()
    assert len(cells) == 2 * 15


def test_effects_are_written_as_over_and_under():
    assert effects_of("--effect", "0.1:0, 0") == (Shift(0.1, 0.0), Shift(0.0))
    with pytest.raises(UserError, match="--effect a: must be as in"):
        effects_of("--effect", "a")


def test_the_command_writes_its_three_tests(tmp_path):
    words = ["power", "human_ai_team", "--participants", "20", "--items", "10", "--arms", "2",
             "--runs", "2", "--effect", "0.3:0", "--workers", "1"]  # fmt: skip
    assert main([*words, "--out", str(tmp_path / "out")]) == 0
    results = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    truths = {row["term"]: row["truth"] for row in results["power"]}
    assert truths == pytest.approx(
        {"over_reliance": 0.3, "under_reliance": 0.0, "accuracy": -0.3 * 2 / 3}
    )
    assert main([*words[:-4], "0.7:0", "--out", str(tmp_path / "more")]) == 2
