"""Controls: the shares and the fall of d′ that are asked, as many as in the protocol's lists."""

from collections import Counter

import numpy as np
import pytest

from analysis.studies.accept_reject.power import PlateWorld
from analysis.studies.accept_reject.simulated_worlds import (
    draw_control_answers,
    lay_out,
    lay_out_controls,
    wrong_digits,
)
from stimuli.protocol import load_protocol
from stimuli.studies.accept_reject.shares import RUNS, run_slots

ORDERS = ("without_first", "with_first")


def controls_of(people):
    trials = lay_out(np.random.default_rng(1), people, 8, ORDERS)
    return lay_out_controls(trials, load_protocol("accept_reject"))


def rates_of(world, harm, people):
    trials = controls_of(people)
    accepted = draw_control_answers(world, trials, harm, np.random.default_rng(2))
    kinds = trials["control_kind"].str.removesuffix("_digit")
    return trials.assign(accepted=accepted).groupby([kinds, "explained"])["accepted"].mean()


def test_every_lead_has_the_matched_controls_of_a_list_of_the_protocol():
    protocol, trials = load_protocol("accept_reject"), controls_of(8)
    lists = [
        Counter(
            (slot.control_kind, run == 2)
            for run in RUNS
            for slot in run_slots(protocol, run, number)
            if slot.control_kind in ("right_digit", "wrong_digit")
        )
        for number in range(4)
    ]
    for _, own in trials.groupby("participant"):
        assert Counter(zip(own["control_kind"], own["explained"], strict=True)) in lists
        assert not own["item"].duplicated().any()
        assert own["order"].nunique() == 1
        with_first = own["order"].iloc[0] == "with_first"
        assert ((own["run"] == 1) == (own["explained"] == with_first)).all()


def test_the_shares_that_are_asked_come_out():
    """Many leads and no variance of plates; wrong digits rise by what is said."""
    world = PlateWorld(accept_controls=(0.7, 0.2), sd_control_item=(0.0,) * 4)
    rates = rates_of(world, 0.8, 4000)
    assert rates["right", False] == pytest.approx(0.7, abs=0.01)
    assert rates["wrong", False] == pytest.approx(0.2, abs=0.01)
    assert rates["wrong", True] - 0.2 == pytest.approx(wrong_digits(world, 0.8), abs=0.01)
    assert wrong_digits(PlateWorld(), 0.0) == pytest.approx(0.0, abs=1e-12)
