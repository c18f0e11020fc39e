"""One simulated study: its design, its answers, and the same analysis as of real data."""

import numpy as np
import pandas as pd

from analysis.power.question import Outcome, as_asked, fitted_formula
from analysis.power.simulation import Ask, Run
from analysis.statistics.bootstrap import Resampling, Units
from analysis.studies.accept_reject.against_experts import VERDICT
from analysis.studies.accept_reject.controls import RISE, Controls, find_harm
from analysis.studies.accept_reject.model import fit_main_model, main_model
from analysis.studies.accept_reject.power import PlateWorld
from analysis.studies.accept_reject.quantities import GAIN, RAW
from analysis.studies.accept_reject.rates import COMPARISON, measure
from analysis.studies.accept_reject.simulated_worlds import (
    draw_answers,
    draw_control_answers,
    lay_out,
    lay_out_controls,
)
from analysis.studies.accept_reject.trials import judge_trials
from analysis.studies.accept_reject.usefulness import (
    FAMILY,
    direction,
    is_found,
    primary_analysis,
)
from participants.studies.accept_reject.plan import orders_of
from stimuli.studies.accept_reject.protocol import AcceptReject

DIFFERENCE, D_PRIME, WRONG = "S-E", "sensitivity", "wrong_digits"
"""The difference of usefulness, and the two signs of harm, as the results name them."""
HARM, HARMS, NO_HARM = "harm", "harm", "no harm shown"
RANDOM_TERMS = 8

Array = np.ndarray

StudyRun = Run[AcceptReject, PlateWorld]
StudyAsk = Ask[AcceptReject, PlateWorld]


def simulated_study(run: StudyRun) -> pd.DataFrame:
    """Return the trial table of one simulated study: S's and E's trials, and matched controls."""
    trials = simulated_trials(run)
    return pd.concat([trials, _controls(trials, run)], ignore_index=True)


def simulated_trials(run: StudyRun) -> pd.DataFrame:
    """Return S's and E's trials of one simulated study."""
    cell, rng = run.cell, run.draws()
    trials = lay_out(rng, cell.participants, cell.items, orders_of(run.protocol))
    accepted = draw_answers(run.world, trials, cell.effect.system, cell.effect.expert, rng)
    return _judged(trials, accepted, run.protocol)


def _controls(trials: pd.DataFrame, run: StudyRun) -> pd.DataFrame:
    """Return the matched controls; their draws don't depend on those of S's and E's trials."""
    controls = lay_out_controls(trials, run.protocol)
    if controls.empty:
        return controls
    harm = run.cell.effect.harm
    accepted = draw_control_answers(run.world, controls, harm, run.draws("controls"))
    named = controls.assign(item=[f"control {item}" for item in controls["item"]])
    return _judged(named, accepted, run.protocol)


def _judged(trials: pd.DataFrame, accepted: Array, protocol: AcceptReject) -> pd.DataFrame:
    """Return trials with their decisions, names in place of codes, and the decision time."""
    rules = protocol.trial
    named = {name: trials[name].astype(str) for name in ("participant", "item")}
    return trials.assign(
        **named,
        decision=np.where(accepted, "accept", "reject"),
        rt_s=rules.cutoff_s / 2,
        cutoff_s=rules.cutoff_s,
        cutoff_mode=rules.cutoff_mode,
    )


def run_study(run: StudyRun) -> Outcome:
    """Simulate one study, and analyse it by the report's functions."""
    judged, rules = judge_trials(simulated_study(run), run.protocol), run.protocol.analysis
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
    whole, formula = as_asked(model.fit, RANDOM_TERMS), fitted_formula(model.fit)
    return Outcome(True, "", tests, verdicts, whole, formula)


def usefulness_of(solver: str) -> str:
    """Return the name of the test of a solver's explanations."""
    return f"usefulness {solver}"
