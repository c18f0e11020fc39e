"""Answers to matched controls, drawn from the probit model of harm itself."""

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri

from analysis.studies.accept_reject.power.asked import ControlWorld
from analysis.studies.accept_reject.trials import NOISE, SIGNAL
from stimuli.studies.accept_reject.protocol import AcceptReject
from stimuli.studies.accept_reject.shares import RUNS, WITH, run_slots

Array = np.ndarray


def wrong_digits(world: ControlWorld, harm: float) -> float:
    """Return by how much wrong digits are accepted more often if d′ falls by `harm`.

    The criterion stays in the middle, so that right digits are accepted less often.
    """
    return float(ndtr(_mean(world, -0.5, 0.5, harm) / _total(world, -0.5, 0.5)) - world.accepted[1])


def draw_control_answers(
    world: ControlWorld, trials: pd.DataFrame, harm: float, rng: np.random.Generator
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
    own = rng.standard_normal((people.max() + 1, 4)) * world.sd_participant
    of_item = rng.standard_normal((items.max() + 1, 4)) * world.sd_item
    level = _mean(world, signal, explained, harm) + (codes * (own[people] + of_item[items])).sum(1)
    return rng.random(len(trials)) < ndtr(level)


def _mean(
    world: ControlWorld, signal: Array | float, explained: Array | float, harm: float
) -> Array:
    """Return the mean on the probit scale of trials with these codes."""
    right, wrong = (
        ndtri(np.array(share)) * _total(world, code, -0.5)
        for share, code in zip(world.accepted, (0.5, -0.5), strict=True)
    )
    d_prime = right - wrong - harm * (np.asarray(explained) + 0.5)
    return (right + wrong) / 2 + signal * d_prime


def _total(world: ControlWorld, signal: float, explained: float) -> float:
    """Return the standard deviation over leads, plates and the observer's noise."""
    codes = np.array([1.0, explained, signal, signal * explained])
    return float(
        np.sqrt(1 + codes**2 @ (np.square(world.sd_participant) + np.square(world.sd_item)))
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
    found = people.merge(pd.concat(slots), on="list", how="inner")
    first = (found["order"] == "with_first") == found["explained"]
    return found.assign(solver="control", run=np.where(first, 1, 2))


def _slots(protocol: AcceptReject, number: int) -> pd.DataFrame:
    slots = [
        (slot.control_kind, run == WITH)
        for run in RUNS
        for slot in run_slots(protocol, run, number)
        if slot.control_kind in (SIGNAL, NOISE)
    ]
    own = pd.DataFrame(slots, columns=["control_kind", "explained"])
    step = number * len(own) // protocol.solutions.lists
    return own.assign(item=(np.arange(len(own)) + step) % max(1, len(own)))
