"""Simulated trials for power: who sees what, and answers drawn from the models of the analysis.

Solved plates are answered by the mixed model of usefulness, matched controls by the probit model of
harm.
"""

import itertools
from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.special import expit, ndtr, ndtri

from analysis.power.averages import averaging_logit
from analysis.studies.accept_reject.power import PlateWorld
from analysis.studies.accept_reject.trials import NOISE, SIGNAL
from stimuli.studies.accept_reject.protocol import AcceptReject
from stimuli.studies.accept_reject.shares import RUNS, WITH, run_slots

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
    assigned = np.concatenate([rng.permutation(len(cells)) for _ in range(blocks)])[:participants]
    person, item = (
        np.repeat(np.arange(participants), items),
        np.tile(np.arange(items), participants),
    )
    lists = np.array([cells[cell][0] for cell in assigned])[person]
    with_first = np.array([cells[cell][1] == "with_first" for cell in assigned])[person]
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


def coefficients(world: PlateWorld, effect: float, effect_expert: float) -> Array:
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


def spread(world: PlateWorld, cell: tuple[str, bool]) -> float:
    """Return the standard deviation of the log odds in a cell."""
    variances = np.square(world.sd_participant) + np.square(world.sd_item)
    return float(np.sqrt(_CODES[cell] ** 2 @ variances))


def draw_answers(
    world: PlateWorld,
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
    of_person = rng.standard_normal((people.max() + 1, 4)) * world.sd_participant
    of_item = rng.standard_normal((items.max() + 1, 4)) * world.sd_item
    effects = coefficients(world, effect, effect_expert) + of_person[people] + of_item[items]
    return rng.random(len(trials)) < expit((codes * effects).sum(axis=1))


def wrong_digits(world: PlateWorld, harm: float) -> float:
    """Return by how much wrong digits are accepted more often if d′ falls by `harm`.

    The criterion stays in the middle, so that right digits are accepted less often.
    """
    return float(
        ndtr(_mean(world, -0.5, 0.5, harm) / _total(world, -0.5, 0.5)) - world.accept_controls[1]
    )


def draw_control_answers(
    world: PlateWorld, trials: pd.DataFrame, harm: float, rng: np.random.Generator
) -> Array:
    """Return whether each control was accepted in time, (n,) bool.

    Parameters
    ----------
    trials
        From `lay_out_controls`.
    harm
        By how much explanations lower d′.
    rng
        Draws leads, plates and answers.
    """
    signal = np.where(trials["control_kind"] == SIGNAL, 0.5, -0.5)
    explained = np.where(trials["explained"], 0.5, -0.5)
    people, items = (pd.factorize(trials[name])[0] for name in ("participant", "item"))
    codes = np.column_stack([np.ones(len(trials)), explained, signal, signal * explained])
    of_person = rng.standard_normal((people.max() + 1, 4)) * world.sd_control_participant
    of_item = rng.standard_normal((items.max() + 1, 4)) * world.sd_control_item
    level = _mean(world, signal, explained, harm) + (
        codes * (of_person[people] + of_item[items])
    ).sum(1)
    return rng.random(len(trials)) < ndtr(level)


def _mean(world: PlateWorld, signal: Array | float, explained: Array | float, harm: float) -> Array:
    """Return the mean on the probit scale of trials with these codes."""
    right, wrong = (
        ndtri(np.array(share)) * _total(world, code, -0.5)
        for share, code in zip(world.accept_controls, (0.5, -0.5), strict=True)
    )
    d_prime = right - wrong - harm * (np.asarray(explained) + 0.5)
    return (right + wrong) / 2 + signal * d_prime


def _total(world: PlateWorld, signal: float, explained: float) -> float:
    """Return the standard deviation over leads, plates and the observer's noise."""
    codes = np.array([1.0, explained, signal, signal * explained])
    return float(
        np.sqrt(
            1
            + codes**2
            @ (np.square(world.sd_control_participant) + np.square(world.sd_control_item))
        )
    )


def lay_out_controls(trials: pd.DataFrame, protocol: AcceptReject) -> pd.DataFrame:
    """Return the matched controls that the people of a study see, without answers.

    Each run has as many as the protocol's lists, and plates rotate from list to list.

    Parameters
    ----------
    trials
        From `lay_out`: who has which list and order.
    protocol
        The study's.

    Returns
    -------
    DataFrame
        ``participant`` (as there), ``item`` (codes from 0), ``solver``, ``control_kind``,
        ``explained``, ``list``, ``order``, ``run``; one row a trial.
    """
    people = trials.drop_duplicates("participant")[["participant", "list", "order"]]
    slots = [_slots(protocol, number).assign(list=number) for number in people["list"].unique()]
    controls = people.merge(pd.concat(slots), on="list", how="inner")
    first = (controls["order"] == "with_first") == controls["explained"]
    return controls.assign(solver="control", run=np.where(first, 1, 2))


def _slots(protocol: AcceptReject, number: int) -> pd.DataFrame:
    slots = [
        (slot.control_kind, run == WITH)
        for run in RUNS
        for slot in run_slots(protocol, run, number)
        if slot.control_kind in (SIGNAL, NOISE)
    ]
    controls = pd.DataFrame(slots, columns=["control_kind", "explained"])
    step = number * len(controls) // protocol.solutions.lists
    return controls.assign(item=(np.arange(len(controls)) + step) % max(1, len(controls)))
