"""One simulated study of accuracy: drawn, judged, analysed as the real one will be."""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import t as student
from threadpoolctl import threadpool_limits

from analysis.power.grid import Cell, Outcome
from analysis.statistics.bootstrap import Resampling
from analysis.studies.accept_reject.trials import judge_trials
from analysis.studies.accept_reject_accuracy.pairs import judgements
from analysis.studies.accept_reject_accuracy.power.label_world import LabelWorld
from analysis.studies.accept_reject_accuracy.rates import (
    CONTRAST,
    Rates,
    comparison,
    constant,
    measure,
)
from stimuli.io.canonical import seed_of
from stimuli.studies.accept_reject_accuracy.protocol import AcceptRejectAccuracy

DIFFERS, LIKE = "difference", "like"


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
    rng = np.random.Generator(np.random.PCG64(run.seed))
    cell, rules = run.cell, run.protocol.analysis
    with threadpool_limits(1):
        trials, items = run.world.study(cell.participants, cell.items, cell.effect.value, rng)
        trial = run.protocol.trial
        trials = trials.assign(cutoff_s=trial.cutoff_s, cutoff_mode=trial.cutoff_mode)
        plan = Resampling(rules.replicates, rules.seed)
        rates = measure(judgements(judge_trials(trials, run.protocol), items), plan)
        found = _tested(rates, rules.margin)
    return Outcome(True, "", False, *found, time.perf_counter() - begun).plain()


def _tested(
    rates: Rates, margin: float
) -> tuple[dict[str, tuple[float, float, float]], dict[str, float]]:
    """Return both tests (estimate, standard error, p), and the estimates by contrast."""
    row = comparison(rates, margin)
    difference, room = row["difference"], margin - abs(row["difference"])
    spread = rates.found.spread(CONTRAST)
    se, df = float(spread.se[0]), float(spread.df[0])
    if constant(rates):
        # Nothing varies: the limits that the analysis gives in their place decide.
        differs = float(row["ci_low"] <= 0 <= row["ci_high"])
        like = float(row["verdict"] != "like")
    else:
        differs = rates.found.p(CONTRAST)
        like = float(student.sf(room / se, df))
    tests = {DIFFERS: (difference, se, differs), LIKE: (room, se, like)}
    return tests, {"S-E": difference, "room": room}
