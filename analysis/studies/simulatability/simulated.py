"""The question of a power simulation of simulatability, and one simulated study.

People, items and predictions are drawn from a world of crossed random effects. A simulated study is
analysed as a real one.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np
import pandas as pd
from scipy.special import expit

from analysis.power.averages import averaging_logit
from analysis.power.question import (
    Outcome,
    Question,
    Term,
    Verdicts,
    fitted_formula,
    without_result,
)
from analysis.power.results import Counts
from analysis.power.simulation import Ask, Difference, Run
from analysis.report.deciding import words_of
from analysis.report.wording import count, grouped, listed, percent, points
from analysis.statistics.bootstrap import Resampling
from analysis.studies.simulatability.contrasts import (
    ALPHA,
    HARMS,
    HELPS,
    SAME,
    UNDECIDED,
    VERDICTS,
    method_effects,
)
from analysis.studies.simulatability.model import FORMULA, fit_of, fitted_model
from analysis.studies.simulatability.power import HELPED, SimulationWorld
from analysis.studies.simulatability.quantities import EFFECT
from analysis.studies.simulatability.trials import read_predictions
from analysis.studies.simulatability.words import FIRST_WORDS, FORWARD, TEST_WORDS, TESTS
from stimuli.errors import UserError
from stimuli.studies.simulatability.protocol import NO_EXPLANATION, Simulatability

VERDICT_OF: Final = "{}_verdict"
"""Name of the verdict on one method in a test."""
DOMAIN: Final = "tabular"

Array = np.ndarray

StudyRun = Run[Simulatability, SimulationWorld]
StudyAsk = Ask[Simulatability, SimulationWorld]


def run_study(run: StudyRun) -> Outcome:
    """Simulate and analyse one study."""
    predictions = read_predictions(simulated_trials(run), run.protocol)
    fit, rules = fitted_model(predictions.domain(DOMAIN)), run.protocol
    plan = Resampling(rules.analysis.replicates, rules.analysis.seed)
    effects = method_effects(predictions, {DOMAIN: fit}, rules, plan)
    tests: dict[str, tuple[float | None, bool]] = {}
    verdicts = {}
    for row in effects.rows(EFFECT, method=HELPED):
        if row.estimate is None or row.p_adjusted is None or not np.isfinite(row.p_adjusted):
            return without_result("answers don’t vary")
        tests[row.of["test"]] = (row.estimate / 100, bool(row.p_adjusted < ALPHA))
        verdicts[VERDICT_OF.format(row.of["test"])] = row.verdict
    whole, fitted = effects.by_model[DOMAIN].whole, fitted_formula(fit_of(fit))
    return Outcome(True, "", tests, verdicts, whole, fitted)


def simulated_trials(run: StudyRun) -> pd.DataFrame:
    """Return the trial table of one simulated study."""
    cell, orders = run.cell, run.protocol.design.orders
    world = replace(run.world, arms={HELPED: cell.effect, **run.world.arms})
    return simulate_predictions(world, cell.participants, cell.items, run.draws(), DOMAIN, orders)


def right_verdict(gain: Difference) -> str:
    """Return the verdict that is right for a method: the report's, of an effect known exactly."""
    if gain.value:
        return HELPS if gain.value > 0 else HARMS
    return SAME


