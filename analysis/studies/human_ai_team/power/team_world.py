"""Simulated teams: people and images whose log odds of being right vary, with several arms."""

from typing import Final

import numpy as np
import pandas as pd
from scipy.special import expit

from analysis.power.averaging import averaging_logit
from analysis.studies.human_ai_team.power.asked import Shift, TeamWorld

Array = np.ndarray

_SIGNS: Final = np.array([[1.0, -0.5], [1.0, 0.5]])
"""Intercept and ai_correct (±½), where the AI is wrong and where it is right."""


def simulate_trials(
    world: TeamWorld, participants: int, trials: int, sheets: int, rng: np.random.Generator
) -> pd.DataFrame:
    """Return the trial table of a simulated study.

    Participants are dealt to arms and sheets in turn, as the registry does it.

    Parameters
    ----------
    world
        Who judges what.
    participants, trials
        People over all arms; images that each of them judges.
    sheets
        Sheets that share out the images: there are trials × sheets of them.
    rng
        Draws.
    """
    images = trials * sheets
    right = rng.permutation(images) < round(world.ai_right * images)
    person = np.repeat(np.arange(participants), trials)
    arm = person % len(world.methods)
    sheet = (person // len(world.methods)) % sheets
    item = sheet * trials + np.tile(np.arange(trials), participants)
    own = rng.standard_normal((participants, 2)) * world.sd_participant
    of_item = rng.standard_normal(images) * world.sd_item
    by_arm = rng.standard_normal((images, len(world.methods))) * world.sd_item_method
    code = right[item].astype(int)
    logits = _logits(world)[arm, code] + of_item[item] + by_arm[item, arm]
    logits += (own[person] * _SIGNS[code]).sum(axis=1)
    correct = rng.random(len(person)) < expit(logits)
    followed = correct == right[item]
    return pd.DataFrame(
        {
            "participant": [f"p{n}" for n in person],
            "item": [f"i{n}" for n in item],
            "method": np.array(world.methods, dtype=object)[arm],
            "ai_correct": right[item],
            "decision": np.where(followed, "yes", "no"),
        }
    )


def _logits(world: TeamWorld) -> Array:
    """Return the mean log odds of being right, (arms, 2): the AI is wrong, right."""
    shifts = [Shift(0.0), *world.arms.values()]
    found = [
        [
            averaging_logit(1 - world.over_reliance - shift.over_reliance, spread(world, 0)),
            averaging_logit(1 - world.under_reliance - shift.under_reliance, spread(world, 1)),
        ]
        for shift in shifts
    ]
    return np.array(found)


def spread(world: TeamWorld, right: int) -> float:
    """Return the standard deviation of the log odds where the AI is wrong (0) or right (1)."""
    variance = _SIGNS[right] ** 2 @ np.square(world.sd_participant)
    return float(np.sqrt(variance + world.sd_item**2 + world.sd_item_method**2))
