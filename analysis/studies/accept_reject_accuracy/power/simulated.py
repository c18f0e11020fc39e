"""One simulated study of accuracy: drawn, judged, analysed as the real one will be."""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from analysis.power.grid import Cell, Outcome
from analysis.statistics.bootstrap import Resampling
from analysis.studies.accept_reject.rates import SolverDifference
from analysis.studies.accept_reject.trials import judge_trials
from analysis.studies.accept_reject_accuracy.pairs import judgements
from analysis.studies.accept_reject_accuracy.power.asked import LabelWorld
from analysis.studies.accept_reject_accuracy.power.label_world import simulate_judgements
from analysis.studies.accept_reject_accuracy.rates import comparison, measure
from stimuli.io.canonical import seed_of
from stimuli.studies.accept_reject_accuracy.protocol import AcceptRejectAccuracy

DIFFERS, COMPARISON = "difference", "comparison"


@dataclass(frozen=True, slots=True)
class Run:
    """One study to simulate: by which rules, from which world, where in the grid."""

    protocol: AcceptRejectAccuracy
    world: LabelWorld
    root: int
    cell: Cell
    number: int

    @property
    def seed(self) -> int:
        """The run's own root."""
        return seed_of("power", "accuracy", self.root, self.cell.name, self.number)


def run_study(run: Run) -> dict[str, Any]:
    """Simulate and analyse one study; return its `Outcome`, plain."""
    begun = time.perf_counter()
    with threadpool_limits(1):
        row = compared(run)
    tests = {DIFFERS: (row.difference, row.differs)}
    verdicts = {COMPARISON: row.verdict}
    return Outcome(True, "", None, "", tests, verdicts, time.perf_counter() - begun).plain()


def compared(run: Run) -> SolverDifference:
    """Return the report's comparison of S and E in one simulated study."""
    rng = np.random.Generator(np.random.PCG64(run.seed))
    cell, rules = run.cell, run.protocol.analysis
    trials, items = simulate_judgements(
        run.world, cell.participants, cell.items, cell.effect.value, rng
    )
    trial = run.protocol.trial
    trials = trials.assign(cutoff_s=trial.cutoff_s, cutoff_mode=trial.cutoff_mode)
    plan = Resampling(rules.replicates, rules.seed)
    rates = measure(judgements(judge_trials(trials, run.protocol), items), plan)
    return comparison(rates, rules.margin)
