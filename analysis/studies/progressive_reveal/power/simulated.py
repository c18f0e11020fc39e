"""One simulated study: drawn, and analysed as the real one will be."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from analysis.mixed import NotEstimableError
from analysis.power.question import Cell, Outcome, as_asked, fitted_formula
from analysis.report.estimates import MEANS, MODEL
from analysis.statistics.bootstrap import Resampling
from analysis.studies.progressive_reveal.life_tables import life_tables
from analysis.studies.progressive_reveal.models import primary_model
from analysis.studies.progressive_reveal.pairs import ALPHA, Pair, with_holm
from analysis.studies.progressive_reveal.power.asked import HazardWorld
from analysis.studies.progressive_reveal.power.hazard_world import simulate_rounds
from analysis.studies.progressive_reveal.restricted import restricted_shares
from analysis.studies.progressive_reveal.trials import RoundTable
from stimuli.io.canonical import canonical_json, seed_of

TESTED_BY = "two-way means"
"""Runs that were kept from another analysis are simulated again."""
TESTED = ("recognised", "steps")
"""The contrasts without which a study has no result."""


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
        ``means``: life tables and restricted means, over people and images; ``model``: the
        discrete-time mixed model, too.
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


def run_study(run: Run) -> Outcome:
    """Simulate and analyse one study."""
    begun = time.perf_counter()

    def run_s() -> float:
        return time.perf_counter() - begun

    with threadpool_limits(1):
        try:
            return _outcome(simulated_rounds(run), run, run_s)
        except (NotEstimableError, np.linalg.LinAlgError, FloatingPointError) as fault:
            return Outcome.without(str(fault), run_s(), model=run.generator.test == MODEL)


def simulated_rounds(run: Run) -> RoundTable:
    """Return the rounds of one simulated study."""
    generator, cell = run.generator, run.cell
    rng = np.random.Generator(np.random.PCG64(_seed(run)))
    rounds = generator.rounds or cell.items
    return simulate_rounds(generator.world, rng, cell.participants, cell.items, rounds, cell.effect)


def generator_key(generator: Generator) -> str:
    """Return all that a run's outcome depends on, apart from cell and number, as text."""
    world = generator.world
    parts = [
        list(world.methods), world.steps, world.recognised, list(world.sd_participant),
        list(world.sd_item), generator.rounds, generator.test, generator.seed, TESTED_BY,
    ]  # fmt: skip
    return canonical_json(parts).decode("utf-8")


def _seed(run: Run) -> int:
    return seed_of("power", run.generator.seed, run.cell.name, run.number)


def by_model(name: str) -> str:
    """Return what a test is called where it is the model's."""
    return f"{name}_model"


def _outcome(table: RoundTable, run: Run, run_s: Callable[[], float]) -> Outcome:
    plan = Resampling(1, _seed(run) % 2**32)
    means = [*life_tables(table, plan).pairs, *restricted_shares(table, plan).pairs]
    if run.generator.test == MEANS:
        tests = _tests(table, means)
        if not set(TESTED) <= set(tests):
            return Outcome.without("a contrast has no test", run_s(), model=False)
        return Outcome(True, "", None, "", tests, {}, run_s())
    found = primary_model(table)
    hazard = found.hazard
    tests = _tests(table, [*means, *found.pairs])
    if not {*TESTED, *map(by_model, TESTED)} <= set(tests):
        reason = " ".join(hazard.notes) if hazard.fitted else hazard.reason
        return Outcome.without(reason or "the fit isn't sound", run_s())
    whole = as_asked(hazard, 2 * len(table.methods))
    return Outcome(True, "", whole, fitted_formula(hazard), tests, {}, run_s())


def _tests(table: RoundTable, pairs: Iterable[Pair]) -> dict[str, tuple[float | None, bool]]:
    """Return the contrasts between the method that differs and the reference, as the report's."""
    other, method = table.methods[:2]
    return {
        by_model(row.of) if row.by == MODEL else row.of: (row.estimate, bool(row.p_holm < ALPHA))
        for row in with_holm(pairs)
        if (row.method, row.other) == (method, other)
        and row.p_holm is not None
        and np.isfinite(row.p_holm)
    }