def simulate_predictions(
    world: SimulationWorld,
    participants: int,
    items: int,
    rng: np.random.Generator,
    domain: str = "tabular",
    orders: Sequence[Sequence[str]] = (TESTS,),
) -> pd.DataFrame:
    """Return the trial table of a simulated study in one domain.

    Participants are assigned to arms in turn, and within an arm to orders of the tests. Everybody
    predicts the same items.

    Parameters
    ----------
    participants, items
        People over all arms; items of each test.
    rng
        Draws.
    domain
        The kind of data.
    orders
        Orders of the tests.
    """
    tests = [test for test in TESTS if test in orders[0]]
    cases = len(tests) * items
    people = rng.standard_normal((participants, 2)) * world.sd_participant
    of_item = rng.standard_normal((cases, 2)) * world.sd_item
    pair = rng.standard_normal((participants, cases)) * world.sd_pair
    turn, arm = np.divmod(np.arange(participants), len(world.methods))
    first = np.array([tests.index(order[0]) for order in orders])[turn % len(orders)]
    carried = world.carry_over * (first[:, None] != np.arange(cases) // items)
    codes = np.array([-0.5, 0.5])
    logits = _logits(world, carried, arm) + pair[:, :, None]
    logits = logits + (people[:, :1] + people[:, 1:] * codes)[:, None, :]
    logits = logits + (of_item[:, :1] + of_item[:, 1:] * codes)[None]
    if world.sd_method:
        of_method = rng.standard_normal((len(world.methods), cases)) * world.sd_method
        of_method[world.methods.index(NO_EXPLANATION)] = 0.0
        logits[:, :, 0] += carried * of_method[arm]
        logits[:, :, 1] += of_method[arm]
    correct = rng.random(logits.shape) < expit(logits)
    person, item, phase = (part.ravel() for part in np.indices(correct.shape))
    return pd.DataFrame(
        {
            "participant": np.array([f"p{n}" for n in range(participants)], object)[person],
            "item": np.array([f"i{n}" for n in range(cases)], object)[item],
            "domain": domain,
            "use": np.array(tests, object)[item // items],
            "first_test": np.array(tests, object)[first][person],
            "phase": np.array(["pre", "post"], object)[phase],
            "method": np.array(world.methods, object)[arm][person],
            "correct": correct.ravel(),
        }
    )


def _logits(world: SimulationWorld, carried: Array, arm: Array) -> Array:
    """Return the mean log odds, (participants, items, 2): before and after.

    Parameters
    ----------
    carried
        (participants, items) share of what explanations add that is there before them.
    arm
        (participants,) place of each person's arm.
    """
    gains = [0.0, *(gain.value for gain in world.arms.values())]
    differing = [0.0, *[world.sd_method] * len(world.arms)]

    def means(start: float, share: float) -> Array:
        return np.array(
            [
                averaging_logit(start + share * gain, math.hypot(world.spread, share * sd))
                for gain, sd in zip(gains, differing, strict=True)
            ]
        )[arm, None]

    plain, taught = (means(world.pre, share) for share in (0.0, world.carry_over))
    before = np.where(carried > 0, taught, plain)
    after = np.broadcast_to(means(world.pre + world.practice, 1.0), before.shape)
    return np.stack([before, after], axis=-1)


def question_of(ask: StudyAsk) -> Question:
    """Return the question for a power simulation; UserError if an effect can't be."""
    _check(ask)
    decides, tests = words_of(ask.protocol.analysis.primary_test), ask.protocol.design.tests
    return Question(
        study="simulatability",
        ask=ask,
        run=run_study,
        formula=FORMULA,
        terms=tuple(
            Term(
                test, lambda gain: gain.value, f"effect in the {TEST_WORDS[test]} test",
                f"{TEST_WORDS[test].capitalize()} test: one method minus no explanations",
                f"power_{test}",
            )
            for test in tests
        ),
        generator="the mixed model",
        panel=lambda gain: f"effect {points(gain.value)} points",
        method=_method(ask.world),
        assumptions=_assumptions,
        test=(
            "Each simulated study was analysed as real data; the mixed logistic model was "
            "simplified by its stated rules. The tables count in how many studies one method "
            f"differs from no explanation in a test: two-sided, at 5 %, by {decides}, after "
            f"Holm’s correction over {count(1 + len(ask.world.arms), 'method')}. "
            f"{_compared(ask.protocol)} "
            "Verdicts are those of the report’s headline."
        ),
        verdicts=tuple(
            Verdicts(
                VERDICT_OF.format(test), f"one method in the {TEST_WORDS[test]} test", VERDICTS,
                UNDECIDED, right_verdict, f"power_{test}_verdict",
            )
            for test in tests
        ),
    )  # fmt: skip


def _compared(protocol: Simulatability) -> str:
    """Return what is compared in each test, and which test comes first."""
    design = protocol.design
    changes = [test for test in design.tests if test == FORWARD and design.forward_is_first]
    others = [test for test in design.tests if test not in changes]
    parts = [
        f"{what} in the {listed([TEST_WORDS[test] for test in of])} test"
        for what, of in (("Change", changes), ("accuracy after explanations", others))
        if of
    ]
    return f"Compared are {listed(parts)}. {FIRST_WORDS[design.first_test]}"


def _check(ask: StudyAsk) -> None:
    for gain in (Difference(0.0), *ask.grid.effects):
        after = ask.world.pre + ask.world.practice + gain.value
        if not 0 < after < 1:
            raise UserError(
                f"--effect {gain.value:g}: accuracy after explanations would be {after:g}; it "
                "must lie between 0 and 1"
            )


def _method(world: SimulationWorld) -> str:
    return (
        f"Participants were assigned in turn to {count(2 + len(world.arms), 'arm')} of one domain. "
        "Everybody predicted the same items of each test, before and "
        f"after explanations. Before explanations, {percent(world.pre)} of the predictions "
        "were right, averaged over participants and items. Practice added "
        f"{points(world.practice)} points in every arm, and explanations added the effect in "
        f"one arm. {percent(world.carry_over)} of it were there before the explanations of the "
        "second test. "
        "Standard deviations (log odds) were "
        f"{world.sd_participant[0]:g} and, for phase, {world.sd_participant[1]:g} between "
        f"participants, {world.sd_item[0]:g} and {world.sd_item[1]:g} between items, "
        f"{world.sd_pair:g} between a participant’s own views of items, and "
        f"{world.sd_method:g} between items in what a method’s explanations do."
    )


def _assumptions(counts: Counts) -> list[str]:
    arms = 2 + len(counts.asked.world.arms)
    people = [
        f"{grouped(n)} participants are {n / arms:.3g} per arm" for n in counts.asked.participants
    ]
    return [
        "The number of participants is for all arms of a domain together; the number of items is "
        f"for each test: {listed(people)}.",
        _carried(counts),
        "How much participants and items differ is an assumption: take it from a pilot’s report "
        "(--sd-participant, --sd-item, --sd-pair, --sd-method).",
    ]


def _carried(counts: Counts) -> str:
    """Return in how many studies of each size the full model could be fitted."""
    arms, shares = 2 + len(counts.asked.world.arms), []
    for size in counts.asked.participants:
        of_size = [row for row in counts.models if row.participants == size]
        whole = sum(row.studies for row in of_size if row.as_asked)
        share = whole / max(1, sum(row.studies for row in of_size))
        shares.append(f"{percent(share)} with {size / arms:.3g} participants per arm")
    return (
        "The full model, with all slopes and correlations, could be fitted "
        f"in {listed(shares)}. In the other studies a term was left out by the stated rules "
        "(column As asked)."
    )
