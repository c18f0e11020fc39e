"""Every odd dataset becomes a whole page, whose numbers all stand in the results."""

import itertools
from contextlib import nullcontext
from functools import cache

import pytest

from analysis.report.parts import Picture, Table
from analysis.report.writer import render
from analysis.studies.accept_reject.inquiry import ACCEPT_REJECT
from analysis.studies.accept_reject.quantities import GAIN, LEADS
from tests.analysis.asking import without_models
from tests.analysis.report.page import text_of, unknown_numbers
from tests.analysis.studies.accept_reject.large_table import large_table
from tests.analysis.studies.accept_reject.odd_tables import ODD_TABLES
from tests.analysis.studies.accept_reject.whole import estimate, estimates, rate, results_of


@cache
def results_in(case):
    """Return the results of an odd table; without models where these aren't what is odd."""
    with without_models() if case in ("a crowd", "everyone excluded by rule") else nullcontext():
        return results_of(ODD_TABLES[case]().reset_index(drop=True), analysis={"replicates": 60})


ELSEWHERE = {
    "one participant", "two participants", "one item", "no accepted trial", "all answers equal",
    "complete separation", "no trial with explanation", "no trial of the experts", "no controls",
    "six columns", "controls alone",
}  # fmt: skip
"""Whose results test_edges looks at, too: their pages are slow."""


@pytest.fixture(
    params=[
        pytest.param(name, marks=pytest.mark.slow if name in ELSEWHERE else ())
        for name in ODD_TABLES
    ],
    ids=str,
)
def case(request):
    results = results_in(request.param)
    report = ACCEPT_REJECT.build(results)
    pictures = [p for s in report.sections for p in s.parts if isinstance(p, Picture)]
    page = render(report, {picture.name: "<svg></svg>" for picture in pictures})
    for picture in pictures:
        picture.drawing.draw_without_rendering()
    return results, report, page


def test_the_page_of_odd_data_is_whole_and_shows_only_what_the_results_hold(case):
    results, report, page = case
    assert unknown_numbers(page, results) == []
    words = text_of(page).replace(",", " ").split()
    assert {"nan", "None", "inf", "NaN", "<NA>", "dtype:"}.isdisjoint(words)
    parts = [part for section in report.sections for part in section.parts]
    pictures = {part.name for part in parts if isinstance(part, Picture)}
    assert pictures <= set(ACCEPT_REJECT.figures)
    assert set(report.files) <= set(ACCEPT_REJECT.tables)
    for part in parts:
        if isinstance(part, Table):
            assert {len(row) for row in part.rows} <= {len(part.columns)}, part.caption
    for before, after in itertools.pairwise(results["flow"]):
        for name in ("participants", "trials"):
            assert before[name] - sum(p[name] for p in before["left_out"]) == after[name]


def test_an_excluded_crowd_leaves_an_empty_second_analysis():
    found = results_in("everyone excluded by rule")
    assert found["flow"][-1]["participants"] == 0
    second = {"analysis": "without those left out by rule"}
    assert estimate(found, LEADS, **second).estimate == 0
    assert estimates(found, GAIN, **second) == []
    assert {row["participant"] for row in found["participants"]["by_rule"]} == {
        "P001", "P002", "P003",
    }  # fmt: skip


def test_many_leads_are_counted_not_named():
    found = results_in("a crowd")
    report = ACCEPT_REJECT.build(found)
    page = render(report, dict.fromkeys(ACCEPT_REJECT.figures, ""))
    assert "tables/participants.csv has all" in page
    assert page.count("(lead)") < 10
    assert len(report.files["participants"]) == 24


@pytest.mark.slow
def test_ten_thousand_leads_are_a_page_of_ordinary_size():
    table = large_table(10_000)
    found = results_of(table, analysis={"replicates": 100})
    assert found["data"]["participants"] == 10_000
    own = table[(table["solver"] == "S") & table["explained"]]
    assert rate(found, "S", "with").estimate == pytest.approx(own["accepted"].mean())
    assert found["model"]["fit"]["converged"]
    report = ACCEPT_REJECT.build(found)
    page = render(report, dict.fromkeys(ACCEPT_REJECT.figures, ""))
    assert len(page) < 200_000
    assert len(report.files["participants"]) == 10_000


def test_a_net_that_says_nothing_is_left_out_of_the_headline_and_named_as_missing():
    """The crowd saw one plate a kind of contour: over plates nothing can be inferred from it."""
    found = results_in("a crowd")
    assert "net of contour" not in " ".join(found["headline"])
    (reason,) = {row["reason"] for row in found["missing"] if "net of contour" in row["result"]}
    assert "too few plates without a numeral" in reason
