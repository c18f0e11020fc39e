"""One simulated study: drawn, and analysed as the real one will be."""

import time
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from threadpoolctl import threadpool_limits

from analysis.power.grid import Cell, Outcome
from analysis.report.primary import MODEL, used
from analysis.statistics.bootstrap import Resampling
from analysis.studies.simulatability.means import mean_results
from analysis.studies.simulatability.model import model_results
from analysis.studies.simulatability.power.simulation_world import (
    HELPED,
    Gain,
    SimulationWorld,
)
from analysis.studies.simulatability.trials import read_predictions
from analysis.studies.simulatability.words import ALL
from stimuli.io.canonical import seed_of
from stimuli.studies.simulatability.protocol import Simulatability

CHANGE: Final = "change"
WHOLE: Final = "whole"
DOMAIN: Final = "tabular"


@dataclass(frozen=True, slots=True)
class Run:
    """One study to simulate: by which rules, from which world, where in the grid."""

    protocol: Simulatability
    world: SimulationWorld
    other_arms: int
    root: int
    cell: Cell
    number: int

    @property
    def seed(self) -> int:
        """The run's own root."""
        return seed_of("power", "simulatability", self.root, self.cell.name, self.number)


def run_study(run: Run) -> dict[str, Any]:
    """Simulate and analyse one study; return its `Outcome`, plain."""
    begun = time.perf_counter()
    rng = np.random.Generator(np.random.PCG64(run.seed))
    others = {f"other_{n}": Gain(0.0) for n in range(1, run.other_arms + 1)}
    with threadpool_limits(1):
        world = replace(run.world, arms={HELPED: run.cell.effect} | others)
        trials = world.study(run.cell.participants, run.cell.items, rng, DOMAIN)
        own = read_predictions(trials, run.protocol).domain(DOMAIN)
        model = model_results(own)
        rules = run.protocol.analysis
        plan = Resampling(rules.replicates, rules.seed)
        by = used(rules.primary_test, bool(model["differences"]))
        rows = model["differences"] if by == MODEL else mean_results(own, plan)["differences"]
    run_s = time.perf_counter() - begun
    (row,) = (row for row in rows if row["method"] == HELPED and row["test"] == ALL)
    if not np.isfinite(row["p"]):
        return Outcome(False, "Change doesn’t vary", False, {}, {}, run_s).plain()
    terms = {CHANGE: (row["estimate"] / 100, row["se"] / 100, row["p"])}
    usefulness = {CHANGE: row["estimate"] / 100}
    return Outcome(True, "", not model["whole"], terms, usefulness, run_s).plain()
