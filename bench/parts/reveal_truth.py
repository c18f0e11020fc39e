"""Made-up studies of progressive_reveal: does the analysis find what was put in?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.stats import binom

from analysis.questions.estimates import EstimateRow, select
from analysis.statistics.bootstrap import Resampling
from analysis.studies.progressive_reveal.models import PooledStep, primary_model
from analysis.studies.progressive_reveal.quantities import RATE, REACHED, RESTRICTED, SHARE
from analysis.studies.progressive_reveal.rates import averages
from analysis.studies.progressive_reveal.recognition import Life, Restricted
from analysis.studies.progressive_reveal.share_curves import (
    BY_SHARE,
    level_of_share,
    share_curves,
)
from analysis.studies.progressive_reveal.trials import read_rounds
from bench.book import Effort, Measured, Part
from bench.parts.reveal_truth_page import (
    COURSE,
    FAILING,
    PICTURE,
    QUANTITIES,
    course_told,
    draw,
    dropping_told,
    judged,
    summary_table,
)
from bench.parts.words import verdicts
from stimuli.names import method_name
from stimuli.protocol import load_protocol
from stimuli.workers import Workers, ordered_map
from tests.analysis.studies.progressive_reveal.world import METHODS, STEPS, World

PEOPLE, CLASSES, EACH = 32, 10, 4
LEAVING = 0.03
STUDIES, QUICK_STUDIES = 100, 4
MODELLED, QUICK_MODELLED = 16, 2
REPLICATES, QUICK_REPLICATES = 400, 100
TRUE_WORLDS, QUICK_TRUE_WORLDS = 400, 60
DRAWS = 400
LEAST_STUDIES = 2
"""Studies with a step that ends a run, for a mean difference there to be given."""
SURE = 0.999
ASKED = 0.10
LAPSES = (0.03, 0.03, 0.30, 0.03)


@dataclass(frozen=True, slots=True)
class Study:
    """One study to simulate and analyse."""

    number: int
    replicates: int
    modelled: bool


def world_of(number: int) -> World:
    """Return a world with images of its own."""
    return World(classes=CLASSES, each=EACH, lapse=LAPSES, seed=1000 + number)


def study(work: Study) -> list[dict[str, Any]]:
    """Return what the analysis of one study gives: estimate and limits by quantity and method."""
    world = world_of(work.number)
    trials = world.study(PEOPLE, leaving=LEAVING)
    rounds = read_rounds(trials, load_protocol("progressive_reveal"), world.curves(), "world")
    plan = Resampling(work.replicates, work.number)
    restricted = Restricted.of(rounds, plan).rows
    found = [_row("restricted", row) for row in select(restricted, RESTRICTED)]
    table3 = averages(rounds, plan)
    found += [_row(row.of["reading"], row) for row in select(table3, SHARE)]
    found += [_row("rate", row) for row in select(table3, RATE)]
    counted = select(Life.of(rounds, plan).rows(), REACHED)
    found += [_row("reached", row) for row in select(counted, step=str(STEPS))]
    asked = select(share_curves(rounds, plan).rows, BY_SHARE, share=level_of_share(ASKED))
    found += [_row("turnbull", row) for row in asked]
    if work.modelled:
        model = primary_model(rounds)
        ends = _ends(model.pooled_steps)
        found += [_row("modelled", row) for row in select(model.curves, step=str(STEPS))]
        for modelled, tabled in zip(model.curves, counted, strict=True):
            apart = replace(
                modelled, estimate=modelled.interval.estimate - tabled.interval.estimate
            )
            if int(modelled.of["step"]) in ends:
                found.append(_row(f"{COURSE}{modelled.of['step']}", apart))
    own = truth_of(world)
    return [
        {**row, "study": work.number, "own": own.get((row["quantity"], row["method"]))}
        for row in found
    ]


def _row(quantity: str, row: EstimateRow) -> dict[str, Any]:
    """Return an estimate with its limits."""
    return {
        "quantity": quantity,
        "method": row.of["method"],
        "estimate": row.interval.estimate,
        "low": row.interval.ci_low,
        "high": row.interval.ci_high,
    }


def _ends(pooled: Sequence[PooledStep]) -> set[int]:
    """Return the last step of each run of steps that share a hazard."""
    last = {row.first_step: row.step for row in sorted(pooled, key=lambda row: row.step)}
    return set(last.values())


@lru_cache(maxsize=2)
def truths(worlds: int) -> dict[tuple[str, str], float]:
    """Return the true values, averaged over as many worlds with images of their own."""
    each = [truth_of(world_of(50_000 + number)) for number in range(worlds)]
    return {key: float(np.mean([one[key] for one in each])) for key in each[0]}


def truth_of(world: World) -> dict[tuple[str, str], float]:
    """Return what people at large show of a world's images, by quantity and method."""
    values: dict[tuple[str, str], float] = {}
    limits = world.shares[:, :, -1].min(axis=1)
    for m, method in enumerate(METHODS):
        needed = world.population(m, DRAWS)
        shares = world.shares[:, m]
        enough = shares[:, None, :] >= needed[:, :, None]
        recognised = enough.any(axis=2)
        step = np.where(recognised, enough.argmax(axis=2), STEPS - 1)
        last = np.take_along_axis(shares, step, axis=1)
        # Recognition is known to within a step: its middle, as the estimate has it.
        low = np.where(step > 0, np.take_along_axis(shares, np.maximum(step - 1, 0), 1), 0.0)
        middle = (np.minimum(low, limits[:, None]) + np.minimum(last, limits[:, None])) / 2
        found = {
            "restricted": np.where(recognised, middle, limits[:, None]).mean(),
            "all_last_step": last.mean(),
            "recognised": last[recognised].mean(),
            "rate": recognised.mean(),
            "reached": recognised.mean(),
            "turnbull": (needed <= ASKED).mean(),
            "modelled": recognised.mean(),
            "needed": np.minimum(needed, limits[:, None]).mean(),
        }
        values |= {(name, method): float(value) for name, value in found.items()}
    return values


