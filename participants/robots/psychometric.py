"""When an object is recognised while it is uncovered: a psychometric function of known shape.

A robot recognises an object at the first step at which the share of the object's own pixels that
is uncovered reaches a threshold. The threshold's logarithm is the sum of a constant, of effects of
the person, of the item and of the person with the method (all normal), and of a logistic variable
of each round; in some rounds nothing is recognised whatever is seen (a lapse). So what is expected
of any pack is known: conditional on the effects in closed form, over people by an integral over one
normal variable.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stimuli.io.canonical import seed_of

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Psychometric:
    """The chance of recognition given the share of the object that is uncovered.

    Attributes
    ----------
    threshold
        Share of the object's own pixels at which the typical person recognises the typical item
        in half of the rounds without a lapse, 0…1.
    spread
        Scale of the logistic function, in log share: small is steep.
    person_sd, item_sd, method_person_sd
        SDs of the effects on the threshold's logarithm, between people, between items, and between
        the methods for the same person.
    lapse
        Share of rounds in which nothing is recognised.
    """

    threshold: float = 0.25
    spread: float = 0.25
    person_sd: float = 0.25
    item_sd: float = 0.30
    method_person_sd: float = 0.15
    lapse: float = 0.06

    def item_effect(self, seed: int, item: str) -> float:
        """Return an item's effect, the same for everybody whom a seed makes."""
        return self.item_sd * _normal("item", seed, item)

    def people_effect(self, seed: int, participant: str, method: str) -> float:
        """Return a person's effect under a method: their own plus that with the method."""
        own = self.person_sd * _normal("person", seed, participant)
        return own + self.method_person_sd * _normal("method", seed, participant, method)

    def step_of(
        self, shares: Sequence[float], effect: float, rng: np.random.Generator
    ) -> int | None:
        """Return the first step (from 1) at which a round's object is recognised, None if never."""
        lapses, chance = rng.random() < self.lapse, rng.random()
        threshold = np.log(self.threshold) + effect + self.spread * np.log(chance / (1 - chance))
        reached = np.flatnonzero(np.asarray(shares, dtype=float) >= np.exp(threshold))
        return None if lapses or not len(reached) else int(reached[0]) + 1


def _normal(*key: str | int) -> float:
    """Return a standard normal draw that depends only on the key."""
    seed = seed_of("psychometric", *key)
    return float(np.random.Generator(np.random.PCG64(seed)).standard_normal())
