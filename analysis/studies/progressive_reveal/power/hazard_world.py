"""Rounds drawn from the discrete-time model itself, at stated effects and variances."""

from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import expit

from analysis.power.simulated import FARTHEST_LOGIT, averaged, spread_out
from analysis.studies.progressive_reveal.power.asked import HazardWorld
from analysis.studies.progressive_reveal.trials import RoundTable

Array = np.ndarray

PEAK = 0.4
"""The hazard is highest after this part of the steps: published recognition lies mostly between
the 4th and the 9th of 15 (Dawoud et al. 2023, section IV-B)."""


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

    Everyone sees as many images, each once; methods rotate over images from list to list.
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
