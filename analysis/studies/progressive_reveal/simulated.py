"""The question of a power simulation of progressive_reveal, and one simulated study.

Rounds are drawn from the discrete-time model itself, at stated effects and variances, and analysed
as real ones. `method` says in words who saw what in a simulation.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from operator import attrgetter
from typing import Annotated, Final

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import expit
from threadpoolctl import threadpool_limits

from analysis.mixed import NotEstimableError
from analysis.power.arms import FARTHEST_LOGIT, averaged, spread_out
from analysis.power.question import (
    ALPHA,
    MIXED_FIT,
    Cell,
    Grid,
    Outcome,
    Question,
    Simulator,
    Term,
    as_asked,
    fitted_formula,
    key_of,
)
from analysis.power.results import Counts, StudyAsked
from analysis.power.summary import spreads
from analysis.questions.estimates import EstimateRow, select
from analysis.report.about import about
from analysis.report.deciding import MEANS, MODEL, words_of
from analysis.report.wording import number, percent
from analysis.statistics.bootstrap import Resampling
from analysis.studies.progressive_reveal.model_fit import HAZARD
from analysis.studies.progressive_reveal.models import primary_model
from analysis.studies.progressive_reveal.pairs import ALPHA as HOLM_ALPHA
from analysis.studies.progressive_reveal.power import HazardWorld
from analysis.studies.progressive_reveal.quantities import (
    RECOGNISED_LESS,
    RESTRICTED_LESS,
    STEPS_LESS,
)
from analysis.studies.progressive_reveal.recognition import Life, Restricted
from analysis.studies.progressive_reveal.trials import RoundTable
from stimuli.io.canonical import canonical_json, seed_of
from stimuli.studies.progressive_reveal.protocol import ProgressiveReveal

Array = np.ndarray

PEAK = 0.4
"""The hazard is highest after this part of the steps: published recognition lies mostly between
the 4th and the 9th of 15 (Dawoud et al. 2023, section IV-B)."""

TESTED_BY = "two-way means"
"""Version of the tests; runs that were kept from another analysis are simulated again."""
NAMES: Final = {
    RECOGNISED_LESS.id: "recognised",
    STEPS_LESS.id: "steps",
    RESTRICTED_LESS.id: "restricted",
}
"""What power simulations call the contrasts."""
TESTED = ("recognised", "steps")
"""The contrasts without which a study has no result."""

_COUNTED = (
    f"A two-sided test at {percent(ALPHA)} of its contrast between that method and the reference "
    "was counted, after Holm’s correction over all pairs of methods."
)
TESTS: Mapping[str, str] = {
    "model": f"Each simulated study had its life tables and restricted means, over participants "
    f"and images. {MIXED_FIT}. {_COUNTED}",
    "means": "Each simulated study had its life tables and restricted means, over participants and "
    f"images, without the preregistered model. {_COUNTED}",
}
"""What is done with each simulated study, by ``--test``."""

FORMULAS: Final = {
    "model": HAZARD,
    "means": "life tables and restricted means, over participants and images",
}
"""How each simulated study is analysed, by ``--test``."""


@dataclass(frozen=True, slots=True)
class Sooner:
    """An effect that is taken as true: one method against all others, which are alike.

    Attributes
    ----------
    odds_ratio
        Of recognition at a step by that method to the reference's; 1 is no effect.
    recognised
        What it adds to recognition by the last step, averaged over people and images.
    steps
        What it adds to the mean number of steps; below 0 for a method that is better.
    """

    odds_ratio: float
    recognised: float
    steps: float

    @property
    def name(self) -> str:
        """The effect in a run's key."""
        return f"x{self.odds_ratio:g}"

    def columns(self) -> dict[str, float]:
        """Return the effect as it stands in the table of results."""
        return {"odds_ratio": self.odds_ratio}


@cache
def base_logits(world: HazardWorld) -> Array:
    """Log odds of recognition at each step by the reference, (steps,)."""
    at = np.arange(1, world.steps + 1) / world.steps
    shape = np.log(at / PEAK) - at / PEAK  # rises up to the peak, then falls

    def miss(level: float) -> float:
        return _averaged(world, level + shape)[-1] - world.recognised

    return shape + brentq(miss, -FARTHEST_LOGIT, FARTHEST_LOGIT, xtol=1e-12)


def effect_of(world: HazardWorld, odds_ratio: float) -> Sooner:
    """Return what an odds ratio adds, random effects integrated out."""
    before, after = (
        _averaged(world, base_logits(world)),
        _averaged(world, base_logits(world) + np.log(odds_ratio)),
    )
    return Sooner(
        odds_ratio,
        float(after[-1] - before[-1]) if odds_ratio != 1 else 0.0,
        float(before[:-1].sum() - after[:-1].sum()) if odds_ratio != 1 else 0.0,
    )


