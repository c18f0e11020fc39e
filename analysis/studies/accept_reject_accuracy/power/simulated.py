"""One simulated study of accuracy: its labels, its judgements, and their analysis."""

import time
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import expit
from threadpoolctl import threadpool_limits

from analysis.power.question import Cell, Outcome
from analysis.power.simulated import averaging_logit
from analysis.statistics.bootstrap import Resampling
from analysis.studies.accept_reject.rates import SolverDifference
from analysis.studies.accept_reject.trials import judge_trials
from analysis.studies.accept_reject_accuracy.pairs import judgements
from analysis.studies.accept_reject_accuracy.power.asked import LabelWorld
from analysis.studies.accept_reject_accuracy.rates import comparison, measure
from stimuli.io.canonical import seed_of
from stimuli.studies.accept_reject_accuracy.protocol import AcceptRejectAccuracy

DIFFERS, COMPARISON = "difference", "comparison"

Array = np.ndarray

DATA_SET, OTHER = "a", "b"
"""The data set's label of an image, and another one."""


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


def run_study(run: Run) -> Outcome:
    """Simulate and analyse one study."""
    begun = time.perf_counter()
    with threadpool_limits(1):
        row = compared(run)
    tests = {DIFFERS: (row.difference, row.differs)}
    verdicts = {COMPARISON: row.verdict}
    return Outcome(True, "", None, "", tests, verdicts, time.perf_counter() - begun)


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


def simulate_judgements(
    world: LabelWorld, participants: int, items: int, difference: float, rng: np.random.Generator
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a simulated study: its trials and its item table.

    Each lead judges each image once, half of them with S's label and half with the data
    set's; over two lists each image comes with both.
    """
    system_errs, data_set_errs = _errors(world, items, difference, rng)
    person = np.repeat(np.arange(participants), items)
    item = np.tile(np.arange(items), participants)
    of_system = (rng.permutation(items)[item] + person) % 2 == 0
    differs = system_errs | data_set_errs
    wrong = np.where(of_system, system_errs[item], data_set_errs[item])
    logits = _logits(world, wrong)
    logits += rng.normal(0, world.sd_participant, participants)[person]
    logits += rng.normal(0, world.sd_item, items)[item]
    accepts = rng.random(len(item)) < expit(logits)
    trials = pd.DataFrame(
        {
            "participant": person.astype(str),
            "item": item.astype(str),
            "solver": np.where(of_system, "S", "E"),
            "explained": False,
            "true_label": DATA_SET,
            "shown_label": np.where(of_system & differs[item], OTHER, DATA_SET),
            "decision": np.where(accepts, "accept", "reject"),
            "rt_s": 1.0,
        }
    )
    table = pd.DataFrame(
        {
            "item": np.arange(items).astype(str),
            "true_label": DATA_SET,
            "model_label": np.where(differs, OTHER, DATA_SET),
        }
    )
    return trials, table


def _errors(
    world: LabelWorld, items: int, difference: float, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Return on which images S errs and on which the data set does, never on the same."""
    place = rng.random(items)
    return place >= 1 - world.system_errors(difference), place < world.label_errors


def _logits(world: LabelWorld, wrong: Array) -> Array:
    spread = float(np.hypot(world.sd_participant, world.sd_item))
    right_logit, wrong_logit = (
        averaging_logit(wanted, spread) for wanted in (world.accept_right, world.accept_wrong)
    )
    return np.where(wrong, wrong_logit, right_logit)
