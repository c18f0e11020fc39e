"""The question of a power simulation of human_ai_team, and one simulated study.

People, images and answers are drawn from a world of crossed random effects. A simulated study is
analysed as a real one.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np
import pandas as pd
from scipy.special import expit

from analysis.mixed.result import Outcome as ModelOutcome
from analysis.power.averages import averaging_logit
from analysis.power.question import (
    Outcome,
    Question,
    Term,
    Verdicts,
    as_asked,
    fitted_formula,
    without_result,
)
from analysis.power.simulation import Ask, Run
from analysis.questions.estimates import AGAINST, EstimateRow, row_of, select
from analysis.report.deciding import MODEL, words_of
from analysis.report.wording import count, percent, points
from analysis.statistics.bootstrap import Resampling
from analysis.studies.human_ai_team.differences import ALPHA, FAMILY, Rule, mean_pairs
from analysis.studies.human_ai_team.model import FORMULA, effects_of, fitted_model, model_row
from analysis.studies.human_ai_team.power import HELPED, Shift, TeamWorld
from analysis.studies.human_ai_team.quantities import (
    ACCURACY,
    DIFFERENCES,
    OVER,
    TESTED,
    TOLD_APART,
    UNDER,
)
from analysis.studies.human_ai_team.rates import measure
from analysis.studies.human_ai_team.strata import Base
from analysis.studies.human_ai_team.trials import ALL, Answers, read_answers
from analysis.studies.human_ai_team.verdicts import (
    FEW,
    LIKE,
    NOTHING,
    VERDICTS,
    verdict,
    verdict_rows,
)
from stimuli.errors import UserError
from stimuli.studies.human_ai_team.protocol import HumanAiTeam
from stimuli.studies.human_ai_team.tables import LEVELS
from stimuli.studies.human_ai_team.wording import of_cases

COUNTED: Final = (ACCURACY, OVER, UNDER)
VERDICT, CLAIMS = "verdict", "claims"
CLAIM, NO_CLAIM = "a false claim", "no claim"
CLAIMS_WORDS: Final[Mapping[str, str]] = {
    CLAIM: "a difference is claimed for an arm that changes nothing",
    NO_CLAIM: "no difference is claimed for an arm that changes nothing",
}
"""What the report may say about the arms without an effect, all of them together."""
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

StudyRun = Run[HumanAiTeam, TeamWorld]
StudyAsk = Ask[HumanAiTeam, TeamWorld]


def run_study(run: StudyRun) -> Outcome:
    """Simulate and analyse one study."""
    answers = read_answers(simulated_trials(run), run.protocol)
    fit = fitted_model(answers)
    pairs = decided_pairs(answers, fit, run.protocol)
    rows = select(pairs, **{AGAINST: str(answers.reference)})
    helped = select(rows, method=HELPED)
    if not helped:
        return without_result("the AI is right, or wrong, on every image")
    counted = {name: row_of(helped, DIFFERENCES[name]) for name in COUNTED}
    tests = {name: (row.estimate, _is_significant(row)) for name, row in counted.items()}
    rule = Rule.of(answers, run.protocol.analysis.margin)
    by_method = {row.of["method"]: row.verdict for row in verdict_rows(rows, rule)}
    others = {name for method, name in by_method.items() if method != HELPED}
    verdicts = {VERDICT: by_method[HELPED], CLAIMS: CLAIM if others - SILENT else NO_CLAIM}
    model = model_row(fit)
    whole = as_asked(model, OF_PARTICIPANT + len(answers.arms))
    return Outcome(True, "", tests, verdicts, whole, fitted_formula(model))


def decided_pairs(
    answers: Answers, fit: ModelOutcome, protocol: HumanAiTeam
) -> tuple[EstimateRow, ...]:
    """Return the differences of arms by the analysis that decides, as the report has them."""
    rules = protocol.analysis
    pairs = (
        select(effects_of(answers, fit, Base.shown(answers), rules.margin), *TESTED)
        if rules.primary_test == MODEL
        else ()
    )
    if pairs:
        return pairs
    plan = answers.plan(Resampling(rules.replicates, rules.seed))
    return mean_pairs(answers, measure(answers, plan), ALL, rules.margin)


def _is_significant(row: EstimateRow) -> bool:
    return row.p_adjusted is not None and row.p_adjusted < ALPHA


def simulated_trials(run: StudyRun) -> pd.DataFrame:
    """Return the trial table of one simulated study."""
    cell, sheets = run.cell, run.protocol.bins.sheets
    world = replace(run.world, arms={HELPED: cell.effect, **run.world.arms})
    return simulate_trials(world, cell.participants, cell.items, sheets, run.draws())


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

    Participants are assigned to arms and sheets in turn, as the registry does it.

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
    of_person = rng.standard_normal((participants, 2)) * world.sd_participant
    of_item = rng.standard_normal(images) * world.sd_item
    by_arm = rng.standard_normal((images, len(world.methods))) * world.sd_item_method
    code = right[item].astype(int)
    kind = np.where(attacked, ATTACKED_ROW, right.astype(int))
    easier = world.level_step * EASIER[kind, level]
    logits = _logits(world)[arm, code] + (of_item + easier)[item] + by_arm[item, arm]
    logits += (of_person[person] * _SIGNS[code]).sum(axis=1)
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
    """Return whether each image is attacked, and its level; both are shared out evenly.

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
    logits = [
        [
            averaging_logit(1 - world.over_reliance - shift.over_reliance, spread(world, 0),
                            offsets[0]),
            averaging_logit(1 - world.under_reliance - shift.under_reliance, spread(world, 1),
                            offsets[1]),
        ]
        for shift in shifts
    ]  # fmt: skip
    return np.array(logits)


