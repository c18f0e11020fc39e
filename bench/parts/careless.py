"""Careless people: what they do to the headline's estimate, and to the model's beside it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from analysis.mixed import marginal_probabilities
from analysis.mixed.result import fit_or_reason
from analysis.mixed.simplify import fit_logistic
from analysis.power.simulation import Cell, Run
from analysis.questions.estimates import EstimateRow
from analysis.report.deciding import apart
from analysis.statistics.bootstrap import Resampling
from analysis.studies.accept_reject.model import FORMULA, averaged, coded, settings
from analysis.studies.accept_reject.power import PlateWorld, Usefulness
from analysis.studies.accept_reject.rates import COMPARISON, measure, usefulness_rows
from analysis.studies.accept_reject.simulated import (
    simulated_trials,
)
from analysis.studies.accept_reject.trials import ScoredTrials, judge_trials
from bench.book import Effort, Measured, Part, table
from stimuli.io.canonical import seed_of
from stimuli.protocol import load_protocol
from stimuli.workers import Workers, ordered_map

How = Literal["one answer", "at random"]
Estimate = tuple[float, float, float]

LEADS, PLATES, EFFECT = 20, 40, 0.2
CARELESS: Final[tuple[tuple[int, How], ...]] = (
    (0, "one answer"),
    *((share, how) for how in ("one answer", "at random") for share in (5, 10, 20, 30)),
)
"""Per cent of leads who are careless, and how they answer."""
STUDIES, QUICK, SEED = 100, 2, 61
ALIKE: Final = (0.0, 0.0, 0.0, 0.0)
BY: Final = {
    "means": "means, the headline’s",
    "model": "model, over those present",
    "normal": "model, over a normal distribution",
}


@dataclass(frozen=True, slots=True)
class World:
    """One kind of study.

    Attributes
    ----------
    careless, how
        Per cent of leads who don't look at the plates; half of those of one answer always accept.
    one_order
        Whether all of them begin with explanations.
    leads, plates, effect, baseline
        Sizes; what explanations bring to the others; acceptance without.
    """

    careless: int = 0
    how: How = "one answer"
    one_order: bool = False
    leads: int = LEADS
    plates: int = PLATES
    effect: float = EFFECT
    baseline: float = 0.35

    @property
    def many(self) -> int:
        """How many leads are careless."""
        return round(self.leads * self.careless / 100)

    @property
    def truth(self) -> float:
        """Usefulness over all leads: none for the careless."""
        return self.effect * (self.leads - self.many) / self.leads


@dataclass(frozen=True, slots=True)
class Task:
    """One study of a world."""

    world: World
    number: int
    model: bool = True


def study(task: Task) -> dict[str, Any]:
    """Return usefulness for S in one simulated study, by each way; and the verdict on S and E."""
    protocol = load_protocol("accept_reject")
    with threadpool_limits(1):
        judged = judge_trials(trials_of(task.world, task.number), protocol)
        rules = protocol.analysis
        rates = measure(judged, Resampling(rules.replicates, rules.seed))
        raw = usefulness_rows(rates)[0]
        found: dict[str, Any] = {
            "means": _limits(raw),
            "verdict": rates.estimate(COMPARISON).verdict(rules.margin),
        }
        if task.model:
            found |= _by_model(judged, raw)
    return found


def trials_of(world: World, number: int) -> pd.DataFrame:
    """Return one study's trials: drawn from the mixed model, then the careless answer."""
    cell = Cell(world.leads, world.plates, Usefulness(world.effect, world.effect))
    mixed = PlateWorld(baseline=world.baseline)
    if world.leads == 1:
        mixed = replace(mixed, sd_participant=ALIKE)  # the truth is that of this lead
    if world.plates == 1:
        mixed = replace(mixed, sd_item=ALIKE)
    trials = simulated_trials(Run(load_protocol("accept_reject"), mixed, SEED, cell, number))
    rng = np.random.Generator(np.random.PCG64(seed_of("careless", repr(world), number)))
    order = trials.groupby("participant")["order"].first()
    codes = order.index[order == "with_first"] if world.one_order else order.index
    for place, code in enumerate(rng.permutation(codes)[: world.many]):
        own = (trials["participant"] == code).to_numpy()
        accepts = rng.random(int(own.sum())) < 0.5 if world.how == "at random" else place % 2 == 0
        trials.loc[own, "decision"] = np.where(accepts, "accept", "reject")
    return trials


def _by_model(judged: ScoredTrials, raw: EstimateRow) -> dict[str, Any]:
    result = fit_or_reason(fit_logistic, FORMULA, coded(judged)).sound
    if result is None:
        return {}
    orders = (-0.5, 0.5)
    balanced = [pd.concat([cell.assign(order=own) for own in orders]) for cell in settings()]
    row = averaged(result)[1]["S"]
    both = marginal_probabilities(result, balanced).contrast(np.array([-1, 1, 0, 0]))
    return {
        "model": _limits(row),
        "normal": (both.estimate, both.ci_low, both.ci_high),
        "said": apart(raw, row),
    }


