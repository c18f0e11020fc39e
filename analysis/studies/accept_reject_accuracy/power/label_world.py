"""Simulated judgements of labels: some labels are wrong, and leads mostly see which."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import expit

from analysis.power.averaging import averaging_logit

Array = np.ndarray

DATA_SET, OTHER = "a", "b"
"""The data set's label of an image, and another one."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The effect that a simulation takes as true: p_S − p_E."""

    value: float

    @property
    def name(self) -> str:
        """The effect in a run's key."""
        return f"d{self.value:g}"

    def columns(self) -> dict[str, float]:
        """Return the effect as it stands in the table of results."""
        return {"effect": self.value}


@dataclass(frozen=True, slots=True)
class LabelWorld:
    """How often labels are wrong, and how leads judge right and wrong ones.

    Attributes
    ----------
    accept_right, accept_wrong
        Probability that a lead accepts a right label, and a wrong one, averaged over leads and
        images.
    label_errors
        Share of images whose label in the data set is wrong; S's is right there. On other images
        S errs as often as the wanted difference asks.
    sd_participant, sd_item
        Standard deviations of leads' and images' readiness to be accepted, log odds.
    """

    accept_right: float = 0.95
    accept_wrong: float = 0.15
    label_errors: float = 0.02
    sd_participant: float = 0.7
    sd_item: float = 1.0

    @property
    def contrast(self) -> float:
        """How much more often a right label is accepted."""
        return self.accept_right - self.accept_wrong

    def system_errors(self, difference: float) -> float:
        """Return the share of images on which S errs, so that p_S − p_E is as wanted.

        It may leave the range from 0 to 1 − `label_errors`: then no S makes this difference.
        """
        return self.label_errors - difference / self.contrast

    def study(
        self, participants: int, items: int, difference: float, rng: np.random.Generator
    ) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return a simulated study: its trials and its item table.

        Each lead judges each image once, half of them with S's label and half with the data
        set's; over two lists each image comes with both.
        """
        system_errs, data_set_errs = self._errors(items, difference, rng)
        person = np.repeat(np.arange(participants), items)
        item = np.tile(np.arange(items), participants)
        of_system = (rng.permutation(items)[item] + person) % 2 == 0
        differs = system_errs | data_set_errs
        wrong = np.where(of_system, system_errs[item], data_set_errs[item])
        logits = self._logits(wrong)
        logits += rng.normal(0, self.sd_participant, participants)[person]
        logits += rng.normal(0, self.sd_item, items)[item]
        accepts = rng.random(len(item)) < expit(logits)
        trials = pd.DataFrame(
            {
                "participant": person.astype(str),
                "item": item.astype(str),
                "solver": np.where(of_system, "S", "E"),
                "explained": False,
                "true_label": DATA_SET,
                "shown_label": np.where(of_system & differs[item], OTHER, DATA_SET),
                "decision": np.where(accepts, "accept", "reject"),
                "rt_s": 1.0,
            }
        )
        table = pd.DataFrame(
            {
                "item": np.arange(items).astype(str),
                "true_label": DATA_SET,
                "model_label": np.where(differs, OTHER, DATA_SET),
            }
        )
        return trials, table

    def _errors(
        self, items: int, difference: float, rng: np.random.Generator
    ) -> tuple[Array, Array]:
        """Return on which images S errs and on which the data set does, never on the same."""
        place = rng.random(items)
        return place >= 1 - self.system_errors(difference), place < self.label_errors

    def _logits(self, wrong: Array) -> Array:
        spread = float(np.hypot(self.sd_participant, self.sd_item))
        right_logit, wrong_logit = (
            averaging_logit(wanted, spread) for wanted in (self.accept_right, self.accept_wrong)
        )
        return np.where(wrong, wrong_logit, right_logit)
