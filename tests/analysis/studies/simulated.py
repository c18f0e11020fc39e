"""Simulated studies of any size, in all five studies; those of two sizes are shared."""

from contextlib import nullcontext
from functools import cache

import numpy as np

from stimuli.catalogue import studies_of
from tests.analysis.asking import without_models
from tests.analysis.formats import without_drawings
from tests.analysis.studies.accept_reject import simulate_table, whole
from tests.analysis.studies.accept_reject_accuracy import tables_of as labels
from tests.analysis.studies.human_ai_team import tables_of as team
from tests.analysis.studies.progressive_reveal.whole import analysed, dataset_of
from tests.analysis.studies.progressive_reveal.world import World
from tests.analysis.studies.simulatability import tables_of as simulatability

ALONE, GROUP = (1, 6), (10, 8)
"""People and items of the two shared studies."""


def accept_reject(people, items, seed):
    robots = np.random.default_rng(seed).choice(["lead", "lead", "lazy", "rejecting"], people)
    table = simulate_table.simulate(
        [str(robot) for robot in robots], seed=seed, per_solver=items, scale=0.2
    )
    return whole.results_of(table)


def accept_reject_accuracy(people, items, seed):
    rng = np.random.default_rng(seed)
    rows = []
    for person in range(people):
        for item in range(items):
            solver, true = "SE"[(person + item) % 2], f"class-{item % 3}"
            wrong = solver == "S" and rng.random() < 0.3
            shown = f"class-{(item + 1) % 3}" if wrong else true
            accepts = rng.random() < (0.2 if wrong else 0.9)
            rows.append((f"p{person}", f"i{item}", solver, true, shown,
                         "accept" if accepts else "reject"))  # fmt: skip
    dataset = labels.by_hand(rows)
    return labels.LABELS.analyse(dataset, None, (), lambda _: None)


def human_ai_team(people, items, seed):
    frame = team.crossed(2 * people, items, ("confidence", "gradcam"), seed)
    return team.TEAM.analyse(team.dataset_of(frame), None, (), lambda _: None)


def simulatability_(people, items, seed):
    trials = simulatability.trials_of(3 * people, items, seed, lime=0.1, anchor=0.0)
    return simulatability.results_of(trials)


def progressive_reveal(people, items, seed):
    world = World(classes=4, each=max(1, items // 4), seed=seed)
    return analysed(dataset_of(world.study(people, seed=seed), world))


STUDIES = {
    "accept_reject": accept_reject,
    "accept_reject_accuracy": accept_reject_accuracy,
    "human_ai_team": human_ai_team,
    "progressive_reveal": progressive_reveal,
    "simulatability": simulatability_,
}


@cache
def results_of(study, size):
    """Return the results of a study of `ALONE` or `GROUP`, which no test may change.

    Those of `ALONE` have no models.
    """
    with without_models() if size == ALONE else nullcontext():
        return STUDIES[study](*size, 5)


@cache
def report_of(study, size):
    """Return the report on a study of `ALONE` or `GROUP`, without its figures."""
    with without_drawings():
        return studies_of("analysis")[study].inquiry().build(results_of(study, size))
