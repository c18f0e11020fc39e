"""Correlations of metrics with people, item by item: by hand, and where there is nothing to say."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from analysis.questions.metrics import METRIC, correlations, metric_r, metrics_question

R = metric_r("items")


def answers(right):
    """Answers of three people to each item: so many of them are right."""
    rows = [
        {"method": "lime", "item": item, "correct": float(person < count)}
        for item, count in right.items()
        for person in range(3)
    ]
    return pd.DataFrame(rows)


def metrics(values, name="fidelity"):
    return pd.DataFrame({"method": "lime", "item": list(values), name: list(values.values())})


def rows_of(right, values):
    return list(correlations(R, answers(right), metrics(values), ["fidelity"], ["method"]))


def test_the_share_of_right_answers_is_correlated_over_items():
    right = {"a": 0, "b": 1, "c": 1, "d": 3, "e": 2}
    values = {"a": 0.1, "b": 0.4, "c": 0.2, "d": 0.9, "e": None, "elsewhere": 0.3}
    (row,) = rows_of(right, values)
    assert row.of == {"method": "lime", METRIC: "fidelity"}
    shares, known = np.array([0, 1, 1, 3]) / 3, np.array([0.1, 0.4, 0.2, 0.9])
    assert row.estimate == pytest.approx(np.corrcoef(shares, known)[0, 1])
    assert row.n == 4
    # Fisher's limits: tanh(atanh(r) ± 1.96 / √(n − 3)).
    ends = np.tanh(np.arctanh(row.estimate) + np.array([-1.95996, 1.95996]))
    assert (row.ci_low, row.ci_high) == pytest.approx(tuple(ends), abs=1e-4)


@pytest.mark.parametrize(
    ("right", "values"),
    [
        ({"a": 0, "b": 1, "c": 2}, {"a": 0.1, "b": 0.2, "c": 0.3}),
        ({"a": 0, "b": 1, "c": 2, "d": 1}, dict.fromkeys("abcd", 0.5)),
        (dict.fromkeys("abcd", 1), {"a": 0.1, "b": 0.2, "c": 0.3, "d": 0.4}),
    ],
)
def test_few_items_or_equal_values_have_no_correlation(right, values):
    (row,) = rows_of(right, values)
    assert row.estimate is None


def test_an_item_that_one_person_judged_does_not_count():
    alone = answers({"a": 0, "b": 1, "c": 2, "d": 3}).drop_duplicates("item")
    assert not list(correlations(R, alone, metrics({"a": 1.0}), ["fidelity"], ["method"]))


def asked(own, **beside):
    question = metrics_question(R, lambda data: own, item="presentation", note="")
    return question.compute(SimpleNamespace(dataset=SimpleNamespace(beside=beside)))


def test_a_study_asks_it_of_every_method_that_explained_what_was_judged():
    """Two methods explain what is on the screen: an answer counts for each of them."""
    own = answers({"a": 0, "b": 1, "c": 2, "d": 3}).drop(columns="method")
    own = own.rename(columns={"item": "presentation"})
    table = pd.DataFrame(
        {
            "presentation": [*"abcd", *"abcd"],
            "method": ["lrp"] * 4 + ["rise"] * 4,
            "comprehensiveness": [0, 1, 2, 3, 3, 2, 1, 0],
            "sufficiency": 0.5,
            "infidelity": None,
        }
    )
    rows = {(row.of["method"], row.of[METRIC]): row for row in asked(own, metrics=table).estimates}
    assert rows["lrp", "comprehensiveness"].estimate == pytest.approx(1)
    assert rows["rise", "comprehensiveness"].estimate == pytest.approx(-1)
    assert rows["lrp", "sufficiency"].estimate is None
    assert rows["lrp", "infidelity"].n == 0
    assert asked(own).reason == ""
    assert "no two people" in asked(own.iloc[:1], metrics=table).reason
