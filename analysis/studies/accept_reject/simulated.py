"""One simulated study: its design, its answers, and the same analysis as of real data."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from analysis.mixed import NotEstimableError
from analysis.power.question import Cell, Outcome, as_asked, fitted_formula
from analysis.report.about import about
from analysis.statistics.bootstrap import Resampling, Units
from analysis.studies.accept_reject.against_experts import VERDICT
from analysis.studies.accept_reject.controls import HARM_FORMULA, RISE, Controls, find_harm
from analysis.studies.accept_reject.model import FORMULA, fit_main_model, main_model
from analysis.studies.accept_reject.power import USUAL, ControlWorld, MixedWorld
from analysis.studies.accept_reject.quantities import GAIN, RAW
from analysis.studies.accept_reject.rates import COMPARISON, measure
from analysis.studies.accept_reject.simulated_worlds import (
    SOLVERS,
    Source,
    draw_answers,
    draw_control_answers,
    lay_out,
    lay_out_controls,
    robot_world,
)
from analysis.studies.accept_reject.trials import CELLS, ScoredTrials, judge_trials
from analysis.studies.accept_reject.usefulness import (
    FAMILY,
    direction,
    is_found,
    primary_analysis,
)
from participants.studies.accept_reject.plan import orders_of
from stimuli.io.canonical import canonical_json, seed_of
from stimuli.studies.accept_reject.protocol import AcceptReject

DIFFERENCE, D_PRIME, WRONG = "S-E", "sensitivity", "wrong_digits"
"""The difference of usefulness, and the two signs of harm, as the results name them."""
HARM, HARMS, NO_HARM = "harm", "harm", "no harm shown"
RANDOM_TERMS = 8

Array = np.ndarray


@dataclass(frozen=True, slots=True)
class Calibration:
    """What robots gain when they use every explanation."""

    system: Annotated[float, about("Usefulness of S's explanations, a difference of shares.")]
    system_se: Annotated[float, about("Its standard error, from robots drawn.")]
    expert: Annotated[float, about("Usefulness of E's explanations.")]
    expert_se: Annotated[float, about("Its standard error.")]
    baseline: Annotated[float, about("Share accepted in time without explanations.")]
    plates: Annotated[int, about("Plates that studies draw from.")]
    pack_id: Annotated[str, about("Their pack.")]


@dataclass(frozen=True, slots=True)
class RobotRates:
    """What a robot accepted in time: shares by `way`, of how many plates of which pack."""

    plates: int
    pack_id: str
    rates: Mapping[str, float]

    def usefulness(self, solver: str) -> float:
        """Return by how much more often a solver's solutions are accepted with explanations."""
        return self.rates[way(solver, True)] - self.rates[way(solver, False)]


def way(solver: str, explained: bool) -> str:
    """Return the name of one of the four ways in which a plate is shown."""
    return f"{solver} {explained}"


@dataclass(frozen=True, slots=True)
class Generator:
    """Where answers come from.

    Attributes
    ----------
    protocol
        The study's, whose rules judge the answers.
    source
        Plates and robots; None if the mixed model itself draws the answers.
    mixed
        The mixed model's baseline and variances.
    full
        The most that robots can gain; None without robots.
    seed
        Root of every draw.
    controls
        How matched controls are answered.
    """

    protocol: AcceptReject
    source: Source | None
    mixed: MixedWorld
    full: Calibration | None
    seed: int
    controls: ControlWorld = USUAL


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


def run_study(run: Run) -> Outcome:
    """Simulate and analyse one study."""
    begun = time.perf_counter()
    protocol = run.generator.protocol
    with threadpool_limits(1):
        judged = judge_trials(simulated_study(run), protocol)
        try:
            return _outcome(judged, protocol, begun)
        except (NotEstimableError, np.linalg.LinAlgError, FloatingPointError) as fault:
            return Outcome.without(str(fault), time.perf_counter() - begun)


def simulated_study(run: Run) -> pd.DataFrame:
    """Return the trial table of one simulated study: S's and E's trials, and matched controls."""
    trials = simulated_trials(run)
    return pd.concat([trials, _controls(trials, run)], ignore_index=True)


def simulated_trials(run: Run) -> pd.DataFrame:
    """Return S's and E's trials of one simulated study."""
    generator, cell, seed = run.generator, run.cell, run.seed
    rng = np.random.Generator(np.random.PCG64(seed))
    trials = lay_out(rng, cell.participants, cell.items, orders_of(generator.protocol))
    if generator.source is None:
        accepted = draw_answers(
            generator.mixed, trials, cell.effect.system, cell.effect.expert, rng
        )
        trials["decision"] = np.where(accepted, "accept", "reject")
        trials["rt_s"] = generator.protocol.trial.cutoff_s / 2
    else:
        full = generator.full
        assert full is not None
        uses = {"S": cell.effect.system / full.system, "E": cell.effect.expert / full.expert}
        answers = robot_world(generator.source).answer(trials, uses, seed)
        trials["decision"] = [decision for decision, _ in answers]
        trials["rt_s"] = pd.Series([rt_s for _, rt_s in answers], dtype=float)
    return _name_units(trials, generator.protocol)


