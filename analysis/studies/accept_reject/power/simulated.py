"""One simulated study: drawn, answered, analysed as the real one will be."""

import time
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import t as student
from threadpoolctl import threadpool_limits

from analysis.mixed import NotEstimableError
from analysis.mixed.simplify import SINGULAR_SD
from analysis.power.grid import Cell, Outcome
from analysis.statistics.bootstrap import Resampling
from analysis.statistics.two_way import TwoWayMeans
from analysis.studies.accept_reject.model import FORMULA, model_results
from analysis.studies.accept_reject.power.layout import lay_out
from analysis.studies.accept_reject.power.mixed_world import MixedWorld
from analysis.studies.accept_reject.power.robot_world import Source, robot_world
from analysis.studies.accept_reject.rates import COMPARISON, measure
from analysis.studies.accept_reject.trials import CELLS, ScoredTrials, judge_trials
from participants.studies.accept_reject.plan import orders_of
from stimuli.io.canonical import canonical_json, seed_of
from stimuli.studies.accept_reject.protocol import AcceptReject

TESTED = ("explained", "explained:solver")
"""The model's terms that stand for usefulness."""
LIKE, BEYOND = "like", "worse or better"
RANDOM_TERMS = 8


@dataclass(frozen=True, slots=True)
class Calibration:
    """What robots gain when they use every explanation.

    Attributes
    ----------
    system, expert
        Usefulness of S's and E's explanations, a difference of probabilities.
    se_system, se_expert
        Their standard errors, from robots drawn.
    baseline
        Acceptance in time without explanations.
    """

    system: float
    expert: float
    se_system: float
    se_expert: float
    baseline: float


@dataclass(frozen=True, slots=True)
class Generator:
    """Where answers come from.

    Attributes
    ----------
    protocol
        The study's, whose rules judge the answers.
    source
        Plates and robots; None where the mixed model itself draws the answers.
    mixed
        The mixed model's baseline and variances.
    full
        What robots gain at most; None without robots.
    seed
        Root of every draw.
    """

    protocol: AcceptReject
    source: Source | None
    mixed: MixedWorld
    full: Calibration | None
    seed: int


@dataclass(frozen=True, slots=True)
class Run:
    """One study to simulate: where in the grid, and which of its runs."""

    generator: Generator
    cell: Cell
    number: int

    @property
    def seed(self) -> int:
        """The run's own root."""
        return seed_of("power", self.generator.seed, self.cell.name, self.number)


def run_study(run: Run) -> dict:
    """Simulate and analyse one study; return its `Outcome`, plain."""
    begun = time.perf_counter()
    with threadpool_limits(1):
        judged = judge_trials(simulated_trials(run), run.generator.protocol)
        try:
            model = model_results(judged)
            against = _against_experts(judged, run.generator.protocol.analysis.margin)
        except (NotEstimableError, np.linalg.LinAlgError, FloatingPointError) as fault:
            model, against = {"fitted": False, "reason": str(fault)}, {}
    return _outcome(model, against, time.perf_counter() - begun).plain()


def simulated_trials(run: Run) -> pd.DataFrame:
    """Return the trial table of one simulated study: S's and E's trials."""
    generator, cell, seed = run.generator, run.cell, run.seed
    rng = np.random.Generator(np.random.PCG64(seed))
    trials = lay_out(rng, cell.participants, cell.items, orders_of(generator.protocol))
    if generator.source is None:
        accepted = generator.mixed.answer(trials, cell.effect.system, cell.effect.expert, rng)
        trials["decision"] = np.where(accepted, "accept", "reject")
        trials["rt_s"] = generator.protocol.trial.cutoff_s / 2
    else:
        full = generator.full
        assert full is not None
        uses = {"S": cell.effect.system / full.system, "E": cell.effect.expert / full.expert}
        answers = robot_world(generator.source).answer(trials, uses, seed)
        trials["decision"] = [decision for decision, _ in answers]
        trials["rt_s"] = pd.Series([rt_s for _, rt_s in answers], dtype=float)
    rules = generator.protocol.trial
    named = {name: trials[name].astype(str) for name in ("participant", "item")}
    return trials.assign(**named, cutoff_s=rules.cutoff_s, cutoff_mode=rules.cutoff_mode)


