"""What is asked of a power simulation of simulatability."""

from dataclasses import dataclass
from typing import Annotated

from analysis.power.question import Question, Term, Verdicts
from analysis.power.results import Counts, Spliced, StudyAsked, world_values
from analysis.power.simulated import ArmsAsk
from analysis.report.about import about
from analysis.report.estimates import words_of
from analysis.report.wording import count, grouped, listed, percent, points
from analysis.studies.simulatability.contrasts import UNDECIDED, VERDICTS
from analysis.studies.simulatability.model import FORMULA
from analysis.studies.simulatability.power.asked import Gain, SimulationWorld
from analysis.studies.simulatability.power.simulated import (
    CHANGE,
    VERDICT,
    right_verdict,
    run_study,
)
from stimuli.errors import UserError
from stimuli.studies.simulatability.protocol import Simulatability

Ask = ArmsAsk[Simulatability, SimulationWorld]


@dataclass(frozen=True, slots=True)
class SimulationAsked(StudyAsked):
    """What was asked beside sizes."""

    effects: Annotated[tuple[Gain, ...], about("What the explanations of one arm add.")]
    arms: Annotated[int, about("Arms, the one without explanations among them.")]
    world: Annotated[SimulationWorld, about("The simulated world."), Spliced(world_values)]


Found = Counts[SimulationAsked]


def question_of(ask: Ask) -> Question[SimulationAsked]:
    """Return the question for a power simulation; UserError if an effect can't be."""
    _check(ask)
    test = words_of(ask.protocol.analysis.primary_test)
    return Question(
        study="simulatability",
        formula=FORMULA,
        terms=(
            Term(
                CHANGE, lambda gain: gain.change, "difference in Change",
                "Change minus that without explanations", "power_change",
            ),
        ),
        grid=ask.grid,
        seed=ask.seed,
        asked=SimulationAsked(
            protocol=ask.protocol.name,
            generator="the mixed model",
            effects=ask.grid.effects,
            arms=ask.arms,
            world=ask.world,
        ),
        prepare=lambda workers, kept, stage: ask.simulator(run_study),
        panel=lambda gain: f"Change {points(gain.change)} points",
        method=_method,
        assumptions=_assumptions,
        test=(
            "Each simulated study was analysed as real data; the mixed logistic model was "
            "simplified by its stated rules. The table counts in how many studies one method "
            f"differs from no explanation: a two-sided test at 5 % by {test}, after "
            f"Holm’s correction over {count(1 + ask.other_arms, 'method')}. "
            "Verdicts are those of the report’s headline."
        ),
        verdicts=(
            Verdicts(
                VERDICT, "one method", VERDICTS, UNDECIDED,
                right_verdict,
                "power_verdict",
            ),
        ),
    )  # fmt: skip


def _check(ask: Ask) -> None:
    for gain in (Gain(0.0), *ask.grid.effects):
        after = ask.world.pre + ask.world.practice + gain.change
        if not 0 < after < 1:
            raise UserError(
                f"--effect {gain.change:g}: accuracy after explanations would be {after:g}; it "
                "must lie between 0 and 1"
            )


def _method(found: Found) -> str:
    asked = found.asked.own
    world = asked.world
    return (
        f"Participants were assigned in turn to {count(asked.arms, 'arm')} of one domain. "
        "Everybody predicted the same items of a forward and a counterfactual test, before and "
        f"after explanations. Before explanations, {percent(world.pre)} of the predictions "
        "were right, averaged over participants and items. Practice added "
        f"{points(world.practice)} points in every arm, and explanations added the effect in "
        "one arm. "
        "Standard deviations (log odds) were "
        f"{world.sd_participant[0]:g} and, for phase, {world.sd_participant[1]:g} between "
        f"participants, {world.sd_item[0]:g} and {world.sd_item[1]:g} between items, "
        f"{world.sd_pair:g} between a participant’s own views of items, and "
        f"{world.sd_method:g} between items in what a method’s explanations do."
    )


def _assumptions(found: Found) -> list[str]:
    arms = found.asked.own.arms
    people = [
        f"{grouped(n)} participants are {n / arms:.3g} per arm" for n in found.asked.participants
    ]
    return [
        "The number of participants is for all arms of a domain together; the number of items is "
        f"for each test: {listed(people)}.",
        _carried(found),
        "How much participants and items differ is an assumption: take it from a pilot’s report "
        "(--sd-participant, --sd-item, --sd-pair, --sd-method).",
    ]


def _carried(found: Found) -> str:
    """Return in how many studies of each size the full model could be fitted."""
    arms, said = found.asked.own.arms, []
    for size in found.asked.participants:
        own = [row for row in found.models if row.participants == size]
        whole = sum(row.studies for row in own if row.as_asked)
        share = whole / max(1, sum(row.studies for row in own))
        said.append(f"{percent(share)} with {size / arms:.3g} participants per arm")
    return (
        "The full model, with all slopes and correlations, could be fitted "
        f"in {listed(said)}. In the other studies a term was left out by the stated rules (column "
        "As asked)."
    )
