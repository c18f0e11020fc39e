"""Life tables over steps: who recognised at which step, and who never did while watched.

A round is watched for so many whole steps; it ends with recognition at one of them, or
unrecognised after the last (censored there). Within one image and method all rounds come by
the same steps, so that the steps' product-limit estimate is Turnbull's.
"""

from dataclasses import dataclass

import numpy as np

Array = np.ndarray


@dataclass(frozen=True, slots=True)
class Rounds:
    """Rounds as a life table takes them.

    Attributes
    ----------
    step
        (n,) the step of recognition, from 1; else how many whole steps were seen, from 0.
    recognised
        (n,) boolean.
    steps
        How many steps a round has.
    """

    step: Array
    recognised: Array
    steps: int

    def __post_init__(self) -> None:
        if np.any((self.step < 0) | (self.step > self.steps) | (self.recognised & (self.step < 1))):
            raise ValueError(f"steps must be between 1 and {self.steps}")

    @property
    def ends(self) -> Array:
        """(n,) how each round ended: twice its step, and 1 more if it was recognised."""
        return 2 * self.step + self.recognised


def number_of_ends(steps: int) -> int:
    """Return in how many ways rounds of so many steps may end (see `Rounds.ends`)."""
    return 2 * (steps + 1)


def life_table(ended: Array) -> tuple[Array, Array]:
    """Return how many rounds were recognised at each step, and how many were at risk.

    Parameters
    ----------
    ended
        (..., ends) how many rounds ended in each way.

    Returns
    -------
    tuple
        (..., steps) each.
    """
    last = ended.reshape(*ended.shape[:-1], -1, 2)
    at_risk = np.cumsum(last.sum(axis=-1)[..., ::-1], axis=-1)[..., ::-1]
    return last[..., 1:, 1], at_risk[..., 1:]


def hazards(events: Array, at_risk: Array) -> Array:
    """Return the share recognised at each step of those at risk; 0 where nobody was.

    Parameters
    ----------
    events, at_risk
        (..., steps) weighted numbers.
    """
    return np.divide(events, at_risk, out=np.zeros(np.shape(events)), where=at_risk > 0)


def round_values(ended: Array, lengths: Array) -> Array:
    """Return what a round that ended in some way contributes to a sum over the survival curve.

    The sum is that of ``lengths[k] * S_k``, where S_k is the product-limit estimate of being
    unrecognised after step k (Kaplan & Meier 1958, J. Am. Stat. Assoc. 53), and S_0 is 1. Its
    value is the mean of what is returned over a cell's rounds. Where no round was left midway, a
    round contributes its own sum. Else it contributes the estimate and its influence on it: the
    pseudo-value of Andersen, Klein & Rosthøj (2003, Biometrika 90), by the infinitesimal
    jackknife. So means over participants and items, with their intervals, serve for life tables.

    Parameters
    ----------
    ended
        (cells, ends) how many rounds ended in each way (see `Rounds.ends`).
    lengths
        (cells, steps + 1), or (1, steps + 1) for all cells alike.

    Returns
    -------
    ndarray
        (cells, ends)
    """
    events, at_risk = life_table(ended)
    hazard = hazards(events, at_risk)
    steps = hazard.shape[-1]
    last, recognised = np.divmod(np.arange(number_of_ends(steps)), 2)
    rounds = ended.sum(axis=-1, keepdims=True)
    survival, influence = np.ones((len(ended), 1)), np.zeros(np.shape(ended))
    total = lengths[:, :1] * survival + influence
    for step in range(1, steps + 1):
        own, there = hazard[:, step - 1 : step], at_risk[:, step - 1 : step]
        surplus = rounds * ((last == step) * recognised - (last >= step) * own)
        pull = np.divide(surplus, there, out=np.zeros(surplus.shape), where=there > 0)
        influence = (1 - own) * influence - survival * pull
        survival = survival * (1 - own)
        total = total + lengths[:, step : step + 1] * (survival + influence)
    return total
