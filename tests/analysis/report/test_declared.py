"""A table is declared once: its file and its place on the page follow."""

from functools import partial

import pytest

from analysis.report.declared import ReportFigure, ReportModel, ReportTable, changes, some, spelled
from analysis.report.listing import cut
from analysis.report.parts import Column, Paragraph, limits
from analysis.report.plan import ReportPlan, SectionPlan
from analysis.report.style import subplots
from analysis.report.wording import bare_percent, grouped

ROWS = [
    {"who": "a", "run": 1, "rate": 0.5, "ci_low": 0.25, "ci_high": 0.75, "n": 1200, "aside": "x"},
    {"who": "a", "run": 2, "rate": None, "ci_low": None, "ci_high": None, "n": 0, "aside": "y"},
    {"who": "b", "run": 1, "rate": 1.0, "ci_low": 0.5, "ci_high": 1.0, "n": 3, "aside": "z"},
]
RESULTS = {
    "found": {"rates": ROWS, "none": []},
    "label": "of all",
    "data": {
        "purpose": "main", "source": "here", "protocol": "p", "protocol_source": "the pack",
        "purpose_words": "Main sessions.", "pack_ids": [], "protocol_hashes": [],
        "protocol_known": False,
    },
    "headline": ["It works."], "versions": {"python": "3"}, "notes": ["One remark."],
    "incidents": {
        "sessions": 2, "paused_sessions": 1, "unfocused_sessions": 0, "notes_written": 0,
        "notes": [],
    },
    "flow": [{"step": "all", "participants": 2, "trials": 5, "left_out": [], "arms": []}],
    "timing": {"rigs": [], "warnings": []}, "checks": [], "protocol": {"deviations": []},
    "checks_by_state": dict.fromkeys(("passed", "note", "warning", "not checked"), 0),
}  # fmt: skip
RATES = ReportTable(
    "rates",
    "found.rates",
    lambda results: f"Rates {results['label']}.",
    (
        Column("Who", "who", once=True),
        Column("Run", spelled("run", {1: "first", 2: "second"})),
        Column("Rate", "rate", bare_percent, "%"),
        limits(bare_percent),
        Column("n", "n", grouped, "trials"),
    ),
    "A note.",
    strong=changes("who"),
)


def figure(results):
    return subplots(figsize=(1, 1))[0]


def plan(*parts, **changes):
    known = {
        "title": "A study", "facts": lambda _: (), "methods": lambda _: [["We did."]],
        "people": lambda _: "Two people.", "after_flow": (),
        "sections": (SectionPlan("Rates", parts),), "resampling": lambda _: "Seed 1.", "files": (),
    }  # fmt: skip
    return ReportPlan(**known | changes)


def test_the_page_prints_what_the_file_holds():
    (table,) = RATES.parts(RESULTS)
    assert RATES.files(RESULTS) == {"rates": ROWS}
    assert table.caption == "Rates of all."
    assert table.rows == (
        ("a", "first", "50.0", "[25.0, 75.0]", "1\u202f200"),
        ("", "second", "–", "–", "0"),
        ("b", "first", "100.0", "[50.0, 100.0]", "3"),
    )
    assert table.strong == {2}
    assert [column.numeric for column in table.columns] == [False, False, True, True, True]


def test_a_long_table_is_cut_on_the_page_alone():
    rows = [{"who": str(k)} for k in range(100)]
    shortened = partial(cut, noun="people", file="all", first=lambda _: True, why="people")
    long = ReportTable("all", lambda _: rows, "All.", (Column("Who", "who"),), "So.", cut=shortened)
    (table,) = long.parts(RESULTS)
    assert len(table.rows) == 60
    assert table.note.endswith("All stand in tables/all.csv. So.")
    assert len(long.files(RESULTS)["all"]) == 100


def test_other_rows_may_stand_on_the_page_than_in_the_file():
    table = ReportTable("rates", "found.rates", "R.", (Column("Who", "who"),), shown=lambda r: [
        row for row in r["found"]["rates"] if row["who"] == "b"
    ])  # fmt: skip
    assert table.parts(RESULTS)[0].rows == (("b",),)
    assert len(table.files(RESULTS)["rates"]) == 3


@pytest.mark.parametrize(("source", "files"), [("found.none", {"t": []}), (some("found.none"), {})])
def test_a_table_without_rows_does_not_stand_on_the_page(source, files):
    table = ReportTable("t", source, "T.", (Column("Who", "who"),))
    assert table.parts(RESULTS) == ()
    assert table.files(RESULTS) == files


def test_a_table_without_a_name_has_no_file_and_one_without_columns_no_place():
    assert ReportTable("", "found.rates", "R.", (Column("Who", "who"),)).files(RESULTS) == {}
    assert ReportTable("rates", "found.rates").parts(RESULTS) == ()


def test_names_of_files_follow_from_the_plan_before_there_are_results():
    model = ReportModel("model", "found.model", kinds=("fixed",))
    whole = plan(RATES, ReportFigure("curve", "C.", "A curve", figure), model, Paragraph("Text."))
    assert set(whole.tables) == {
        "arms",
        "flow",
        "incidents",
        "rigs",
        "checks",
        "rates",
        "model_fixed",
    }
    assert whole.figures == ("flow", "curve")


def test_every_report_has_the_same_frame():
    report = plan(RATES, lambda _: None, lambda _: Paragraph("More.")).build(RESULTS)
    assert [section.title for section in report.sections] == [
        "Methods", "Participants", "Rates", "Checks", "Remarks", "Software",
    ]  # fmt: skip
    assert len(report.sections[2].parts) == 2
    assert report.subtitle.startswith("sessions of purpose main from here; protocol “p”")
    assert set(report.files) == {"flow", "rates"}


@pytest.mark.parametrize("empty", [False, True])
def test_tables_without_rows_have_a_file_where_the_study_wants_them(empty):
    none = ReportTable("none", "found.none")
    report = plan(files=(none,), empty_files=empty).build(RESULTS)
    assert ("none" in report.files) == empty


def test_a_section_that_a_report_does_not_have_is_left_out():
    absent = SectionPlan("Rates", (RATES,), "found.none")
    assert absent.section(RESULTS).parts == ()
    report = plan(sections=(absent,)).build(RESULTS)
    assert "Rates" not in {section.title for section in report.sections}
    assert "rates" in report.files
