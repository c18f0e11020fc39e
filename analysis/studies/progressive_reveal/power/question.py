"""What is asked of a power simulation of progressive_reveal."""

from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Final

from analysis.data.origin import suite_version
from analysis.power.grid import Cell, Grid
from analysis.power.question import Question, Simulator, Term
from analysis.report.wording import number
from analysis.studies.progressive_reveal.models import HAZARD
from analysis.studies.progressive_reveal.power import words
from analysis.studies.progressive_reveal.power.simulated import (
    Generator,
    Run,
    generator_key,
    run_study,
)
from stimuli.io.canonical import hash_of

TERMS: Final = (
    Term(
        name="steps",
        contrast="steps",
        truth=attrgetter("steps"),
        words="difference in mean steps to recognition between two methods",
        title="Steps to recognition",
        figure="power_steps",
        parts="Odds ratio",
        write=number,
        unit="steps",
    ),
    Term(
        name="recognised",
        contrast="recognised",
        truth=attrgetter("recognised"),
        words="difference in recognition by the last step between two methods",
        title="Recognition by the last step",
        figure="power_recognised",
        parts="Odds ratio",
    ),
)


@dataclass(frozen=True, slots=True)
class Ask:
    """What is asked: sizes, effects and runs; where rounds come from; under which protocol."""

    grid: Grid
    generator: Generator
    protocol: str


def question_of(ask: Ask) -> Question:
    """Return the question for a power simulation."""
    generator = ask.generator
    key = hash_of([generator_key(generator), HAZARD, suite_version()])[:16]

    def task(cell: Cell, run: int) -> Run:
        return Run(generator, cell, run)

    return Question(
        study="progressive_reveal",
        formula=HAZARD,
        terms=TERMS,
        grid=ask.grid,
        seed=generator.seed,
        asked=_asked(ask),
        prepare=lambda workers, kept, stage: Simulator(key, run_study, task, None),
        panel=words.panel,
        method=words.method,
        assumptions=words.assumptions,
        write_effect=number,
        effect_unit="",
    )


def _asked(ask: Ask) -> dict[str, Any]:
    world = ask.generator.world
    return {
        "protocol": ask.protocol,
        "odds_ratios": [effect.odds_ratio for effect in ask.grid.effects],
        "generator": "model",
        "test": ask.generator.test,
        "methods": len(world.methods),
        "rounds": ask.generator.rounds,
        "steps": world.steps,
        "recognised": world.recognised,
        "sd_participant": list(world.sd_participant),
        "sd_item": list(world.sd_item),
    }
