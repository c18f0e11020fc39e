import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.studies.accept_reject.simulated_worlds import lay_out

BOTH = ("without_first", "with_first")


def laid(participants, items, seed=1, orders=BOTH):
    return lay_out(np.random.default_rng(seed), participants, items, orders)


@given(st.integers(1, 20), st.integers(1, 20), st.integers(0, 99))
def test_everyone_sees_every_item_once(participants, items, seed):
    trials = laid(participants, items, seed)
    assert len(trials) == participants * items
    assert not trials.duplicated(["participant", "item"]).any()


def test_every_item_comes_equally_often_in_each_combination_and_order():
    trials = laid(16, 12)
    counts = trials.groupby(["item", "solver", "explained", "order"]).size()
    assert len(counts) == 12 * 8
    assert (counts == 2).all()


def test_a_person_has_as_many_trials_of_each_combination():
    counts = laid(8, 12).groupby(["participant", "solver", "explained"]).size()
    assert (counts == 3).all()


def test_the_run_is_where_the_order_puts_it():
    trials = laid(8, 8)
    first = trials["explained"] == (trials["order"] == "with_first")
    assert (trials["run"] == np.where(first, 1, 2)).all()


@pytest.mark.parametrize("order", BOTH)
def test_a_fixed_order_is_kept(order):
    assert set(laid(9, 4, orders=(order,))["order"]) == {order}