def _controls(trials: pd.DataFrame, run: Run) -> pd.DataFrame:
    """Return the matched controls; their draws don't depend on those of S's and E's trials."""
    protocol, controls = run.generator.protocol, run.generator.controls
    found = lay_out_controls(trials, protocol)
    if found.empty:
        return found
    rng = np.random.Generator(np.random.PCG64(seed_of("controls", run.seed)))
    accepted = draw_control_answers(controls, found, run.cell.effect.harm, rng)
    found["decision"] = np.where(accepted, "accept", "reject")
    found["rt_s"] = protocol.trial.cutoff_s / 2
    return _name_units(found.assign(item=[f"control {item}" for item in found["item"]]), protocol)


def _name_units(trials: pd.DataFrame, protocol: AcceptReject) -> pd.DataFrame:
    """Return trials with names in place of codes, and with the decision time."""
    rules = protocol.trial
    named = {name: trials[name].astype(str) for name in ("participant", "item")}
    return trials.assign(**named, cutoff_s=rules.cutoff_s, cutoff_mode=rules.cutoff_mode)


def calibrate(task: tuple[Source, int, int, int]) -> dict[str, Any]:
    """Return the `RobotRates` of one robot, plain.

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
        decision == "accept"
        and (rules.cutoff_mode == "visible" or (rt_s is not None and rt_s <= rules.cutoff_s))
        for decision, rt_s in answers
    ]
    rates = trials.groupby(["solver", "explained"])["accepted"].mean()
    shares = {way(*cell): float(rates[cell]) for cell in CELLS}
    return asdict(RobotRates(len(world.items), world.sight.pack.pack_id, shares))


def calibration_of(robots: Sequence[RobotRates]) -> Calibration:
    """Return what robots gain."""
    system, expert = (np.array([one.usefulness(solver) for one in robots]) for solver in SOLVERS)
    bare = [np.mean([one.rates[way(solver, False)] for one in robots]) for solver in SOLVERS]
    return Calibration(
        system=float(system.mean()),
        system_se=_standard_error(system),
        expert=float(expert.mean()),
        expert_se=_standard_error(expert),
        baseline=float(sum(bare) / 2),
        plates=robots[0].plates,
        pack_id=robots[0].pack_id,
    )


def _standard_error(values: Array) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")


def source_key(generator: Generator) -> str:
    """Return all that a run's outcome depends on, apart from cell and number, as text."""
    source = generator.source
    parts = {
        "protocol": generator.protocol.resolved(),
        "seed": generator.seed,
        "formula": FORMULA,
        "harm": HARM_FORMULA,
        "controls": asdict(generator.controls),
        "mixed": None if source else [
            generator.mixed.baseline, *generator.mixed.sd_participant, *generator.mixed.sd_item
        ],
        "source": None if source is None else [source.plates, source.pack, source.robot],
    }  # fmt: skip
    return canonical_json(parts).decode("utf-8")


def _outcome(judged: ScoredTrials, protocol: AcceptReject, begun: float) -> Outcome:
    """Return what power counts of a study, by the report's functions."""
    rules = protocol.analysis
    plan = Resampling(rules.replicates, rules.seed)
    units = Units.of(judged.frame["participant"], judged.frame["item"])
    plan = plan.for_people(units, rules.few_people)
    rates, model = measure(judged, plan), main_model(judged, fit_main_model(judged))
    useful = primary_analysis(judged, rules, plan, rates, None, model.usefulness)
    harm = find_harm(judged, Controls(judged, plan), rules.margin)
    rows = {solver: useful.deciding(solver) for solver in FAMILY}
    tests = {usefulness_of(name): (row.estimate, direction(row) != 0) for name, row in rows.items()}
    difference = useful.row(GAIN, solver="S-E", part=RAW, by=useful.used)
    tests[DIFFERENCE] = (difference.estimate, is_found(difference.p))
    tests[D_PRIME] = (harm.change.estimate, harm.less_sensitive)
    tests[WRONG] = (harm.row(RISE).estimate, harm.more_wrong)
    verdicts = {
        VERDICT: rates.estimate(COMPARISON).verdict(rules.margin),
        HARM: HARMS if harm.less_sensitive or harm.more_wrong else NO_HARM,
    }
    as_told, formula = as_asked(model.fit, RANDOM_TERMS), fitted_formula(model.fit)
    return Outcome(True, "", as_told, formula, tests, verdicts, time.perf_counter() - begun)


def usefulness_of(solver: str) -> str:
    """Return the name of the test of a solver's explanations."""
    return f"usefulness {solver}"
