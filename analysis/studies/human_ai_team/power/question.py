"""What is asked of a power simulation of human_ai_team."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from analysis.power.grid import Grid
from analysis.power.question import Question, Simulator, Term, Verdicts, key_of
from analysis.report.primary import WORDS
from analysis.report.wording import count, percent, points
from analysis.studies.human_ai_team.differences import (
    ACCURACY,
    FAMILY,
    OVER,
    QUANTITIES,
    UNDER,
)
from analysis.studies.human_ai_team.model import FORMULA
from analysis.studies.human_ai_team.power.asked import TeamWorld
from analysis.studies.human_ai_team.power.simulated import (
    CLAIMS,
    CLAIMS_WORDS,
    NO_CLAIM,
    VERDICT,
    Run,
    right_verdict,
    run_study,
)
from analysis.studies.human_ai_team.verdicts import NOTHING, VERDICTS
from stimuli.errors import UserError
from stimuli.studies.human_ai_team.protocol import HumanAiTeam

Results = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Ask:
    """What is asked: rules, sizes and effects, the world, how many arms beside two, the seed."""

    protocol: HumanAiTeam
    grid: Grid
    world: TeamWorld
    other_arms: int
    seed: int


def question_of(ask: Ask) -> Question:
    """Return the question for a power simulation; UserError if an effect can't be."""
    _check(ask)
    return Question(
        study="human_ai_team",
        formula=FORMULA,
        terms=_terms(ask.world.ai_right),
        grid=ask.grid,
        seed=ask.seed,
        asked={
            "protocol": ask.protocol.name,
            "effects": [effect.columns() for effect in ask.grid.effects],
            "sheets": ask.protocol.bins.sheets,
            "arms": 2 + ask.other_arms,
            "generator": "the mixed model",
            **_world(ask.world),
        },
        prepare=lambda workers, kept, stage: _simulator(ask),
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
    )


def _decides(ask: Ask) -> str:
    return WORDS[ask.protocol.analysis.primary_test]


def _claims() -> Verdicts:
    return Verdicts(
        CLAIMS, "arms without an effect", CLAIMS_WORDS, NO_CLAIM, lambda _: NO_CLAIM, "power_claims"
    )


def _world(world: TeamWorld) -> dict[str, Any]:
    return {name: value for name, value in asdict(world).items() if name != "arms"}


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


def _simulator(ask: Ask) -> Simulator:
    key = key_of(ask.protocol.resolved(), _world(ask.world), ask.other_arms, ask.seed)
    return Simulator(
        key,
        run_study,
        lambda cell, number: Run(ask.protocol, ask.world, ask.other_arms, ask.seed, cell, number),
        None,
    )


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


def _panel(row: Mapping[str, Any]) -> str:
    return f"over {points(row['over_reliance'])}, under {points(row['under_reliance'])} points"


def _method(results: Results) -> str:
    asked = results["asked"]
    return (
        f"Participants were dealt to {count(asked['arms'], 'arm')} and {asked['sheets']} sheets in "
        "turn; each judged the images of one sheet. In the reference arm "
        f"{percent(asked['over_reliance'])} of the AI’s wrong labels were accepted and "
        f"{percent(asked['under_reliance'])} of its right ones rejected, averaged over "
        f"participants and images; the AI was right on {percent(asked['ai_right'])} of the images. "
        "Standard deviations (log odds) were "
        f"{asked['sd_participant'][0]:g} and, for ai_correct, {asked['sd_participant'][1]:g} "
        f"between participants, {asked['sd_item']:g} between images, and "
        f"{asked['sd_item_method']:g} between images in what an arm changes. Images were right, "
        "wrong or attacked, and easy, medium or hard; two neighbouring levels differed by "
        f"{asked['level_step']:g}, with wrong labels by twice as much."
    )


def _assumptions(results: Results) -> list[str]:
    return [
        "The number of participants is for all arms together; one arm differs from the reference, "
        "the others don’t.",
        "How much participants and images differ is an assumption: take it from a pilot’s report "
        "(--sd-participant, --sd-item, --sd-item-method, --level-step).",
    ]