def spread(world: TeamWorld, right: int) -> float:
    """Return the standard deviation of the log odds where the AI is wrong (0) or right (1)."""
    variance = _SIGNS[right] ** 2 @ np.square(world.sd_participant)
    return float(np.sqrt(variance + world.sd_item**2 + world.sd_item_method**2))


def question_of(ask: StudyAsk) -> Question:
    """Return the question for a power simulation; UserError if an effect can't be."""
    _check(ask)
    return Question(
        study="human_ai_team",
        ask=ask,
        run=run_study,
        formula=FORMULA,
        terms=_terms(ask.world.ai_right),
        generator="the mixed model",
        panel=_panel,
        method=_method(ask),
        assumptions=lambda _: ASSUMPTIONS,
        test=(
            "To each simulated study the mixed logistic model was fitted as in the analysis of "
            "real data, simplified by its stated rules. Two-sided t tests at 5 % of the "
            f"differences between one arm and the reference, by {_decides(ask)}, were counted, "
            f"after Holm’s correction over {FAMILY}, for each of {1 + len(ask.world.arms)} arms. "
            "Verdicts are those of the report’s headline."
        ),
        verdicts=(
            Verdicts(VERDICT, "one arm", VERDICTS, NOTHING, right_verdict, "power_verdict"),
            *((_claims(),) if ask.world.arms else ()),
        ),
        wording=partial(of_cases, ask.protocol.cases),
    )


def _decides(ask: StudyAsk) -> str:
    return words_of(ask.protocol.analysis.primary_test)


def _claims() -> Verdicts:
    return Verdicts(
        CLAIMS, "arms without an effect", CLAIMS_WORDS, NO_CLAIM, lambda _: NO_CLAIM, "power_claims"
    )


def _terms(mix: float) -> tuple[Term, ...]:
    return (
        Term(
            OVER, lambda shift: shift.over_reliance, "difference in over-reliance",
            "over-reliance", "power_over_reliance",
        ),
        Term(
            UNDER, lambda shift: shift.under_reliance, "difference in under-reliance",
            "under-reliance", "power_under_reliance",
        ),
        Term(
            ACCURACY, lambda shift: round(shift.accuracy(mix), 12),
            "difference in right answers", "right answers", "power_accuracy",
        ),
    )  # fmt: skip


def _check(ask: StudyAsk) -> None:
    world = ask.world
    for effect in ask.grid.effects:
        for name in (OVER, UNDER):
            value = getattr(world, name) + getattr(effect, name)
            if not 0 < value < 1:
                raise UserError(
                    f"--effect {effect.over_reliance:g}:{effect.under_reliance:g}: {name} would be "
                    f"{value:g}; it must be between 0 and 1"
                )


def _panel(shift: Shift) -> str:
    return f"over {points(shift.over_reliance)}, under {points(shift.under_reliance)} points"


def _method(ask: StudyAsk) -> str:
    world, sheets = ask.world, ask.protocol.bins.sheets
    return (
        f"Participants were dealt to {count(2 + len(world.arms), 'arm')} and {sheets} sheets in "
        "turn; each judged the images of one sheet. In the reference arm "
        f"{percent(world.over_reliance)} of the AI’s wrong labels were accepted and "
        f"{percent(world.under_reliance)} of its right ones rejected, averaged over "
        f"participants and images; the AI was right on {percent(world.ai_right)} of the images. "
        "Standard deviations (log odds) were "
        f"{world.sd_participant[0]:g} and, for ai_correct, {world.sd_participant[1]:g} "
        f"between participants, {world.sd_item:g} between images, and "
        f"{world.sd_item_method:g} between images in what an arm changes. Images were right, "
        "wrong or attacked, and easy, medium or hard; two neighbouring levels differed by "
        f"{world.level_step:g}, with wrong labels by twice as much."
    )


ASSUMPTIONS: Final = (
    "The number of participants is for all arms together; one arm differs from the reference, the "
    "others don’t.",
    "How much participants and images differ is an assumption: take it from a pilot’s report "
    "(--sd-participant, --sd-item, --sd-item-method, --level-step).",
)
"""What the answers rest on."""
