"""What is asked of a power simulation of progressive_reveal."""

from dataclasses import replace
from operator import attrgetter
from typing import Final

from analysis.power.question import Cell, Grid, Question, Simulator, Term, key_of
from analysis.report.estimates import MODEL
from analysis.report.wording import number
from analysis.studies.progressive_reveal.model_fit import HAZARD
from analysis.studies.progressive_reveal.power import words
from analysis.studies.progressive_reveal.power.simulated import (
    TESTED,
    Generator,
    Run,
    by_model,
    generator_key,
    run_study,
)

FORMULAS: Final = {
    "model": HAZARD,
    "means": "life tables and restricted means, over participants and images",
}
"""How each simulated study is analysed, by ``--test``."""
TERMS: Final = (
    Term(
        name="steps",
        truth=attrgetter("steps"),
        words="difference in mean steps to recognition between two methods",
        title="Steps to recognition",
        figure="power_steps",
        write=number,
        unit="steps",
    ),
    Term(
        name="recognised",
        truth=attrgetter("recognised"),
        words="difference in recognition by the last step between two methods",
        title="Recognition by the last step",
        figure="power_recognised",
    ),
    Term(
        name="restricted",
        truth=lambda effect: 0.0 if effect.odds_ratio == 1 else None,
        words="difference in the uncovered share, a restricted mean, between two methods",
        title="Uncovered share",
        figure="power_restricted",
    ),
)
MODEL_TERMS: Final = tuple(
    replace(
        term,
        name=by_model(term.name),
        words=f"{term.words} by the mixed model",
        title=f"{term.title}, by the mixed model",
        figure=by_model(term.figure),
    )
    for term in TERMS
    if term.name in TESTED
)
"""The same by the model, beside the means."""


def question_of(grid: Grid, generator: Generator, protocol: str) -> Question[words.RevealAsked]:
    """Return the question for a power simulation.

    Parameters
    ----------
    grid
        Sizes, effects (`Sooner`) and runs.
    generator
        Where rounds come from, and how they are tested.
    protocol
        The protocol's name.
    """

    def task(cell: Cell, run: int) -> Run:
        return Run(generator, cell, run)

    simulator = Simulator(key_of(generator_key(generator), HAZARD), run_study, task)
    return Question(
        study="progressive_reveal",
        formula=FORMULAS[generator.test],
        terms=(*TERMS, *MODEL_TERMS) if generator.test == MODEL else TERMS,
        grid=grid,
        seed=generator.seed,
        asked=_describe_grid(grid, generator, protocol),
        prepare=lambda workers, kept, stage: simulator,
        panel=words.panel,
        method=words.method,
        assumptions=words.assumptions,
        test=words.TESTS[generator.test],
    )


def _describe_grid(grid: Grid, generator: Generator, protocol: str) -> words.RevealAsked:
    world = generator.world
    return words.RevealAsked(
        protocol=protocol,
        generator="model",
        odds_ratios=tuple(effect.odds_ratio for effect in grid.effects),
        test=generator.test,
        methods=len(world.methods),
        rounds=generator.rounds,
        steps=world.steps,
        recognised=world.recognised,
        sd_participant=world.sd_participant,
        sd_item=world.sd_item,
    )
