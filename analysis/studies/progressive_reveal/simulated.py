"""The question of a power simulation of progressive_reveal, and one simulated study.

Rounds are drawn from the discrete-time model itself, at stated effects and variances, and analysed
as real ones. `method` says in words who saw what in a simulation.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from operator import attrgetter
from typing import Final

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import expit

from analysis.power.averages import FARTHEST_LOGIT, averaged, spread_out
from analysis.power.question import (
    ALPHA,
    MIXED_FIT,
    Outcome,
    Question,
    Term,
    as_asked,
    fitted_formula,
    without_result,
)
from analysis.power.simulation import Ask, Run
from analysis.power.summary import spreads
from analysis.questions.estimates import EstimateRow, select
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
from stimuli.studies.progressive_reveal.protocol import ProgressiveReveal

Array = np.ndarray

PEAK = 0.4
"""The hazard is highest after this part of the steps: published recognition lies mostly between
the 4th and the 9th of 15 (Dawoud et al. 2023, section IV-B)."""

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
    effect: Sooner,
) -> RoundTable:
    """Return the rounds of a simulated study.

    Everyone sees the same number of images, each once; methods rotate over images from list to
    list.
    """
    people, images, methods = _layout(world, rng, participants, items)
    fixed = np.zeros(len(world.methods))
    fixed[1] = np.log(effect.odds_ratio)
    level = fixed[methods]
    for units, count, sds in (
        (people, participants, world.sd_participant),
        (images, items, world.sd_item),
    ):
        of_units = rng.normal(size=(count, 1 + len(world.methods))) * [
            sds[0], *[sds[1]] * len(world.methods)
        ]  # fmt: skip
        level = level + of_units[units, 0] + of_units[units, 1 + methods]
    hazard = expit(base_logits(world) + level[:, None])
    hit = rng.random(hazard.shape) < hazard
    recognised = hit.any(axis=1)
    step = np.where(recognised, hit.argmax(axis=1) + 1, world.steps)
    return _table(world, people, images, methods, recognised, step)


def _layout(
    world: HazardWorld, rng: np.random.Generator, participants: int, items: int
) -> tuple[Array, Array, Array]:
    """Return person, image and method of each round."""
    rounds = world.rounds or items
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


StudyRun = Run[ProgressiveReveal, HazardWorld]
StudyAsk = Ask[ProgressiveReveal, HazardWorld]


def simulated_rounds(run: StudyRun) -> RoundTable:
    """Return the rounds of one simulated study."""
    cell = run.cell
    return simulate_rounds(run.world, run.draws(), cell.participants, cell.items, cell.effect)


def by_model(name: str) -> str:
    """Return what a test is called if it is the model's."""
    return f"{name}_model"


def run_study(run: StudyRun) -> Outcome:
    """Simulate and analyse one study."""
    table, few = simulated_rounds(run), run.protocol.analysis.few_people
    plan = Resampling(1, run.seed % 2**32).for_people(table.units, few)
    means = [*Life.of(table, plan).pairs(), *Restricted.of(table, plan).pairs]
    if run.world.test == MEANS:
        tests = _tests(table, means)
        if not set(TESTED) <= set(tests):
            return without_result("a contrast has no test", model=False)
        return Outcome(True, "", tests)
    model = primary_model(table)
    hazard, tests = model.hazard, _tests(table, [*means, *model.pairs])
    if not {*TESTED, *map(by_model, TESTED)} <= set(tests):
        reason = " ".join(hazard.notes) if hazard.fitted else hazard.reason
        return without_result(reason or "the fit isn't sound")
    whole = as_asked(hazard, 2 * len(table.methods))
    return Outcome(True, "", tests, {}, whole, fitted_formula(hazard))


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


def method(world: HazardWorld) -> str:
    """Return who saw what, and where the answers come from."""
    seen = f"{world.rounds} of the images" if world.rounds else "every image"
    return (
        f"Everyone saw {seen} once, each by one of {len(world.methods)} methods, rotated over "
        "lists as in the study’s packs. Recognition at a step was drawn from the discrete-time "
        f"model itself: by the reference {percent(world.recognised)} of the rounds were recognised "
        f"by the last of {world.steps} steps, averaged over people and images; one method’s odds "
        "of recognition at every step were the stated multiple of the reference’s, the other "
        "methods were like the reference. Standard deviations (log odds; intercept, each method’s "
        f"own effect) were {spreads(world.sd_participant)} between people and "
        f"{spreads(world.sd_item)} between images."
    )


ASSUMPTIONS: Final = (
    "The variances are assumptions: take them from a pilot’s fit (--sd-participant and --sd-item).",
    "Nobody leaves in mid-round, and nobody guesses: free tries add recognitions that tell "
    "nothing of the methods, so real power is likely to be lower.",
    "Mean steps count an unrecognised round with all steps.",
)
"""What the answers rest on."""


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


def question_of(ask: StudyAsk) -> Question:
    """Return the question for a power simulation."""
    test = ask.world.test
    return Question(
        study="progressive_reveal",
        ask=ask,
        run=run_study,
        formula=FORMULAS[test],
        terms=(*TERMS, *MODEL_TERMS) if test == MODEL else TERMS,
        generator="the discrete-time model",
        panel=panel,
        method=method(ask.world),
        assumptions=lambda _: ASSUMPTIONS,
        test=f"{TESTS[test]} {_in_the_report(ask.protocol)}",
    )


def _in_the_report(protocol: ProgressiveReveal) -> str:
    return (
        "In the report’s headline, p of recognition by the last step is by "
        f"{words_of(protocol.analysis.primary_test)}; p of the uncovered share is by the means."
    )
