"""One simulated study: drawn, answered, analysed as the real one will be."""

import time
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from threadpoolctl import threadpool_limits

from analysis.mixed.simplify import SINGULAR_SD
from analysis.power.grid import Cell, Outcome
from analysis.studies.human_ai_team.model import model_results
from analysis.studies.human_ai_team.power.team_world import HELPED, REFERENCE, TeamWorld
from analysis.studies.human_ai_team.trials import read_answers
from stimuli.io.canonical import seed_of
from stimuli.studies.human_ai_team.protocol import HumanAiTeam

ACCURACY, OVER, UNDER = "accuracy", "over_reliance", "under_reliance"
TESTED: Final = (ACCURACY, OVER, UNDER)


@dataclass(frozen=True, slots=True)
class Run:
    """One study to simulate: by which rules, from which world, where in the grid."""

    protocol: HumanAiTeam
    world: TeamWorld
    other_arms: int
    root: int
    cell: Cell
    number: int

    @property
    def seed(self) -> int:
        """The run's own root."""
        return seed_of("power", "human_ai_team", self.root, self.cell.name, self.number)


def run_study(run: Run) -> dict[str, Any]:
    """Simulate and analyse one study; return its `Outcome`, plain."""
    begun = time.perf_counter()
    rng = np.random.Generator(np.random.PCG64(run.seed))
    cell = run.cell
    arms = {HELPED: cell.effect} | {
        f"other_{n}": type(cell.effect)(0.0) for n in range(1, run.other_arms + 1)
    }
    with threadpool_limits(1):
        world = replace(run.world, arms=arms)
        trials = world.study(cell.participants, cell.items, run.protocol.bins.sheets, rng)
        model = model_results(read_answers(trials, run.protocol))
    return _outcome(model, time.perf_counter() - begun).plain()


def _outcome(model: dict[str, Any], run_s: float) -> Outcome:
    if not model["fitted"] or not model["converged"]:
        reason = model.get("reason") or " ".join(model["notes"])
        return Outcome(False, reason, False, {}, {}, run_s)
    own = {
        row["quantity"]: row
        for row in model["pairs"]
        if (row["first"], row["second"]) == (HELPED, REFERENCE)
    }
    if not set(TESTED) <= set(own):
        return Outcome(False, "the AI is right, or wrong, on every image", False, {}, {}, run_s)
    terms = {name: (own[name]["estimate"], own[name]["se"], own[name]["p"]) for name in TESTED}
    singular = min(row["sd"] for row in model["random"]) < SINGULAR_SD
    estimates = {name: own[name]["estimate"] for name in TESTED}
    return Outcome(True, "", singular, terms, estimates, run_s)
