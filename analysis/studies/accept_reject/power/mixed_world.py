"""S's and E's trials of a simulated study, and answers that the mixed model itself draws."""

import itertools
from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.special import expit

from analysis.power.simulated import averaging_logit
from analysis.studies.accept_reject.power.asked import MixedWorld

SOLVERS = ("S", "E")
LISTS = 4

Array = np.ndarray

# intercept, explained, solver, explained × solver; factors ±½
_CODES = {
    (solver, explained): np.array([1.0, e, s, e * s])
    for solver, s in (("S", 0.5), ("E", -0.5))
    for explained, e in ((False, -0.5), (True, 0.5))
}


def lay_out(
    rng: np.random.Generator, participants: int, items: int, orders: Sequence[str]
) -> pd.DataFrame:
    """Return the solved trials of a study, without answers.

    As the builder balances packs: everyone sees every item once; the four combinations of
    solver and run rotate over the items from list to list, so that four lists show each
    item once in each. Lists and orders are given out in blocks that hold each pair of them once.

    Parameters
    ----------
    rng
        Which items go together, and who gets which list.
    participants, items
        How many.
    orders
        Which run comes first: ``without_first``, ``with_first`` or both.

    Returns
    -------
    DataFrame
        ``participant`` and ``item`` (codes from 0), ``solver``, ``explained``, ``list``,
        ``order``, ``run``; one row for each trial.
    """
    place = rng.permutation(items)
    cells = list(itertools.product(range(LISTS), orders))
    blocks = -(-participants // len(cells))
    given = np.concatenate([rng.permutation(len(cells)) for _ in range(blocks)])[:participants]
    person, item = (
        np.repeat(np.arange(participants), items),
        np.tile(np.arange(items), participants),
    )
    lists = np.array([cells[cell][0] for cell in given])[person]
    with_first = np.array([cells[cell][1] == "with_first" for cell in given])[person]
    combination = (place[item] + lists) % LISTS
    explained = combination >= 2
    return pd.DataFrame(
        {
            "participant": person,
            "item": item,
            "solver": np.where(combination % 2 == 0, *SOLVERS),
            "explained": explained,
            "list": lists,
            "order": np.where(with_first, "with_first", "without_first"),
            "run": np.where(explained == with_first, 1, 2),
        }
    )


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
