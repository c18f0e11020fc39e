"""Simulated teams: people and images whose log odds of being right vary, with several arms."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import pandas as pd
from scipy.special import expit

from analysis.power.averaging import averaging_logit

Array = np.ndarray

REFERENCE, HELPED = "confidence", "help"
_SIGNS: Final = np.array([[1.0, -0.5], [1.0, 0.5]])
"""Intercept and ai_correct (±½), where the AI is wrong and where it is right."""


@dataclass(frozen=True, slots=True)
class Shift:
    """What an arm's help changes, as differences of probabilities averaged over people and images.

    Attributes
    ----------
    over_reliance
        Rise of the share of wrong labels that are accepted.
    under_reliance
        Rise of the share of right labels that are rejected.
    """

    over_reliance: float
    under_reliance: float = 0.0

    @property
    def name(self) -> str:
        """The effect in a run's key."""
        return f"o{self.over_reliance:g}u{self.under_reliance:g}"

    def columns(self) -> dict[str, float]:
        """Return the effect as it stands in the table of results."""
        return {"over_reliance": self.over_reliance, "under_reliance": self.under_reliance}

    def accuracy(self, mix: float) -> float:
        """Return the difference in right answers, where a share `mix` of the labels is right."""
        return -(1 - mix) * self.over_reliance - mix * self.under_reliance


@dataclass(frozen=True, slots=True)
class TeamWorld:
    """How well people judge an AI's labels, and how much people and images differ.

    Attributes
    ----------
    over_reliance, under_reliance
        In the reference arm, averaged over people and images.
    ai_right
        Share of images on which the AI is right.
    sd_participant
        Standard deviations between participants, log odds of being right: intercept, ai_correct
        (coded ±½).
    sd_item, sd_item_method
        Between images; and of what an arm's help changes from image to image.
    """

    over_reliance: float = 0.40
    under_reliance: float = 0.15
    ai_right: float = 1 / 3
    sd_participant: tuple[float, float] = (0.4, 0.8)
    sd_item: float = 1.0
    sd_item_method: float = 0.4
    arms: Mapping[str, Shift] = field(default_factory=dict)

    @property
    def methods(self) -> tuple[str, ...]:
        """The arms, the reference first."""
        return (REFERENCE, *self.arms)

    def study(
        self, participants: int, trials: int, sheets: int, rng: np.random.Generator
    ) -> pd.DataFrame:
        """Return the trial table of a simulated study.

        Participants are dealt to arms and sheets in turn, as the registry does it.

        Parameters
        ----------
        participants, trials
            People over all arms; images that each of them judges.
        sheets
            Sheets that share out the images: there are trials × sheets of them.
        rng
            Draws.
        """
        images = trials * sheets
        right = rng.permutation(images) < round(self.ai_right * images)
        person = np.repeat(np.arange(participants), trials)
        arm = person % len(self.methods)
        sheet = (person // len(self.methods)) % sheets
        item = sheet * trials + np.tile(np.arange(trials), participants)
        own = rng.standard_normal((participants, 2)) * self.sd_participant
        of_item = rng.standard_normal(images) * self.sd_item
        by_arm = rng.standard_normal((images, len(self.methods))) * self.sd_item_method
        code = right[item].astype(int)
        logits = self._logits()[arm, code] + of_item[item] + by_arm[item, arm]
        logits += (own[person] * _SIGNS[code]).sum(axis=1)
        correct = rng.random(len(person)) < expit(logits)
        followed = correct == right[item]
        return pd.DataFrame(
            {
                "participant": [f"p{n}" for n in person],
                "item": [f"i{n}" for n in item],
                "method": np.array(self.methods, dtype=object)[arm],
                "ai_correct": right[item],
                "decision": np.where(followed, "yes", "no"),
            }
        )

    def _logits(self) -> Array:
        """Return the mean log odds of being right, (arms, 2): the AI is wrong, right."""
        shifts = [Shift(0.0), *self.arms.values()]
        found = [
            [
                averaging_logit(1 - self.over_reliance - shift.over_reliance, self.spread(0)),
                averaging_logit(1 - self.under_reliance - shift.under_reliance, self.spread(1)),
            ]
            for shift in shifts
        ]
        return np.array(found)

    def spread(self, right: int) -> float:
        """Return the standard deviation of the log odds where the AI is wrong (0) or right (1)."""
        variance = _SIGNS[right] ** 2 @ np.square(self.sd_participant)
        return float(np.sqrt(variance + self.sd_item**2 + self.sd_item_method**2))
