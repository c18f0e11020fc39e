"""One simulated study: people and images that vary, their answers, and the analysis of them."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
import pandas as pd
from scipy.special import expit
from threadpoolctl import threadpool_limits

from analysis.mixed.result import Outcome as ModelOutcome
from analysis.power.question import Outcome, as_asked, fitted_formula
from analysis.power.simulated import ArmsRun, averaging_logit
from analysis.report.estimates import MODEL
from analysis.report.model import LogisticFit
from analysis.statistics.bootstrap import Resampling
from analysis.studies.human_ai_team.differences import (
    ACCURACY,
    ALPHA,
    OVER,
    TOLD_APART,
    UNDER,
    PairEffect,
    mean_pairs,
)
from analysis.studies.human_ai_team.model import effects_of, fitted_model, model_row
from analysis.studies.human_ai_team.power.asked import HELPED, Shift, TeamWorld
from analysis.studies.human_ai_team.rates import measure
from analysis.studies.human_ai_team.trials import ALL, Answers, read_answers
from analysis.studies.human_ai_team.verdicts import FEW, LIKE, NOTHING, Rule, verdict, verdict_rows
from stimuli.studies.human_ai_team.protocol import HumanAiTeam
from stimuli.studies.human_ai_team.tables import LEVELS

TESTED: Final = (ACCURACY, OVER, UNDER)
VERDICT, CLAIMS = "verdict", "claims"
CLAIM, NO_CLAIM = "a false claim", "no claim"
CLAIMS_WORDS: Final[Mapping[str, str]] = {
    CLAIM: "a difference is claimed for an arm that changes nothing",
    NO_CLAIM: "no difference is claimed for an arm that changes nothing",
}
"""What the report may say of the arms without an effect, all of them together."""
SILENT: Final = frozenset({NOTHING, LIKE, FEW})
"""Verdicts that claim no difference."""
OF_PARTICIPANT: Final = 2
"""Random effects of a participant: intercept and ai_correct; an image has one for each arm."""

Array = np.ndarray

LEVEL_NAMES: Final = tuple(LEVELS)
ATTACKED_ROW: Final = 2
EASIER: Final = np.array([[2.0, 0.0, -2.0], [1.0, 0.0, -1.0], [1.5, -0.5, -2.5]])
"""How much easier images of each level are, in steps: with wrong labels, with right ones, attacked.
"""
_SIGNS: Final = np.array([[1.0, -0.5], [1.0, 0.5]])
"""Intercept and ai_correct (±½), where the AI is wrong and where it is right."""


Run = ArmsRun[HumanAiTeam, TeamWorld]


def run_study(run: Run) -> Outcome:
    """Simulate and analyse one study."""
    begun = time.perf_counter()
    with threadpool_limits(1):
        answers = read_answers(simulated_trials(run), run.protocol)
        fit = fitted_model(answers)
        decided = decided_pairs(answers, fit, run.protocol)
    return _outcome(run, model_row(fit), decided, answers, time.perf_counter() - begun)


def decided_pairs(
    answers: Answers, fit: ModelOutcome, protocol: HumanAiTeam
) -> tuple[PairEffect, ...]:
    """Return the differences of arms by the analysis that decides, as the report has them."""
    rules = protocol.analysis
    pairs = effects_of(answers, fit).pairs if rules.primary_test == MODEL else ()
    if pairs:
        return pairs
    plan = answers.plan(Resampling(rules.replicates, rules.seed))
    return mean_pairs(answers, measure(answers, plan), ALL)


def _outcome(
    run: Run, fit: LogisticFit, pairs: Sequence[PairEffect], answers: Answers, run_s: float
) -> Outcome:
    rows = [row for row in pairs if row.second == answers.reference]
    own = {row.quantity: row for row in rows if row.first == HELPED}
    if not set(TESTED) <= set(own):
        return Outcome.without("the AI is right, or wrong, on every image", run_s)
    tests = {name: (own[name].estimate, _is_significant(own[name])) for name in TESTED}
    rule = Rule.of(answers, run.protocol.analysis.margin)
    given = {row.method: row.verdict for row in verdict_rows(rows, rule)}
    others = [said for method, said in given.items() if method != HELPED]
    claimed = CLAIM if any(said not in SILENT for said in others) else NO_CLAIM
    whole = as_asked(fit, OF_PARTICIPANT + len(answers.arms))
    said = {VERDICT: given[HELPED], CLAIMS: claimed}
    return Outcome(True, "", whole, fitted_formula(fit), tests, said, run_s)


def _is_significant(row: PairEffect) -> bool:
    return row.p_family is not None and row.p_family < ALPHA


def simulated_trials(run: Run) -> pd.DataFrame:
    """Return the trial table of one simulated study."""
    rng = np.random.Generator(np.random.PCG64(run.seed))
    cell = run.cell
    world = replace(run.world, arms=run.arms(HELPED, Shift(0.0)))
    return simulate_trials(world, cell.participants, cell.items, run.protocol.bins.sheets, rng)


def right_verdict(shift: Shift) -> str:
    """Return the verdict that is right for an arm: the report's, of differences known exactly."""
    over, under = shift.over_reliance, shift.under_reliance
    if not over and not under:
        return LIKE
    exact = {OVER: over, UNDER: under, TOLD_APART: -over - under}
    return verdict({name: (value, 0.0 if value else 1.0) for name, value in exact.items()})