def calibrate(task: tuple[Source, int, int, int]) -> dict:
    """Return how many of a robot's trials were accepted in time, in each of the four ways.

    Parameters
    ----------
    task
        Source, seed, number of the robot, number of plates.
    """
    source, seed, number, plates = task
    world = robot_world(source)
    plates = min(plates, len(world.items))
    trials = pd.DataFrame(
        [
            {"participant": 0, "item": item, "solver": solver, "explained": explained}
            for item in range(plates)
            for solver, explained in CELLS
        ]
    )
    with threadpool_limits(1):
        answers = world.answer(
            trials, {"S": 1.0, "E": 1.0}, seed_of("power", "calibrate", seed, number)
        )
    rules = world.rules
    trials["accepted"] = [
        decision == "accept" and (rules.cutoff_mode == "visible" or rt_s <= rules.cutoff_s)
        for decision, rt_s in answers
    ]
    rates = trials.groupby(["solver", "explained"])["accepted"].mean()
    return {
        "plates": len(world.items),
        "pack_id": world.sight.pack.pack_id,
        "rates": {
            f"{solver} {explained}": float(rates[solver, explained]) for solver, explained in CELLS
        },
    }


def calibration_of(rows: list[dict]) -> Calibration:
    """Return what robots gain, from what `calibrate` gave for each."""
    rates = {name: np.array([row["rates"][name] for row in rows]) for name in rows[0]["rates"]}
    gains = {solver: rates[f"{solver} True"] - rates[f"{solver} False"] for solver in ("S", "E")}
    errors = {
        solver: float(gain.std(ddof=1) / np.sqrt(len(gain))) if len(gain) > 1 else float("nan")
        for solver, gain in gains.items()
    }
    return Calibration(
        float(gains["S"].mean()),
        float(gains["E"].mean()),
        errors["S"],
        errors["E"],
        float((rates["S False"].mean() + rates["E False"].mean()) / 2),
    )


def source_key(generator: Generator) -> str:
    """Return all that a run's outcome depends on, apart from cell and number, as text."""
    source = generator.source
    parts = {
        "protocol": generator.protocol.resolved(),
        "seed": generator.seed,
        "formula": FORMULA,
        "tests": [LIKE, BEYOND],
        "mixed": None if source else [
            generator.mixed.baseline, *generator.mixed.sd_participant, *generator.mixed.sd_item
        ],
        "source": None if source is None else [source.plates, source.pack, source.robot],
    }  # fmt: skip
    return canonical_json(parts).decode("utf-8")


def _against_experts(judged: ScoredTrials, margin: float) -> dict[str, tuple[float, ...]]:
    """Return the tests of the report's verdict on p_S − p_E: distance, standard error, p.

    p is below .05 where the 90 % interval lies within the margin, or the 95 % one beyond it.
    """
    found = measure(judged, Resampling(1, 0)).found
    if not isinstance(found, TwoWayMeans):
        return {}
    spread, part = found.spread(COMPARISON), found.interval(COMPARISON)
    se, df = float(spread.se[0]), float(spread.df[0])
    within = margin - abs(part.estimate)
    if not se > 0:
        return {}
    return {
        LIKE: (within, se, float(student.sf(within / se, df))),
        BEYOND: (-within, se, min(1.0, 2 * float(student.sf(-within / se, df)))),
    }


def _outcome(model: dict, against: dict[str, tuple[float, ...]], run_s: float) -> Outcome:
    if not model["fitted"] or not model["converged"]:
        reason = model.get("reason") or " ".join(model["notes"])
        return Outcome(False, reason, False, {}, {}, run_s)
    terms = {
        row["term"]: (row["estimate"], row["se"], row["p"])
        for row in model["fixed"]
        if row["term"] in TESTED
    }
    missing = [term for term in TESTED if term not in terms]
    if missing or len(model["marginal_usefulness"]) < 3:
        return Outcome(False, f"{', '.join(missing)}: not estimable", False, {}, {}, run_s)
    usefulness = {row["solver"]: row["estimate"] for row in model["marginal_usefulness"]}
    usefulness["mean"] = (usefulness["S"] + usefulness["E"]) / 2
    unknown = (float("nan"), float("nan"), 1.0)
    for name in (LIKE, BEYOND):
        terms[name] = against.get(name, unknown)
        usefulness[name] = terms[name][0]
    deviations = [row["sd"] for row in model["random"]]
    singular = len(deviations) < RANDOM_TERMS or min(deviations) < SINGULAR_SD
    return Outcome(True, "", singular, terms, usefulness, run_s)
