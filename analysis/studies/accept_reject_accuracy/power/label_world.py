"""Simulated judgements of labels: some labels are wrong, and leads mostly see which."""

import numpy as np
import pandas as pd
from scipy.special import expit

from analysis.power.averaging import averaging_logit
from analysis.studies.accept_reject_accuracy.power.asked import LabelWorld

Array = np.ndarray

DATA_SET, OTHER = "a", "b"
"""The data set's label of an image, and another one."""


def simulate_judgements(
    world: LabelWorld, participants: int, items: int, difference: float, rng: np.random.Generator
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a simulated study: its trials and its item table.

    Each lead judges each image once, half of them with S's label and half with the data
    set's; over two lists each image comes with both.
    """
    system_errs, data_set_errs = _errors(world, items, difference, rng)
    person = np.repeat(np.arange(participants), items)
    item = np.tile(np.arange(items), participants)
    of_system = (rng.permutation(items)[item] + person) % 2 == 0
    differs = system_errs | data_set_errs
    wrong = np.where(of_system, system_errs[item], data_set_errs[item])
    logits = _logits(world, wrong)
    logits += rng.normal(0, world.sd_participant, participants)[person]
    logits += rng.normal(0, world.sd_item, items)[item]
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
    world: LabelWorld, items: int, difference: float, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Return on which images S errs and on which the data set does, never on the same."""
    place = rng.random(items)
    return place >= 1 - world.system_errors(difference), place < world.label_errors


def _logits(world: LabelWorld, wrong: Array) -> Array:
    spread = float(np.hypot(world.sd_participant, world.sd_item))
    right_logit, wrong_logit = (
        averaging_logit(wanted, spread) for wanted in (world.accept_right, world.accept_wrong)
    )
    return np.where(wrong, wrong_logit, right_logit)