def simulate_trials(
    world: TeamWorld, participants: int, trials: int, sheets: int, rng: np.random.Generator
) -> pd.DataFrame:
    """Return the trial table of a simulated study.

    Participants are dealt to arms and sheets in turn, as the registry does it.

    Parameters
    ----------
    world
        Who judges what.
    participants, trials
        People over all arms; images that each of them judges.
    sheets
        Sheets that share out the images: there are trials × sheets of them.
    rng
        Draws.
    """
    images = trials * sheets
    right = rng.permutation(images) < round(world.ai_right * images)
    attacked, level = _kinds(right)
    person = np.repeat(np.arange(participants), trials)
    arm = person % len(world.methods)
    sheet = (person // len(world.methods)) % sheets
    item = sheet * trials + np.tile(np.arange(trials), participants)
    own = rng.standard_normal((participants, 2)) * world.sd_participant
    of_item = rng.standard_normal(images) * world.sd_item
    by_arm = rng.standard_normal((images, len(world.methods))) * world.sd_item_method
    code = right[item].astype(int)
    kind = np.where(attacked, ATTACKED_ROW, right.astype(int))
    easier = world.level_step * EASIER[kind, level]
    logits = _logits(world)[arm, code] + (of_item + easier)[item] + by_arm[item, arm]
    logits += (own[person] * _SIGNS[code]).sum(axis=1)
    correct = rng.random(len(person)) < expit(logits)
    followed = correct == right[item]
    return pd.DataFrame(
        {
            "participant": [f"p{n}" for n in person],
            "item": [f"i{n}" for n in item],
            "method": np.array(world.methods, dtype=object)[arm],
            "ai_correct": right[item],
            "adversarial": attacked[item],
            "level": np.array(LEVEL_NAMES, dtype=object)[level[item]],
            "decision": np.where(followed, "yes", "no"),
        }
    )


def _kinds(right: Array) -> tuple[Array, Array]:
    """Return whether each image is attacked, and its level: shared out evenly.

    Half of the wrong labels are of attacked images; of each kind a third is easy, medium, hard.
    """
    place = np.where(right, np.cumsum(right), np.cumsum(~right)) - 1
    attacked = ~right & (place % 2 == 1)
    levels = len(LEVEL_NAMES)
    return attacked, np.where(right, place % levels, place // 2 % levels)


def _logits(world: TeamWorld) -> Array:
    """Return the mean log odds of being right, (arms, 2): the AI is wrong, right."""
    shifts = [Shift(0.0), *world.arms.values()]
    offsets = [world.level_step * EASIER[[0, ATTACKED_ROW]].ravel(), world.level_step * EASIER[1]]
    found = [
        [
            averaging_logit(1 - world.over_reliance - shift.over_reliance, spread(world, 0),
                            offsets[0]),
            averaging_logit(1 - world.under_reliance - shift.under_reliance, spread(world, 1),
                            offsets[1]),
        ]
        for shift in shifts
    ]  # fmt: skip
    return np.array(found)


def spread(world: TeamWorld, right: int) -> float:
    """Return the standard deviation of the log odds where the AI is wrong (0) or right (1)."""
    variance = _SIGNS[right] ** 2 @ np.square(world.sd_participant)
    return float(np.sqrt(variance + world.sd_item**2 + world.sd_item_method**2))
