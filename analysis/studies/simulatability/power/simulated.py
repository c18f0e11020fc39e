"""One simulated study: people and items that vary, their predictions, and the analysis of them."""

import time
from dataclasses import replace
from typing import Final

import numpy as np
import pandas as pd
from scipy.special import expit
from threadpoolctl import threadpool_limits

from analysis.power.question import Outcome, fitted_formula
from analysis.power.simulated import ArmsRun, averaging_logit
from analysis.statistics.bootstrap import Resampling
from analysis.studies.simulatability.contrasts import ALPHA, HARMS, HELPS, SAME, method_effects
from analysis.studies.simulatability.model import fit_of, fitted_model
from analysis.studies.simulatability.power.asked import HELPED, Gain, SimulationWorld
from analysis.studies.simulatability.trials import read_predictions
from stimuli.studies.simulatability.protocol import NO_EXPLANATION, Simulatability

CHANGE: Final = "change"
VERDICT: Final = "verdict"
DOMAIN: Final = "tabular"

Array = np.ndarray

TESTS: Final = ("forward", "counterfactual")


Run = ArmsRun[Simulatability, SimulationWorld]


def run_study(run: Run) -> Outcome:
    """Simulate and analyse one study."""
    begun = time.perf_counter()
    with threadpool_limits(1):
        predictions = read_predictions(simulated_trials(run), run.protocol)
        fit, rules = fitted_model(predictions.domain(DOMAIN)), run.protocol
        plan = Resampling(rules.analysis.replicates, rules.analysis.seed)
        found = method_effects(predictions, {DOMAIN: fit}, rules, plan)
    run_s = time.perf_counter() - begun
    (row,) = (row for row in found.contrasts if row.method == HELPED)
    if row.estimate is None or row.p_holm is None or not np.isfinite(row.p_holm):
        return Outcome.without("Change doesn’t vary", run_s)
    tests = {CHANGE: (row.estimate / 100, bool(row.p_holm < ALPHA))}
    whole, fitted = found.by_model[DOMAIN].whole, fitted_formula(fit_of(fit))
    return Outcome(True, "", whole, fitted, tests, {VERDICT: row.verdict}, run_s)


def simulated_trials(run: Run) -> pd.DataFrame:
    """Return the trial table of one simulated study."""
    rng = np.random.Generator(np.random.PCG64(run.seed))
    world = replace(run.world, arms=run.arms(HELPED, Gain(0.0)))
    return simulate_predictions(world, run.cell.participants, run.cell.items, rng, DOMAIN)


def right_verdict(gain: Gain) -> str:
    """Return the verdict that is right for a method: the report's, of a Change known exactly."""
    if gain.change:
        return HELPS if gain.change > 0 else HARMS
    return SAME


def simulate_predictions(
    world: SimulationWorld,
    participants: int,
    items: int,
    rng: np.random.Generator,
    domain: str = "tabular",
) -> pd.DataFrame:
    """Return the trial table of a simulated study in one domain.

    Participants are dealt to arms in turn. Everybody predicts the same items in both tests.

    Parameters
    ----------
    participants, items
        People over all arms; items of each test.
    rng
        Draws.
    domain
        The kind of data.
    """
    people = rng.standard_normal((participants, 2)) * world.sd_participant
    of_item = rng.standard_normal((2 * items, 2)) * world.sd_item
    pair = rng.standard_normal((participants, 2 * items)) * world.sd_pair
    arm = np.arange(participants) % len(world.methods)
    base, codes = _logits(world)[arm], np.array([-0.5, 0.5])
    logits = base[:, None, :] + pair[:, :, None]
    logits = logits + (people[:, :1] + people[:, 1:] * codes)[:, None, :]
    logits = logits + (of_item[:, :1] + of_item[:, 1:] * codes)[None]
    if world.sd_method:
        of_method = rng.standard_normal((len(world.methods), 2 * items)) * world.sd_method
        of_method[world.methods.index(NO_EXPLANATION)] = 0.0
        logits[:, :, 1] += of_method[arm]
    correct = rng.random(logits.shape) < expit(logits)
    person, item, phase = (part.ravel() for part in np.indices(correct.shape))
    return pd.DataFrame(
        {
            "participant": np.array([f"p{n}" for n in range(participants)], object)[person],
            "item": np.array([f"i{n}" for n in range(2 * items)], object)[item],
            "domain": domain,
            "use": np.array(TESTS, object)[item // items],
            "phase": np.array(["pre", "post"], object)[phase],
            "method": np.array(world.methods, object)[arm][person],
            "correct": correct.ravel(),
        }
    )


def _logits(world: SimulationWorld) -> Array:
    """Return the mean log odds, (arms, 2): before and after."""
    gains = [0.0, *(gain.change for gain in world.arms.values())]
    before = averaging_logit(world.pre, world.spread)
    spreads = [world.spread, *[world.spread_explained] * len(world.arms)]
    return np.array(
        [
            [before, averaging_logit(world.pre + world.practice + gain, spread)]
            for gain, spread in zip(gains, spreads, strict=True)
        ]
    )
