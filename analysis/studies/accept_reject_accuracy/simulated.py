"""The question of a power simulation of accuracy, and one simulated study.

A simulated study has labels, judgements of them, and the analysis of the judgements.
"""

from functools import partial
from typing import Final

import numpy as np
import pandas as pd
from scipy.special import expit

from analysis.power.averages import averaging_logit
from analysis.power.question import Outcome, Question, Term
from analysis.power.simulation import Ask, Difference, Run
from analysis.questions.estimates import EstimateRow
from analysis.report.wording import percent, points, unsigned_points
from analysis.statistics.bootstrap import Resampling, Units
from analysis.studies.accept_reject.against_experts import VERDICT, compared, verdicts
from analysis.studies.accept_reject.trials import judge_trials
from analysis.studies.accept_reject.usefulness import is_found
from analysis.studies.accept_reject_accuracy.pairs import judgements
from analysis.studies.accept_reject_accuracy.power import LabelWorld
from analysis.studies.accept_reject_accuracy.rates import measure
from stimuli.cases import of_cases
from stimuli.errors import UserError
from stimuli.studies.accept_reject_accuracy.protocol import AcceptRejectAccuracy

DIFFERS = "difference"

Array = np.ndarray

DATA_SET, OTHER = "a", "b"
"""The data set's label of an image, and another one."""

FORMULA = "p_S − p_E, t interval over leads and images"


StudyRun = Run[AcceptRejectAccuracy, LabelWorld]
StudyAsk = Ask[AcceptRejectAccuracy, LabelWorld]


def run_study(run: StudyRun) -> Outcome:
    """Simulate and analyse one study."""
    row = comparison(run)
    return Outcome(True, "", {DIFFERS: (row.estimate, is_found(row.p))}, {VERDICT: row.verdict})


def comparison(run: StudyRun) -> EstimateRow:
    """Return the report's comparison of S and E in one simulated study."""
    cell, rules = run.cell, run.protocol.analysis
    trials, items = simulate_judgements(
        run.world, cell.participants, cell.items, cell.effect.value, run.draws()
    )
    trial = run.protocol.trial
    trials = trials.assign(cutoff_s=trial.cutoff_s, cutoff_mode=trial.cutoff_mode)
    units = Units.of(trials["participant"], trials["item"])
    plan = Resampling(rules.replicates, rules.seed).for_people(units, rules.few_people)
    rates = measure(judgements(judge_trials(trials, run.protocol), items), plan)
    return compared(rates.difference, rules.margin)


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


def question_of(ask: StudyAsk) -> Question:
    """Return the question for a power simulation; UserError if no S makes a difference."""
    _check(ask)
    margin = ask.protocol.analysis.margin
    return Question(
        study="accept_reject_accuracy",
        ask=ask,
        run=run_study,
        formula=FORMULA,
        terms=TERMS,
        generator="a model of labels",
        panel=_panel,
        method=_method(ask.world),
        assumptions=lambda _: ASSUMPTIONS,
        test=(
            "Each simulated study was analysed as real data are: it differs where the 95 % "
            "interval of p_S − p_E excludes zero; the verdict is the report’s, with a margin of "
            f"{unsigned_points(margin)} percentage points."
        ),
        verdicts=(verdicts(lambda effect: effect.value, margin),),
        wording=partial(of_cases, ask.protocol.cases),
    )


TERMS = (
    Term(
        name=DIFFERS,
        truth=lambda effect: effect.value,
        words="difference between S and E",
        title="S differs from E",
        figure="power_difference",
    ),
)


def _check(ask: StudyAsk) -> None:
    world = ask.world
    highest = world.label_errors * world.contrast
    for effect in ask.grid.effects:
        errors = world.system_errors(effect.value)
        if not -1e-12 <= errors <= 1 - world.label_errors:
            lowest = highest - (1 - world.label_errors) * world.contrast
            raise UserError(
                f"--effect {effect.value:g}: with these labels p_S − p_E lies between {lowest:.3g} "
                f"and {highest:.3g}; S can be better only where labels of the data set are wrong "
                "(--label-errors)"
            )


def _panel(effect: Difference) -> str:
    return f"p_S − p_E {points(effect.value)} points"


def _method(world: LabelWorld) -> str:
    return (
        "Everyone judged every image once, half of them with S’s and half with the data set’s "
        f"label. Labels of the data set were wrong on {percent(world.label_errors, 1)} of the "
        "images, S’s on as many others as the effect asks. A right label was accepted with "
        f"probability {world.accept_right:g}, a wrong one with {world.accept_wrong:g}, "
        "averaged over leads and images, with standard deviations (log odds) of "
        f"{world.sd_participant:g} between leads and {world.sd_item:g} between images."
    )


ASSUMPTIONS: Final = (
    "How leads judge right and wrong labels is an assumption: take it from a pilot’s report "
    "(--accept-right, --accept-wrong, --sd-participant, --sd-item).",
    "Where S and the data set give the same label, a judgement counts for both, as in the "
    "analysis: the difference rests only on the other images.",
)
"""What the answers rest on."""