def simulate_rounds(
    world: HazardWorld,
    rng: np.random.Generator,
    participants: int,
    items: int,
    rounds: int,
    effect: Sooner,
) -> RoundTable:
    """Return the rounds of a simulated study.

    Everyone sees the same number of images, each once; methods rotate over images from list to
    list.
    """
    people, images, methods = _layout(world, rng, participants, items, rounds)
    fixed = np.zeros(len(world.methods))
    fixed[1] = np.log(effect.odds_ratio)
    level = fixed[methods]
    for units, count, sds in (
        (people, participants, world.sd_participant),
        (images, items, world.sd_item),
    ):
        own = rng.normal(size=(count, 1 + len(world.methods))) * [
            sds[0], *[sds[1]] * len(world.methods)
        ]  # fmt: skip
        level = level + own[units, 0] + own[units, 1 + methods]
    hazard = expit(base_logits(world) + level[:, None])
    hit = rng.random(hazard.shape) < hazard
    recognised = hit.any(axis=1)
    step = np.where(recognised, hit.argmax(axis=1) + 1, world.steps)
    return _table(world, people, images, methods, recognised, step)


def _layout(
    world: HazardWorld, rng: np.random.Generator, participants: int, items: int, rounds: int
) -> tuple[Array, Array, Array]:
    """Return person, image and method of each round."""
    place, count = rng.permutation(items), len(world.methods)
    lists = np.concatenate([rng.permutation(count) for _ in range(-(-participants // count))])
    seen = [rng.permutation(items)[: min(rounds, items)] for _ in range(participants)]
    people = np.repeat(np.arange(participants), min(rounds, items))
    images = np.concatenate(seen)
    return people, images, (place[images] + lists[people]) % count


def _table(
    world: HazardWorld, people: Array, images: Array, methods: Array, recognised: Array, step: Array
) -> RoundTable:
    width = len(str(images.max()))
    names = [f"i{number:0{width}d}" for number in range(images.max() + 1)]
    share = step / world.steps
    frame = pd.DataFrame(
        {
            "participant": [f"p{number:05d}" for number in people],
            "item": np.array(names)[images],
            "method": np.array(world.methods)[methods],
            "recognised": recognised,
            "left": False,
            "step": step,
            "share": share,
            "pixels": share,
            "image_pixels": 1.0,
        }
    )
    steps = np.arange(1, world.steps + 1) / world.steps
    amounts = np.broadcast_to(steps, (len(names), len(world.methods), world.steps))
    return RoundTable(
        frame, world.methods, world.methods[0], world.steps, amounts, tuple(names), "simulated",
        (), world.limit,
    )  # fmt: skip


def _averaged(world: HazardWorld, logits: Array) -> Array:
    """Return recognition by the end of each step (steps,), averaged over people and images."""
    spread = float(np.linalg.norm([*world.sd_participant, *world.sd_item]))
    return 1 - averaged(np.cumprod(1 - spread_out(logits, spread), axis=0))


@dataclass(frozen=True, slots=True)
class Generator:
    """Where rounds come from, and what is done with them.

    Attributes
    ----------
    world
        Its people and images.
    rounds
        How many images a person sees at most; 0 is all of them.
    test
        ``means``: life tables and restricted means, over people and images; ``model``: the
        discrete-time mixed model, too.
    seed
        Root of every draw.
    few
        Participants below which the means are about these participants (``analysis.few_people``).
    """

    world: HazardWorld
    rounds: int
    test: str
    seed: int
    few: int = 1


@dataclass(frozen=True, slots=True)
class Run:
    """One study to simulate: where in the grid, and which of its runs."""

    generator: Generator
    cell: Cell
    number: int


def run_study(run: Run) -> Outcome:
    """Simulate and analyse one study."""
    begun = time.perf_counter()

    def run_s() -> float:
        return time.perf_counter() - begun

    with threadpool_limits(1):
        try:
            return _outcome(simulated_rounds(run), run, run_s)
        except (NotEstimableError, np.linalg.LinAlgError, FloatingPointError) as fault:
            return Outcome.without(str(fault), run_s(), model=run.generator.test == MODEL)


def simulated_rounds(run: Run) -> RoundTable:
    """Return the rounds of one simulated study."""
    generator, cell = run.generator, run.cell
    rng = np.random.Generator(np.random.PCG64(_seed(run)))
    rounds = generator.rounds or cell.items
    return simulate_rounds(generator.world, rng, cell.participants, cell.items, rounds, cell.effect)


def generator_key(generator: Generator) -> str:
    """Return all that a run's outcome depends on, apart from cell and number, as text."""
    world = generator.world
    parts = [
        list(world.methods), world.steps, world.recognised, list(world.sd_participant),
        list(world.sd_item), generator.rounds, generator.test, generator.seed,
        generator.few, TESTED_BY,
    ]  # fmt: skip
    return canonical_json(parts).decode("utf-8")


def _seed(run: Run) -> int:
    return seed_of("power", run.generator.seed, run.cell.name, run.number)


def by_model(name: str) -> str:
    """Return what a test is called if it is the model's."""
    return f"{name}_model"


def _outcome(table: RoundTable, run: Run, run_s: Callable[[], float]) -> Outcome:
    plan = Resampling(1, _seed(run) % 2**32).for_people(table.units, run.generator.few)
    means = [*Life.of(table, plan).pairs(), *Restricted.of(table, plan).pairs]
    if run.generator.test == MEANS:
        tests = _tests(table, means)
        if not set(TESTED) <= set(tests):
            return Outcome.without("a contrast has no test", run_s(), model=False)
        return Outcome(True, "", None, "", tests, {}, run_s())
    found = primary_model(table)
    hazard = found.hazard
    tests = _tests(table, [*means, *found.pairs])
    if not {*TESTED, *map(by_model, TESTED)} <= set(tests):
        reason = " ".join(hazard.notes) if hazard.fitted else hazard.reason
        return Outcome.without(reason or "the fit isn't sound", run_s())
    whole = as_asked(hazard, 2 * len(table.methods))
    return Outcome(True, "", whole, fitted_formula(hazard), tests, {}, run_s())


def _tests(table: RoundTable, pairs: Sequence[EstimateRow]) -> dict[str, tuple[float | None, bool]]:
    """Return the contrasts between the method that differs and the reference, as the report's."""
    other, method = table.methods[:2]
    rows = select(pairs, method=method, against=other)
    return {
        by_model(NAMES[row.quantity]) if row.of["by"] == MODEL else NAMES[row.quantity]: (
            row.estimate,
            row.p_adjusted < HOLM_ALPHA,
        )
        for row in rows
        if row.p_adjusted is not None and np.isfinite(row.p_adjusted)
    }


@dataclass(frozen=True, slots=True)
class RevealAsked(StudyAsked):
    """What was asked beside sizes."""

    odds_ratios: Annotated[tuple[float, ...], about("Odds ratios of recognition at a step.")]
    test: Annotated[str, about("How each study is analysed: model or means.")]
    methods: Annotated[int, about("Methods, the reference among them.")]
    rounds: Annotated[int, about("Rounds that a participant completes; 0 if all images.")]
    steps: Annotated[int, about("Steps of a round.")]
    recognised: Annotated[float, about("Share that the reference has recognised by the last step.")]
    sd_participant: Annotated[tuple[float, ...], about("SDs between participants, log odds.")]
    sd_item: Annotated[tuple[float, ...], about("SDs between images, log odds.")]


def method(found: Counts[RevealAsked]) -> str:
    """Return who saw what, and where the answers come from."""
    asked = found.asked.own
    seen = f"{asked.rounds} of the images" if asked.rounds else "every image"
    return (
        f"Everyone saw {seen} once, each by one of {asked.methods} methods, rotated over lists "
        "as in the study’s packs. Recognition at a step was drawn from the discrete-time model "
        f"itself: by the reference {percent(asked.recognised)} of the rounds were recognised by "
        f"the last of {asked.steps} steps, averaged over people and images; one method’s odds "
        "of recognition at every step were the stated multiple of the reference’s, the other "
        "methods were like the reference. Standard deviations (log odds; intercept, each method’s "
        f"own effect) were {spreads(asked.sd_participant)} between people and "
        f"{spreads(asked.sd_item)} between images."
    )


def assumptions(found: Counts[RevealAsked]) -> list[str]:
    """Return what the answers rest on, one sentence each."""
    return [
        "The variances are assumptions: take them from a pilot’s fit (--sd-participant and "
        "--sd-item).",
        "Nobody leaves in mid-round, and nobody guesses: free tries add recognitions that tell "
        "nothing of the methods, so real power is likely to be lower.",
        "Mean steps count an unrecognised round with all steps.",
    ]


def panel(effect: Sooner) -> str:
    """Return an effect in words."""
    return "No effect" if effect.odds_ratio == 1 else f"Odds ratio {number(effect.odds_ratio)}"


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


def question_of(
    grid: Grid, generator: Generator, protocol: ProgressiveReveal
) -> Question[RevealAsked]:
    """Return the question for a power simulation.

    Parameters
    ----------
    grid
        Sizes, effects (`Sooner`) and runs.
    generator
        Where rounds come from, and how they are tested.
    protocol
        Names the analysis that decides in the report.
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
        asked=_describe_grid(grid, generator, protocol.name),
        prepare=lambda workers, kept, stage: simulator,
        panel=panel,
        method=method,
        assumptions=assumptions,
        test=f"{TESTS[generator.test]} {_in_the_report(protocol)}",
    )


def _in_the_report(protocol: ProgressiveReveal) -> str:
    return (
        "In the report’s headline, p of recognition by the last step is by "
        f"{words_of(protocol.analysis.primary_test)}; p of the uncovered share is by the means."
    )


def _describe_grid(grid: Grid, generator: Generator, protocol: str) -> RevealAsked:
    world = generator.world
    return RevealAsked(
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
