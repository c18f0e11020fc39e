"""Simulated predictions: people and items whose log odds vary, with practice and explanations."""

from typing import Final

import numpy as np
import pandas as pd
from scipy.special import expit

from analysis.power.averaging import averaging_logit
from analysis.studies.simulatability.power.asked import SimulationWorld

Array = np.ndarray

TESTS: Final = ("forward", "counterfactual")


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
    return np.array(
        [
            [before, averaging_logit(world.pre + world.practice + gain, world.spread)]
            for gain in gains
        ]
    )
