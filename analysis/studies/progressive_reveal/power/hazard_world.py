"""Rounds drawn from the discrete-time model itself, at stated effects and variances."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import expit

from analysis.power.averaging import FARTHEST_LOGIT, averaged, spread_out
from analysis.studies.progressive_reveal.power.effect import Sooner
from analysis.studies.progressive_reveal.trials import RoundTable

Array = np.ndarray

PEAK = 0.4
"""The hazard is highest after this part of the steps: published recognition lies mostly between
the 4th and the 9th of 15 (Dawoud et al. 2023, section IV-B)."""


@dataclass(frozen=True)
class HazardWorld:
    """People and images whose log odds of recognition at a step vary normally.

    Attributes
    ----------
    methods
        The methods, the reference first, then the one that differs; the others are like the
        reference.
    steps
        Of a round.
    recognised
        Share that the reference has recognised by the last step, averaged over people and images.
    sd_participant, sd_item
        Standard deviations between participants and between images, log odds: of the intercept,
        and of each method's own effect.
    limit
        Up to where restricted means are taken, as in the protocol.
    """

    methods: tuple[str, ...]
    steps: int = 15
    recognised: float = 0.81
    sd_participant: tuple[float, float] = (0.4, 0.2)
    sd_item: tuple[float, float] = (0.8, 0.3)
    limit: str = "smallest_final_count"

    @cached_property
    def base(self) -> Array:
        """Log odds of recognition at each step by the reference, (steps,)."""
        at = np.arange(1, self.steps + 1) / self.steps
        shape = np.log(at / PEAK) - at / PEAK  # rises up to the peak, then falls

        def miss(level: float) -> float:
            return self._averaged(level + shape)[-1] - self.recognised

        return shape + brentq(miss, -FARTHEST_LOGIT, FARTHEST_LOGIT, xtol=1e-12)

    def effect(self, odds_ratio: float) -> Sooner:
        """Return what an odds ratio adds, random effects integrated out."""
        before, after = self._averaged(self.base), self._averaged(self.base + np.log(odds_ratio))
        return Sooner(
            odds_ratio,
            float(after[-1] - before[-1]) if odds_ratio != 1 else 0.0,
            float(before[:-1].sum() - after[:-1].sum()) if odds_ratio != 1 else 0.0,
        )

    def study(
        self, rng: np.random.Generator, participants: int, items: int, rounds: int, effect: Sooner
    ) -> RoundTable:
        """Return the rounds of a simulated study.

        Everyone sees as many images, each once; methods rotate over images from list to list.
        """
        people, images, methods = self._layout(rng, participants, items, rounds)
        fixed = np.zeros(len(self.methods))
        fixed[1] = np.log(effect.odds_ratio)
        level = fixed[methods]
        for units, count, sds in (
            (people, participants, self.sd_participant),
            (images, items, self.sd_item),
        ):
            own = rng.normal(size=(count, 1 + len(self.methods))) * [
                sds[0], *[sds[1]] * len(self.methods)
            ]  # fmt: skip
            level = level + own[units, 0] + own[units, 1 + methods]
        hazard = expit(self.base + level[:, None])
        hit = rng.random(hazard.shape) < hazard
        recognised = hit.any(axis=1)
        step = np.where(recognised, hit.argmax(axis=1) + 1, self.steps)
        return self._table(people, images, methods, recognised, step)

    def _layout(
        self, rng: np.random.Generator, participants: int, items: int, rounds: int
    ) -> tuple[Array, Array, Array]:
        """Return person, image and method of each round."""
        place, count = rng.permutation(items), len(self.methods)
        lists = np.concatenate([rng.permutation(count) for _ in range(-(-participants // count))])
        seen = [rng.permutation(items)[: min(rounds, items)] for _ in range(participants)]
        people = np.repeat(np.arange(participants), min(rounds, items))
        images = np.concatenate(seen)
        return people, images, (place[images] + lists[people]) % count

    def _table(
        self, people: Array, images: Array, methods: Array, recognised: Array, step: Array
    ) -> RoundTable:
        width = len(str(images.max()))
        names = [f"i{number:0{width}d}" for number in range(images.max() + 1)]
        share = step / self.steps
        frame = pd.DataFrame(
            {
                "participant": [f"p{number:05d}" for number in people],
                "item": np.array(names)[images],
                "method": np.array(self.methods)[methods],
                "recognised": recognised,
                "left": False,
                "step": step,
                "share": share,
                "pixels": share,
                "image_pixels": 1.0,
            }
        )
        steps = np.arange(1, self.steps + 1) / self.steps
        amounts = np.broadcast_to(steps, (len(names), len(self.methods), self.steps))
        return RoundTable(
            frame, self.methods, self.methods[0], self.steps, amounts, tuple(names), "simulated",
            (), self.limit,
        )  # fmt: skip

    def _averaged(self, logits: Array) -> Array:
        """Return recognition by the end of each step (steps,), averaged over people and images."""
        spread = float(np.linalg.norm([*self.sd_participant, *self.sd_item]))
        return 1 - averaged(np.cumprod(1 - spread_out(logits, spread), axis=0))
