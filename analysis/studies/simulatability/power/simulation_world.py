"""Simulated predictions: people and items whose log odds vary, with practice and explanations."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import pandas as pd
from scipy.special import expit

from analysis.power.averaging import averaging_logit
from stimuli.studies.simulatability.protocol import NO_EXPLANATION

Array = np.ndarray

TESTS: Final = ("forward", "counterfactual")
HELPED: Final = "helped"
"""The arm whose explanations help, in a simulation of power."""


@dataclass(frozen=True, slots=True)
class Gain:
    """What an arm's explanations add to Change, as a difference of probabilities (0.1: 10 points).

    The probabilities are averaged over people and items.
    """

    change: float

    @property
    def name(self) -> str:
        """The effect in a run's key."""
        return f"c{self.change:g}"

    def columns(self) -> dict[str, float]:
        """Return the effect as it stands in the table of results."""
        return {"change": self.change}


@dataclass(frozen=True, slots=True)
class SimulationWorld:
    """How well people predict a model, and how much people and items differ.

    Attributes
    ----------
    pre
        Probability of a right prediction before explanations, averaged over people and items.
    practice
        What doing it again adds, in every arm.
    sd_participant, sd_item
        Standard deviations (log odds) between people and between items: intercept; and phase,
        which is coded ±½.
    sd_pair
        Of a person's own view of an item, the same in both phases.
    arms
        What each arm's explanations add, by method.
    """

    pre: float = 0.66
    practice: float = 0.03
    sd_participant: tuple[float, float] = (0.5, 0.3)
    sd_item: tuple[float, float] = (0.8, 0.3)
    sd_pair: float = 0.5
    arms: Mapping[str, Gain] = field(default_factory=dict)

    @property
    def methods(self) -> tuple[str, ...]:
        """The arms, the one without explanations first."""
        return (NO_EXPLANATION, *self.arms)

    @property
    def spread(self) -> float:
        """Standard deviation of the log odds of a phase, over people and items."""
        own = [*self.sd_participant, *self.sd_item]
        variance = own[0] ** 2 + own[2] ** 2 + (own[1] ** 2 + own[3] ** 2) / 4 + self.sd_pair**2
        return float(np.sqrt(variance))

    def study(
        self, participants: int, items: int, rng: np.random.Generator, domain: str = "tabular"
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
        people = rng.standard_normal((participants, 2)) * self.sd_participant
        of_item = rng.standard_normal((2 * items, 2)) * self.sd_item
        pair = rng.standard_normal((participants, 2 * items)) * self.sd_pair
        arm = np.arange(participants) % len(self.methods)
        base, codes = self._logits()[arm], np.array([-0.5, 0.5])
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
                "method": np.array(self.methods, object)[arm][person],
                "correct": correct.ravel(),
            }
        )

    def _logits(self) -> Array:
        """Return the mean log odds, (arms, 2): before and after."""
        gains = [0.0, *(gain.change for gain in self.arms.values())]
        before = averaging_logit(self.pre, self.spread)
        return np.array(
            [
                [before, averaging_logit(self.pre + self.practice + gain, self.spread)]
                for gain in gains
            ]
        )
