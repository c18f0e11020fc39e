"""What is asked of a power simulation of simulatability."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from analysis.power.grid import Grid
from analysis.power.question import Question, Simulator, Term, Verdicts, key_of
from analysis.report.primary import WORDS
from analysis.report.wording import count, grouped, listed, percent, points
from analysis.studies.simulatability.contrasts import UNDECIDED, VERDICTS
from analysis.studies.simulatability.model import FORMULA
from analysis.studies.simulatability.power.asked import Gain, SimulationWorld
from analysis.studies.simulatability.power.simulated import (
    CHANGE,
    VERDICT,
    Run,
    right_verdict,
    run_study,
)
from stimuli.errors import UserError
from stimuli.studies.simulatability.protocol import Simulatability

Results = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Ask:
    """What is asked: rules, sizes and effects, the world, how many arms beside two, the seed."""

    protocol: Simulatability
    grid: Grid
    world: SimulationWorld
    other_arms: int
    seed: int


def question_of(ask: Ask) -> Question:
    """Return the question for a power simulation; UserError if an effect can't be."""
    _check(ask)
    test = WORDS[ask.protocol.analysis.primary_test]
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
        asked={
            "protocol": ask.protocol.name,
            "effects": [effect.columns() for effect in ask.grid.effects],
            "arms": 2 + ask.other_arms,
            "generator": "the mixed model",
            **_world(ask.world),
        },
        prepare=lambda workers, kept, stage: _simulator(ask),
        panel=lambda row: f"Change {points(row['change'])} points",
        method=_method,
        assumptions=_assumptions,
        test=(
            "Each simulated study was analysed as real data; the mixed logistic model was "
            "simplified by its stated rules. The table counts in how many studies one method "
            f"differs from no explanation: a two-sided test at 5 % by {test} (by the means if no "
            f"fit is sound), after Holm’s correction over {count(1 + ask.other_arms, 'method')}. "
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


def _world(world: SimulationWorld) -> dict[str, Any]:
    return {name: value for name, value in asdict(world).items() if name != "arms"}


def _simulator(ask: Ask) -> Simulator:
    key = key_of(ask.protocol.resolved(), _world(ask.world), ask.other_arms, ask.seed)
    return Simulator(
        key,
        run_study,
        lambda cell, number: Run(ask.protocol, ask.world, ask.other_arms, ask.seed, cell, number),
        None,
    )


def _check(ask: Ask) -> None:
    for gain in (Gain(0.0), *ask.grid.effects):
        after = ask.world.pre + ask.world.practice + gain.change
        if not 0 < after < 1:
            raise UserError(
                f"--effect {gain.change:g}: accuracy after explanations would be {after:g}; it "
                "must lie between 0 and 1"
            )


def _method(results: Results) -> str:
    asked = results["asked"]
    return (
        f"Participants were assigned in turn to {count(asked['arms'], 'arm')} of one domain. "
        "Everybody predicted the same items of a forward and a counterfactual test, before and "
        f"after explanations. Before explanations, {percent(asked['pre'])} of the predictions "
        "were right, averaged over participants and items. Practice added "
        f"{points(asked['practice'])} points in every arm, and explanations added the effect in "
        "one arm. "
        "Standard deviations (log odds) were "
        f"{asked['sd_participant'][0]:g} and, for phase, {asked['sd_participant'][1]:g} between "
        f"participants, {asked['sd_item'][0]:g} and {asked['sd_item'][1]:g} between items, "
        f"{asked['sd_pair']:g} between a participant’s own views of items, and "
        f"{asked['sd_method']:g} between items in what a method’s explanations do."
    )


def _assumptions(results: Results) -> list[str]:
    asked = results["asked"]
    people = [
        f"{grouped(n)} participants are {n / asked['arms']:.3g} per arm"
        for n in asked["participants"]
    ]
    return [
        "The number of participants is for all arms of a domain together; the number of items is "
        f"for each test: {listed(people)}.",
        _carried(results),
        "How much participants and items differ is an assumption: take it from a pilot’s report "
        "(--sd-participant, --sd-item, --sd-pair, --sd-method).",
    ]


def _carried(results: Results) -> str:
    """Return in how many studies of each size the full model could be fitted."""
    arms, sizes = results["asked"]["arms"], results["asked"]["participants"]
    said = []
    for size in sizes:
        own = [row for row in results["models"] if row["participants"] == size]
        whole = sum(row["studies"] for row in own if row["as_asked"])
        share = whole / max(1, sum(row["studies"] for row in own))
        said.append(f"{percent(share)} with {size / arms:.3g} participants per arm")
    return (
        "The full model, with all slopes and correlations, could be fitted "
        f"in {listed(said)}. In the other studies a term was left out by the stated rules (column "
        "As asked)."
    )
