"""One simulated study: drawn, and analysed as the real one will be."""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from analysis.mixed import NotEstimableError
from analysis.mixed.simplify import SINGULAR_SD
from analysis.power.grid import Cell, Outcome
from analysis.statistics.bootstrap import Resampling
from analysis.studies.progressive_reveal.models import primary_model
from analysis.studies.progressive_reveal.pairs import with_holm
from analysis.studies.progressive_reveal.power.hazard_world import HazardWorld
from analysis.studies.progressive_reveal.rates import life_tables
from analysis.studies.progressive_reveal.trials import RoundTable
from stimuli.io.canonical import canonical_json, seed_of

TESTED = ("recognised", "steps")
"""The contrasts that are tested, between the method that differs and the reference."""
REPLICATES = 1000


@dataclass(frozen=True, slots=True)
class Generator:
    """Where rounds come from, and what is done with them.

    Attributes
    ----------
    world
        Its people and images.
    rounds
        How many images a person sees at most; 0 is all of them.
    test
        ``model``: the discrete-time mixed model; ``bootstrap``: life tables, people and images
        drawn again.
    seed
        Root of every draw.
    """

    world: HazardWorld
    rounds: int
    test: str
    seed: int


@dataclass(frozen=True, slots=True)
class Run:
    """One study to simulate: where in the grid, and which of its runs."""

    generator: Generator
    cell: Cell
    number: int


def run_study(run: Run) -> dict[str, Any]:
    """Simulate and analyse one study; return its `Outcome`, plain."""
    begun = time.perf_counter()
    table = simulated_rounds(run)
    with threadpool_limits(1):
        try:
            found = _by_model(table) if run.generator.test == "model" else _by_bootstrap(table, run)
        except (NotEstimableError, np.linalg.LinAlgError, FloatingPointError) as fault:
            found = ([], str(fault), False)
    return _outcome(table, *found, time.perf_counter() - begun).plain()


def simulated_rounds(run: Run) -> RoundTable:
    """Return the rounds of one simulated study."""
    generator, cell = run.generator, run.cell
    rng = np.random.Generator(np.random.PCG64(_seed(run)))
    rounds = generator.rounds or cell.items
    return generator.world.study(rng, cell.participants, cell.items, rounds, cell.effect)


def generator_key(generator: Generator) -> str:
    """Return all that a run's outcome depends on, apart from cell and number, as text."""
    world = generator.world
    parts = [
        list(world.methods), world.steps, world.recognised, list(world.sd_participant),
        list(world.sd_item), generator.rounds, generator.test, generator.seed,
    ]  # fmt: skip
    return canonical_json(parts).decode("utf-8")


def _seed(run: Run) -> int:
    return seed_of("power", run.generator.seed, run.cell.name, run.number)


def _by_model(table: RoundTable) -> tuple[list[dict[str, Any]], str, bool]:
    """Return the model's contrasts, why there are none, and whether a random effect vanished."""
    found = primary_model(table)
    hazard = found["hazard"]
    if not found["pairs"]:
        reason = hazard["reason"] if not hazard["fitted"] else " ".join(hazard["notes"])
        return [], reason or "the fit isn't sound", False
    asked = 2 * len(table.methods)
    sds = [row["sd"] for row in hazard["random"]]
    return found["pairs"], "", len(sds) < asked or min(sds) < SINGULAR_SD


def _by_bootstrap(table: RoundTable, run: Run) -> tuple[list[dict[str, Any]], str, bool]:
    plan = Resampling(REPLICATES, _seed(run) % 2**32)
    return life_tables(table, plan)["pairs"], "", False


def _outcome(
    table: RoundTable, pairs: list[dict[str, Any]], reason: str, singular: bool, run_s: float
) -> Outcome:
    other, method = table.methods[:2]
    own = {
        row["of"]: row
        for row in with_holm(pairs)
        if (row["method"], row["other"]) == (method, other)
    }
    if set(own) != set(TESTED) or not all(np.isfinite(row["p_holm"]) for row in own.values()):
        return Outcome(False, reason or "a contrast has no test", False, {}, {}, run_s)
    terms = {
        of: (row["estimate"], (row["ci_high"] - row["ci_low"]) / 4, row["p_holm"])
        for of, row in own.items()
    }
    return Outcome(
        True, "", singular, terms, {of: row["estimate"] for of, row in own.items()}, run_s
    )