def _limits(row: Any) -> Estimate:
    return row.estimate, row.ci_low, row.ci_high


def measured(world: World, studies: int, model: bool = True) -> dict[str, Any]:
    """Return bias, its Monte-Carlo error and coverage by each way, over so many studies."""
    tasks = ((str(number), Task(world, number, model)) for number in range(studies))
    rows = [row for _, row in ordered_map(study, tasks, Workers())]
    figures: dict[str, Any] = {"truth": world.truth, "studies": studies}
    for name in BY:
        own = [row[name] for row in rows if name in row]
        if own:
            figures[name] = _summary(own, world.truth)
    said = [row["said"] for row in rows if "said" in row]
    if said:
        figures["said"] = float(np.mean(said))
    verdicts = [row["verdict"] for row in rows]
    figures["verdicts"] = {name: verdicts.count(name) / studies for name in sorted(set(verdicts))}
    return figures


def _summary(rows: Sequence[Estimate], truth: float) -> dict[str, float]:
    estimate, low, high = np.array(rows, dtype=float).T
    spread = float(estimate.std(ddof=1)) if len(estimate) > 1 else float("nan")
    return {
        "studies": len(rows),
        "bias": float(estimate.mean() - truth),
        "error": spread / len(rows) ** 0.5,
        "coverage": float(((low <= truth) & (truth <= high)).mean()),
        "narrowest": float((high - low).min()),
    }


def _studies(effort: Effort) -> int:
    return QUICK if effort.quick else int(effort.options.get("studies", STUDIES))


def careless(effort: Effort) -> Measured:
    """Bias and coverage of usefulness where some leads don't look at the plates."""
    studies = _studies(effort)
    worlds = {
        f"{share} %, {how}" if share else "none": World(share, how) for share, how in CARELESS
    }
    worlds["20 %, at random, all of one order"] = World(20, "at random", one_order=True)
    figures = {name: measured(world, studies) for name, world in worlds.items()}
    return Measured(careless_text(figures), figures)


def careless_text(figures: Mapping[str, Any]) -> str:
    """Return the section."""
    lines = [
        [name, f"{100 * row['truth']:.1f}", *(_cell(row.get(by)) for by in BY),
         f"{100 * row['said']:.0f} %" if "said" in row else "–"]
        for name, row in figures.items()
    ]  # fmt: skip
    studies = next(iter(figures.values()))["studies"]
    return (
        f"{studies} studies a row of {LEADS} leads and {PLATES} plates. Explanations raise "
        f"acceptance by {100 * EFFECT:.0f} points for leads who look at the plates; some leads "
        "give one answer throughout (half of them accept everything), or answer at random. The "
        "truth is the mean over all leads. Cells: bias in points ± 1.96 Monte-Carlo errors, and "
        "coverage of the 95 % interval. Last column: studies whose headline says that means and "
        "model differ by more than a quarter of the interval’s width. "
        "`--set studies=500` takes more studies.\n\n"
        + table(["careless leads", "truth", *BY.values(), "said"], lines)
    )


def _cell(row: Mapping[str, float] | None) -> str:
    if row is None:
        return "–"
    bias, error = 100 * row["bias"], 196 * row["error"]
    return f"{bias:+.1f} ± {error:.1f}, {100 * row['coverage']:.0f} %".replace("-", "−")


EDGES: Final[Mapping[str, World]] = {
    "one lead": World(leads=1),
    "one plate": World(leads=40, plates=1, effect=0.0),
    "ceiling: nearly everything accepted": World(baseline=0.985, effect=0.0),
}


def edges(effort: Effort) -> Measured:
    """One lead, one plate, a ceiling."""
    studies = _studies(effort)
    figures = {name: measured(world, studies, model=False) for name, world in EDGES.items()}
    return Measured(edges_text(figures), figures)


def edges_text(figures: Mapping[str, Any]) -> str:
    """Return the section."""
    lines = [
        [name, _cell(row["means"]), f"{100 * row['means']['narrowest']:.0f}",
         ", ".join(f"{verdict} {100 * share:.0f} %" for verdict, share in row["verdicts"].items())]
        for name, row in figures.items()
    ]  # fmt: skip
    studies = next(iter(figures.values()))["studies"]
    return (
        f"{studies} studies a row; usefulness of S by the means over leads and plates. The "
        "narrowest interval is in points: none has no width, also where every answer is the "
        "same.\n\n"
        + table(["world", "bias and coverage", "narrowest interval", "S against E"], lines)
    )


PARTS: tuple[Part, ...] = (
    Part("careless", "Careless leads", careless),
    Part("edges", "One lead, one plate, a ceiling", edges),
)
