"""Every odd dataset becomes a whole page, whose numbers all stand in the results."""

import itertools
from functools import cache

import pandas as pd
import pytest
from matplotlib import pyplot as plt

from analysis.report.parts import Picture, Table
from analysis.report.writer import render
from analysis.studies.accept_reject.files import TABLE_NAMES, flat_tables
from analysis.studies.accept_reject.present import FIGURE_NAMES, build_report
from tests.analysis.accept_reject.whole import by, results_of
from tests.analysis.report.page import text_of, unknown_numbers
from tests.analysis.simulate_table import simulate

LEAST = ["participant", "item", "explained", "solver", "decision", "rt_s"]


def small(robots=("lead", "lead"), per_solver=6, **changes):
    return simulate(list(robots), per_solver=per_solver, scale=0.3, **changes)


def one_item(table):
    return table.assign(item="plate-0001")


def separated(table):
    decision = table["explained"].map({True: "accept", False: "reject"})
    return table.assign(decision=decision, rt_s=1.0)


CASES = {
    "one participant": lambda: small(["lead"]),
    "two participants": small,
    "one item": lambda: one_item(small()),
    "one trial": lambda: small(["lead"]).head(1),
    "no accepted trial": lambda: small().assign(decision="reject"),
    "no answer at all": lambda: small().assign(decision="none", rt_s=None),
    "all answers equal": lambda: small().assign(decision="accept", rt_s=1.0),
    "complete separation": lambda: separated(small(("lead",) * 4)),
    "no trial with explanation": lambda: small().query("~explained"),
    "no trial of the experts": lambda: small().query("solver != 'E'"),
    "no controls": lambda: small().query("solver != 'control'"),
    "controls alone": lambda: small().query("solver == 'control'"),
    "everyone excluded by rule": lambda: small(("lazy", "lazy", "contour_reader")),
    "six columns": lambda: small()[LEAST],
    "a crowd": lambda: crowd(70),
}


def crowd(leads):
    robots = ["lead"] * 4 + ["contour_reader", "lazy"]
    table = small(robots, per_solver=4)
    copies = -(-leads // len(robots))
    parts = [table.assign(participant=table["participant"] + f"x{k}") for k in range(copies)]
    return pd.concat(parts, ignore_index=True)


@cache
def results_in(case):
    return results_of(CASES[case]().reset_index(drop=True), analysis={"replicates": 60})


@pytest.fixture(scope="module", params=CASES, ids=str)
def case(request):
    results = results_in(request.param)
    report = build_report(results)
    pictures = [p for s in report.sections for p in s.parts if isinstance(p, Picture)]
    page = render(report, {picture.name: "<svg></svg>" for picture in pictures})
    for picture in pictures:
        picture.drawing.canvas.draw()
        plt.close(picture.drawing)
    return results, report, page


def test_its_page_shows_only_what_the_results_hold(case):
    results, _, page = case
    assert unknown_numbers(page, results) == []


def test_no_computer_word_reaches_the_reader(case):
    words = text_of(case[2]).replace(",", " ").split()
    assert {"nan", "None", "inf", "NaN", "<NA>", "dtype:"}.isdisjoint(words)


def test_every_file_is_one_that_a_report_may_hold(case):
    results, report, _ = case
    pictures = [p for s in report.sections for p in s.parts if isinstance(p, Picture)]
    assert {picture.name for picture in pictures} <= set(FIGURE_NAMES)
    assert set(flat_tables(results)) <= set(TABLE_NAMES)


def test_every_row_of_a_table_has_every_column(case):
    for section in case[1].sections:
        for part in section.parts:
            if isinstance(part, Table):
                assert {len(row) for row in part.rows} <= {len(part.columns)}, part.caption


def test_the_flow_adds_up(case):
    steps = case[0]["flow"]
    for before, after in itertools.pairwise(steps):
        for name in ("participants", "trials"):
            assert before[name] - sum(p[name] for p in before["left_out"]) == after[name]


def test_an_excluded_crowd_leaves_an_empty_second_analysis():
    found = results_in("everyone excluded by rule")
    assert found["flow"][-1]["participants"] == 0
    second = by(found["sensitivity"], analysis="without the leads excluded by rule")
    assert (second["participants"], second["usefulness"]) == (0, [])
    assert {row["participant"] for row in found["exclusions"]["by_rule"]} == {
        "P001", "P002", "P003",
    }  # fmt: skip


def test_one_lead_excluded_by_every_rule_is_told_by_both():
    table = small(("lead", "lead", "lazy"))
    plain = (table["control_kind"] == "no_numeral") & (table["participant"] == "P003")
    found = results_of(table.assign(decision=table["decision"].mask(plain, "reject")))
    (gone,) = found["exclusions"]["by_rule"]
    assert gone["participant"] == "P003"
    assert gone["reason"] == "compliance below the minimum; accepts from the explanation"


def test_many_leads_are_counted_not_named():
    found = results_in("a crowd")
    page = render(build_report(found), dict.fromkeys(FIGURE_NAMES, ""))
    plt.close("all")
    assert "All stand in tables/participants.csv" in page
    assert page.count("(lead)") < 10
    assert len(flat_tables(found)["participants"]) == 72