def measure(effort: Effort) -> Measured:
    """Simulate and analyse studies; compare estimates with the truth."""
    studies, modelled, replicates, worlds = (
        (QUICK_STUDIES, QUICK_MODELLED, QUICK_REPLICATES, QUICK_TRUE_WORLDS)
        if effort.quick
        else (STUDIES, MODELLED, REPLICATES, TRUE_WORLDS)
    )
    effort.say(f"{studies} studies of {PEOPLE} people")
    true = truths(worlds)
    works = [(str(n), Study(n, replicates, n < modelled)) for n in range(studies)]
    found = [row for _, rows in ordered_map(study, works, Workers()) for row in rows]
    rows = [
        _summary(quantity, method, found, true) for quantity in QUANTITIES for method in METHODS
    ]
    course = _course(found)
    bars = judged(rows, found, true["needed", FAILING])
    draw(rows, effort.picture(PICTURE))
    text = "\n\n".join(
        (
            _intro(studies, modelled, replicates),
            verdicts(bars),
            effort.shown(PICTURE, "Bias of three averages of the uncovered share, by method"),
            dropping_told(rows, true["needed", FAILING]),
            summary_table(rows),
            course_told(course),
        )
    )
    return Measured(text, {"studies": studies, "bars": bars, "rows": rows, "course": course})


def _summary(
    quantity: str, method: str, found: Sequence[Mapping[str, Any]], true: Mapping[Any, float]
) -> dict[str, Any]:
    own = _of(found, quantity, method)
    wanted = true[quantity, method]
    if quantity == "modelled":
        bias, error = _beside_life_tables(own, _of(found, "reached", method))
    else:
        bias, error = _mean([row["estimate"] - row["own"] for row in own])
    # Limits that aren't known (a rate of 1) hold nothing.
    held = [row["low"] <= wanted <= row["high"] for row in own]
    chance = binom.ppf([(1 - SURE) / 2, (1 + SURE) / 2], len(own), 0.95) / max(len(own), 1)
    return {
        "quantity": quantity,
        "method": method,
        "studies": len(own),
        "truth": wanted,
        "mean": wanted + bias,
        "bias": bias,
        "error": error,
        "coverage": float(np.mean(held)),
        "chance_low": float(chance[0]),
        "chance_high": float(chance[1]),
    }


def _course(found: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return by method and step how far the model lies from the same study's life table.

    Where steps share a hazard, at the last of them.
    """
    rows = []
    for method in METHODS:
        for step in range(1, STEPS + 1):
            own = _of(found, f"{COURSE}{step}", method)
            if len(own) < LEAST_STUDIES:
                continue
            mean, error = _mean([row["estimate"] for row in own])
            rows.append({"method": method, "step": step, "apart": mean, "error": error})
    return rows


def _of(found: Sequence[Mapping[str, Any]], quantity: str, method: str) -> list[Mapping[str, Any]]:
    return [row for row in found if row["quantity"] == quantity and row["method"] == method]


def _mean(values: Sequence[float]) -> tuple[float, float]:
    """Return a mean with its standard error."""
    return float(np.mean(values)), float(np.std(values, ddof=1) / len(values) ** 0.5)


def _beside_life_tables(
    modelled: Sequence[Mapping[str, Any]], counted: Sequence[Mapping[str, Any]]
) -> tuple[float, float]:
    """Return the model's mean error and its standard error.

    A study's people and images move model and life table alike. So the mean difference of the
    two is taken, over the studies that were modelled, and the life tables' own mean error, over
    all studies, is added.
    """
    by_study = {row["study"]: row["estimate"] for row in counted}
    apart, apart_error = _mean([row["estimate"] - by_study[row["study"]] for row in modelled])
    bias, error = _mean([row["estimate"] - row["own"] for row in counted])
    return apart + bias, float(np.hypot(apart_error, error))


def _intro(studies: int, modelled: int, replicates: int) -> str:
    return (
        f"{studies} studies of {PEOPLE} people and {CLASSES * EACH} images each, drawn "
        "independently. "
        "In each round the image is recognised when a certain share is uncovered: log-logistic, "
        f"with effects of method, image and person. With {method_name(FAILING)} "
        f"{100 * LAPSES[METHODS.index(FAILING)]:.0f} % of the rounds are never recognised, with "
        f"the others {100 * LAPSES[0]:.0f} %; {100 * LEAVING:.0f} % are left midway. Intervals are "
        f"two-way t intervals, for Turnbull's estimate percentile intervals of {replicates} "
        "replicates over people and images; the discrete-time model was fitted to "
        f"{modelled} of the studies. Intervals should contain the truth for the population of "
        "people and images. Bias is the mean difference between a study's estimate and the "
        "truth for the population of people and the study's own images; the chance of drawing "
        "these images affects both in the same way."
    )


PARTS = (
    Part("truth", "What the analysis finds in simulated studies whose truth is known", measure),
)
