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


def unrecognised(hazard: Array) -> Array:
    """Return the probability of being unrecognised after each step, (..., steps).

    The product-limit estimate (Kaplan & Meier 1958, J. Am. Stat. Assoc. 53).
    """
    return np.cumprod(1 - hazard, axis=-1)


def mean_steps(survival: Array) -> Array:
    """Return the mean number of steps begun unrecognised, at most all of them.

    The restricted mean of the step of recognition: the sum of the probabilities of being
    still unrecognised as each step begins.
    """
    return 1 + survival[..., :-1].sum(axis=-1)
