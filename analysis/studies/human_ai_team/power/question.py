"""What is asked of a power simulation of human_ai_team."""

from dataclasses import dataclass
from functools import partial
from typing import Annotated

from analysis.power.question import Question, Term, Verdicts
from analysis.power.results import Counts, Spliced, StudyAsked, world_values
from analysis.power.simulated import ArmsAsk
from analysis.report.about import about
from analysis.report.estimates import words_of
from analysis.report.wording import count, percent, points
from analysis.studies.human_ai_team.differences import ACCURACY, FAMILY, OVER, QUANTITIES, UNDER
from analysis.studies.human_ai_team.model import FORMULA
from analysis.studies.human_ai_team.power.asked import Shift, TeamWorld
from analysis.studies.human_ai_team.power.simulated import (
    CLAIMS,
    CLAIMS_WORDS,
    NO_CLAIM,
    VERDICT,
    right_verdict,
    run_study,
)
from analysis.studies.human_ai_team.verdicts import NOTHING, VERDICTS
from stimuli.errors import UserError
from stimuli.studies.human_ai_team.protocol import HumanAiTeam, of_cases

Ask = ArmsAsk[HumanAiTeam, TeamWorld]


@dataclass(frozen=True, slots=True)
class TeamAsked(StudyAsked):
    """What was asked beside sizes."""

    effects: Annotated[tuple[Shift, ...], about("What the help of one arm changes.")]
    sheets: Annotated[int, about("Sheets that share out the images.")]
    arms: Annotated[int, about("Arms, the reference among them.")]
    world: Annotated[TeamWorld, about("The simulated world."), Spliced(world_values)]


Found = Counts[TeamAsked]


def question_of(ask: Ask) -> Question[TeamAsked]:
    """Return the question for a power simulation; UserError if an effect can't be."""
    _check(ask)
    return Question(
        study="human_ai_team",
        formula=FORMULA,
        terms=_terms(ask.world.ai_right),
        grid=ask.grid,
        seed=ask.seed,
        asked=TeamAsked(
            protocol=ask.protocol.name,
            generator="the mixed model",
            effects=ask.grid.effects,
            sheets=ask.protocol.bins.sheets,
            arms=ask.arms,
            world=ask.world,
        ),
        prepare=lambda workers, kept, stage: ask.simulator(run_study),
        panel=_panel,
        method=_method,
        assumptions=_assumptions,
        test=(
            "To each simulated study the mixed logistic model was fitted as in the analysis of "
            "real data, simplified by its stated rules. Two-sided t tests at 5 % of the "
            f"differences between one arm and the reference, by {_decides(ask)}, were counted, "
            f"after Holm’s correction over one family: {FAMILY} "
            f"({len(QUANTITIES) * (1 + ask.other_arms)} tests). Verdicts are those of the report’s "
            "headline."
        ),
        verdicts=(
            Verdicts(VERDICT, "one arm", VERDICTS, NOTHING, right_verdict, "power_verdict"),
            *((_claims(),) if ask.other_arms else ()),
        ),
        wording=partial(of_cases, ask.protocol.cases),
    )


def _decides(ask: Ask) -> str:
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


def _check(ask: Ask) -> None:
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


def _method(found: Found) -> str:
    asked = found.asked.own
    world = asked.world
    return (
        f"Participants were dealt to {count(asked.arms, 'arm')} and {asked.sheets} sheets in "
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


def _assumptions(found: Found) -> list[str]:
    return [
        "The number of participants is for all arms together; one arm differs from the reference, "
        "the others don’t.",
        "How much participants and images differ is an assumption: take it from a pilot’s report "
        "(--sd-participant, --sd-item, --sd-item-method, --level-step).",
    ]
