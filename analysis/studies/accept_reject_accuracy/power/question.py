"""What is asked of a power simulation of the assessment of accuracy."""

from dataclasses import dataclass
from functools import partial
from typing import Annotated

from analysis.power.question import Grid, Question, Simulator, Term, key_of
from analysis.power.results import Counts, Spliced, StudyAsked, world_values
from analysis.report.about import about
from analysis.report.wording import percent, points, unsigned_points
from analysis.studies.accept_reject.power.against_experts import against_experts
from analysis.studies.accept_reject_accuracy.power.asked import Difference, LabelWorld
from analysis.studies.accept_reject_accuracy.power.simulated import DIFFERS, Run, run_study
from stimuli.cases import of_cases
from stimuli.errors import UserError
from stimuli.studies.accept_reject_accuracy.protocol import AcceptRejectAccuracy

FORMULA = "p_S − p_E, t interval over leads and images"


@dataclass(frozen=True, slots=True)
class AccuracyAsked(StudyAsked):
    """What was asked beside sizes."""

    effects: Annotated[tuple[float, ...], about("Differences p_S − p_E.")]
    margin: Annotated[float, about("The margin of the verdicts, a share.")]
    world: Annotated[LabelWorld, about("The simulated world."), Spliced(world_values)]


Found = Counts[AccuracyAsked]


def question_of(
    protocol: AcceptRejectAccuracy, grid: Grid, world: LabelWorld, seed: int
) -> Question[AccuracyAsked]:
    """Return the question for a power simulation; UserError if no S makes a difference."""
    _check(grid, world)
    margin = protocol.analysis.margin
    key = key_of(protocol.resolved(), world_values(world), seed, FORMULA)
    simulator = Simulator(
        key, run_study, lambda cell, number: Run(protocol, world, seed, cell, number)
    )
    return Question(
        study="accept_reject_accuracy",
        formula=FORMULA,
        terms=TERMS,
        grid=grid,
        seed=seed,
        asked=AccuracyAsked(
            protocol=protocol.name,
            generator="the world of labels",
            effects=tuple(effect.value for effect in grid.effects),
            margin=margin,
            world=world,
        ),
        prepare=lambda workers, kept, stage: simulator,
        panel=_panel,
        method=_method,
        assumptions=_assumptions,
        test=(
            "Each simulated study was analysed as real data are: it differs where the 95 % "
            "interval of p_S − p_E excludes zero; the verdict is the report’s, with a margin of "
            f"{unsigned_points(margin)} percentage points."
        ),
        verdicts=(against_experts(lambda effect: effect.value, margin),),
        wording=partial(of_cases, protocol.cases),
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


def _check(grid: Grid, world: LabelWorld) -> None:
    highest = world.label_errors * world.contrast
    for effect in grid.effects:
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


def _method(found: Found) -> str:
    world = found.asked.own.world
    return (
        "Everyone judged every image once, half of them with S’s and half with the data set’s "
        f"label. Labels of the data set were wrong on {percent(world.label_errors, 1)} of the "
        "images, S’s on as many others as the effect asks. A right label was accepted with "
        f"probability {world.accept_right:g}, a wrong one with {world.accept_wrong:g}, "
        "averaged over leads and images, with standard deviations (log odds) of "
        f"{world.sd_participant:g} between leads and {world.sd_item:g} between images."
    )


def _assumptions(found: Found) -> list[str]:
    return [
        "How leads judge right and wrong labels is an assumption: take it from a pilot’s report "
        "(--accept-right, --accept-wrong, --sd-participant, --sd-item).",
        "Where S and the data set give the same label, a judgement counts for both, as in the "
        "analysis: the difference rests only on the other images.",
    ]
