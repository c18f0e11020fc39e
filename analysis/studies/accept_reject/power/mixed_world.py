"""Answers drawn from the preregistered model itself, at stated effects and variances."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import expit

from analysis.power.averaging import averaging_logit

Array = np.ndarray

# intercept, explained, solver, explained × solver; factors ±½
_CODES = {
    (solver, explained): np.array([1.0, e, s, e * s])
    for solver, s in (("S", 0.5), ("E", -0.5))
    for explained, e in ((False, -0.5), (True, 0.5))
}


@dataclass(frozen=True, slots=True)
class MixedWorld:
    """People and items whose log odds vary normally.

    Attributes
    ----------
    baseline
        Probability that an acceptance comes in time without an explanation, averaged over
        people and items; the same for S and E.
    sd_participant, sd_item
        Standard deviations between participants and between items, log odds: intercept,
        explained, solver, explained × solver, with factors coded ±½.
    """

    baseline: float = 0.35
    sd_participant: tuple[float, float, float, float] = (0.6, 0.4, 0.2, 0.2)
    sd_item: tuple[float, float, float, float] = (1.0, 0.4, 0.3, 0.3)

    def coefficients(self, effect: float, effect_expert: float) -> Array:
        """Return the fixed effects (4,) that give the wanted averaged probabilities.

        Random effects are integrated out by Gauss-Hermite quadrature.
        """
        wanted = {
            ("S", False): self.baseline,
            ("S", True): self.baseline + effect,
            ("E", False): self.baseline,
            ("E", True): self.baseline + effect_expert,
        }
        cells = list(wanted)
        logits = np.array([averaging_logit(wanted[cell], self.spread(cell)) for cell in cells])
        return np.linalg.solve(np.array([_CODES[cell] for cell in cells]), logits)

    def spread(self, cell: tuple[str, bool]) -> float:
        """Return the standard deviation of the log odds in a cell."""
        variances = np.square(self.sd_participant) + np.square(self.sd_item)
        return float(np.sqrt(_CODES[cell] ** 2 @ variances))

    def answer(
        self, trials: pd.DataFrame, effect: float, effect_expert: float, rng: np.random.Generator
    ) -> Array:
        """Return whether each trial was accepted in time, (n,) bool."""
        codes = np.column_stack([np.ones(len(trials)), *np.zeros((3, len(trials)))])
        codes[:, 1] = np.where(trials["explained"], 0.5, -0.5)
        codes[:, 2] = np.where(trials["solver"] == "S", 0.5, -0.5)
        codes[:, 3] = codes[:, 1] * codes[:, 2]
        people, items = trials["participant"].to_numpy(), trials["item"].to_numpy()
        own = rng.standard_normal((people.max() + 1, 4)) * self.sd_participant
        of_item = rng.standard_normal((items.max() + 1, 4)) * self.sd_item
        effects = self.coefficients(effect, effect_expert) + own[people] + of_item[items]
        return rng.random(len(trials)) < expit((codes * effects).sum(axis=1))
