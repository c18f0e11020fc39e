"""Explanation methods compared, between leads and within them."""

import pandas as pd
import pytest

from analysis.studies.accept_reject.quantities import ACCEPTED
from analysis.studies.accept_reject.questions.explainers import (
    DIFFERENCE,
    EXPLAINERS,
    METHOD_GAIN,
    compare_explainers,
)
from tests.analysis.studies.accept_reject.simulate_table import Truth, leads, simulate
from tests.analysis.studies.accept_reject.whole import alone, judged, results_of


def methods_of(table):
    return compare_explainers(judged(table))


def two_methods(better=0.9, worse=0.35):
    """Return the study repeated with another method: other leads, other plates."""
    first, second = (
        simulate(["lead"] * 10, seed=seed, per_solver=16, scale=0.2, truth=Truth(with_s=gain))
        for seed, gain in ((1, better), (2, worse))
    )
    second = second.assign(
        participant="Q" + second["participant"].str[1:],
        item=second["item"] + "-b",
        method=second["method"].replace("occlusion", "lrp"),
    )
    return pd.concat([first, second], ignore_index=True)


def test_the_better_method_is_found_between_leads():
    answer = methods_of(two_methods())
    assert answer.design == "between"
    assert answer.levels("method", METHOD_GAIN) == ("lrp", "occlusion")
    (pair,) = answer.rows(DIFFERENCE)
    assert pair.estimate < pair.ci_high < 0
    assert pair.p_adjusted < 0.05


def test_a_methods_usefulness_is_with_less_without_by_its_own_leads():
    """Straight from the definition."""
    table = two_methods()
    for row in methods_of(table).rows(METHOD_GAIN):
        seen = table["method"] == row.of["method"]
        own = table[(table["solver"] == "S")
                    & table["participant"].isin(table.loc[seen, "participant"])]  # fmt: skip
        in_time = (own["decision"] == "accept") & (own["rt_s"] <= 3.0)
        gain = in_time[own["explained"]].mean() - in_time[~own["explained"]].mean()
        assert row.estimate == pytest.approx(gain)


def test_within_leads_the_part_without_explanation_falls_out():
    table = leads(10, per_solver=16)
    place = table["item"].str[-4:].astype(int) % 2 == 0
    solved = (table["solver"] == "S") & table["explained"]
    table = table.assign(method=table["method"].mask(place & solved, "lrp"))
    answer = methods_of(table)
    first, second = (row.estimate for row in answer.rows(ACCEPTED, explanation="with"))
    assert answer.design == "within"
    assert answer.row(DIFFERENCE).estimate == pytest.approx(first - second)


def test_three_methods_are_adjusted_together():
    table = two_methods()
    third = two_methods()
    third = third[third["participant"].str.startswith("Q")]
    third = third.assign(
        method=third["method"].replace("lrp", "gradcam"),
        participant="R" + third["participant"].str[1:],
    )
    pairs = methods_of(pd.concat([table, third], ignore_index=True)).rows(DIFFERENCE)
    assert len(pairs) == 3
    assert all(row.p_adjusted >= row.p for row in pairs)


def test_the_page_compares_methods():
    report = alone(EXPLAINERS).build(results_of(two_methods(), only=[EXPLAINERS]))
    (section,) = (part for part in report.sections if part.title == "Explanation methods")
    assert len(section.parts) == 4
