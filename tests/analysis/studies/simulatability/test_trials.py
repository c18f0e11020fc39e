"""Which predictions count."""

import pandas as pd
import pytest

from analysis.studies.simulatability.words import TESTS
from tests.analysis.studies.simulatability.tables_of import predictions_of, trials_of

NAMES = ("participant", "item", "domain", "use", "phase", "method", "correct")


def table(*rows):
    return pd.DataFrame(rows, columns=NAMES).astype({"correct": "boolean"})


@pytest.fixture
def few():
    return table(
        ("a", "1", "text", "forward", "pre", "lime", True),
        ("a", "1", "text", "forward", "post", "lime", False),
        ("a", "2", "text", "forward", "pre", "lime", True),
        ("a", "3", "text", "forward", "pre", "lime", True),
        ("a", "3", "text", "forward", "post", "lime", None),
        ("b", "1", "text", "forward", "pre", "no_explanation", False),
        ("b", "1", "text", "forward", "post", "no_explanation", True),
        ("b", "9", "text", "learning", "pre", "no_explanation", None),
    )


def test_only_items_answered_in_both_phases_make_pairs(few):
    found = predictions_of(few)
    assert found.pairs[["participant", "pre", "post"]].values.tolist() == [
        ["a", 1.0, 0.0],
        ["b", 0.0, 1.0],
    ]
    assert found.methods == ("no_explanation", "lime")
    assert found.reference == "no_explanation"
    assert found.notes == (
        "2 items answered in only one phase were left out: Change takes items that the same "
        "person answered in both.",
    )


def test_what_is_missing_is_counted_by_arm(few):
    lime, nothing = predictions_of(few).missing
    assert (lime.shown, lime.unanswered, lime.single) == (5, 1, 2)
    assert (nothing.shown, nothing.unanswered, nothing.single) == (2, 0, 0)


def test_one_source_id_in_two_sets_is_two_items():
    """109 is a text of the counterfactual test and a row of the forward one."""
    rows = [
        ("a", "109", domain, use, phase, "lime", True)
        for domain, use in (("text", "counterfactual"), ("tabular", "forward"))
        for phase in ("pre", "post")
    ]
    found = predictions_of(table(*rows))
    assert found.pairs["item"].nunique() == 2
    assert found.domains == ("text", "tabular")


def test_an_item_answered_twice_counts_once(few):
    again = few.iloc[[1]].assign(correct=pd.array([True], dtype="boolean"))
    found = predictions_of(pd.concat([few, again], ignore_index=True))
    assert found.pairs["post"].tolist() == [0.0, 1.0]
    assert found.notes[0].startswith("1 row repeat")


def test_without_the_arm_there_is_no_reference():
    trials = trials_of(8, 4)
    assert predictions_of(trials[trials["method"] == "lime"]).reference is None
    assert predictions_of(trials[trials["method"] == "no_explanation"]).reference is None
    assert predictions_of(trials, reference_method="other").reference is None


def test_ratings_are_of_examples_and_of_counterfactual_items():
    trials = trials_of(4, 4).assign(rating=pd.array([4] * 64, dtype="Int64"), outcome=None)
    trials.loc[trials.index[:2], "outcome"] = "true_positive"
    found = predictions_of(trials)
    assert set(found.ratings["test"]) == {"counterfactual"}
    assert set(found.ratings["phase"]) == {"post"}


@pytest.mark.parametrize(
    ("columns", "orders", "first"),
    [
        ({}, (TESTS,), "forward"),
        ({}, (TESTS[::-1],), "counterfactual"),
        ({}, (TESTS, TESTS[::-1]), ""),
        ({"first_test": "counterfactual"}, (TESTS,), "counterfactual"),
        ({"first_test": "forward", "test_number": 2}, (TESTS,), "earlier"),
    ],
)
def test_the_order_is_the_tables_or_else_the_protocols(columns, orders, first):
    """Where it isn't known, no test is taken as the first one."""
    trials = trials_of(4, 4).drop(columns="first_test").assign(**columns)
    own = predictions_of(trials, orders=orders)
    assert set(own.pairs["first_test"]) == {first}
    assert own.first().tests == ((first,) if first in TESTS else ())
    assert len(own.first().pairs) + len(own.second().pairs) == len(own.pairs)
