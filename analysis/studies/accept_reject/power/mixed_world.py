"""Answers drawn from the preregistered model itself, at stated effects and variances."""

import numpy as np
import pandas as pd
from scipy.special import expit

from analysis.power.averaging import averaging_logit
from analysis.studies.accept_reject.power.asked import MixedWorld

Array = np.ndarray

# intercept, explained, solver, explained × solver; factors ±½
_CODES = {
    (solver, explained): np.array([1.0, e, s, e * s])
    for solver, s in (("S", 0.5), ("E", -0.5))
    for explained, e in ((False, -0.5), (True, 0.5))
}


def coefficients(world: MixedWorld, effect: float, effect_expert: float) -> Array:
    """Return the fixed effects (4,) that give the wanted averaged probabilities.

    Random effects are integrated out by Gauss-Hermite quadrature.
    """
    wanted = {
        ("S", False): world.baseline,
        ("S", True): world.baseline + effect,
        ("E", False): world.baseline,
        ("E", True): world.baseline + effect_expert,
    }
    cells = list(wanted)
    logits = np.array([averaging_logit(wanted[cell], spread(world, cell)) for cell in cells])
    return np.linalg.solve(np.array([_CODES[cell] for cell in cells]), logits)


def spread(world: MixedWorld, cell: tuple[str, bool]) -> float:
    """Return the standard deviation of the log odds in a cell."""
    variances = np.square(world.sd_participant) + np.square(world.sd_item)
    return float(np.sqrt(_CODES[cell] ** 2 @ variances))


def draw_answers(
    world: MixedWorld,
    trials: pd.DataFrame,
    effect: float,
    effect_expert: float,
    rng: np.random.Generator,
) -> Array:
    """Return whether each trial was accepted in time, (n,) bool."""
    codes = np.column_stack([np.ones(len(trials)), *np.zeros((3, len(trials)))])
    codes[:, 1] = np.where(trials["explained"], 0.5, -0.5)
    codes[:, 2] = np.where(trials["solver"] == "S", 0.5, -0.5)
    codes[:, 3] = codes[:, 1] * codes[:, 2]
    people, items = trials["participant"].to_numpy(), trials["item"].to_numpy()
    own = rng.standard_normal((people.max() + 1, 4)) * world.sd_participant
    of_item = rng.standard_normal((items.max() + 1, 4)) * world.sd_item
    effects = coefficients(world, effect, effect_expert) + own[people] + of_item[items]
    return rng.random(len(trials)) < expit((codes * effects).sum(axis=1))
