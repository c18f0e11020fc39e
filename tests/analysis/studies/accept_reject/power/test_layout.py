import numpy as np
import pytest

from analysis.studies.accept_reject.simulated_worlds import lay_out

BOTH = ("without_first", "with_first")


def laid(participants, items, seed=1, orders=BOTH):
    return lay_out(np.random.default_rng(seed), participants, items, orders)


def test_every_item_comes_equally_often_in_each_combination_and_order():
    trials = laid(16, 12)
    counts = trials.groupby(["item", "solver", "explained", "order"]).size()
    assert len(counts) == 12 * 8
    assert (counts == 2).all()


def test_the_run_is_where_the_order_puts_it():
    trials = laid(8, 8)
    first = trials["explained"] == (trials["order"] == "with_first")
    assert (trials["run"] == np.where(first, 1, 2)).all()


@pytest.mark.parametrize("order", BOTH)
def test_a_fixed_order_is_kept(order):
    assert set(laid(9, 4, orders=(order,))["order"]) == {order}
