"""A table is declared once: its file and its place on the page follow."""

from dataclasses import replace
from functools import partial

import pytest

from analysis.report.checks import check_counts
from analysis.report.declared import (
    MOST_LISTED,
    MOST_ROWS,
    ReportTable,
    changes,
    cut,
    some,
    spelled,
)
from analysis.report.flow import FlowStep
from analysis.report.frame import (
    Content,
    Frame,
    files_of,
    framed,
    parts_of,
)
from analysis.report.parts import Column, Paragraph, Section, limits, table
from analysis.report.results import Described
from analysis.report.sessions import Incidents, Timing
from analysis.report.style import subplots
from analysis.report.wording import bare_percent, grouped, number, points_tenth, rounded

ROWS = [
    {"who": "a", "run": 1, "rate": 0.5, "ci_low": 0.25, "ci_high": 0.75, "n": 1200, "aside": "x"},
    {"who": "a", "run": 2, "rate": None, "ci_low": None, "ci_high": None, "n": 0, "aside": "y"},
    {"who": "b", "run": 1, "rate": 1.0, "ci_low": 0.5, "ci_high": 1.0, "n": 3, "aside": "z"},
]
RESULTS = {"found": {"rates": ROWS, "none": []}, "label": "of all"}
SHARED = Frame.model_construct(
    data=Described(
        source="here", purpose="main", purpose_words="Main sessions.", participants=2, items=3,
        trials=5, pack_ids=[], protocol_hashes=[], protocol="p", protocol_source="the pack",
        protocol_known=False, origins=[], extra_columns=[], simulated_participants=0,
    ),
    headline=["It works."], versions={"python": "3"}, notes=["One remark."], missing=[],
    incidents=Incidents(2, 1, 0, 0, ()), flow=[FlowStep("all", 2, 5, [], [])],
    timing=Timing([], []), checks=[], checks_by_state=check_counts([]),
    protocol={"deviations": []},
)  # fmt: skip
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


def test_the_page_prints_what_the_file_holds():
    (table,) = RATES.parts(RESULTS)
    assert RATES.files(RESULTS) == {"rates": ROWS}
    assert table.caption == "Rates of all."
    assert table.rows == (
        ("a", "first", "50", "[25, 75]", "1\u202f200"),
        ("", "second", "–", "–", "0"),
        ("b", "first", "100", "[50, 100]", "3"),
    )
    assert table.strong == {2}
    assert [column.numeric for column in table.columns] == [False, False, True, True, True]


@pytest.mark.parametrize(
    ("write", "value", "low", "high", "said"),
    [
        (number, 0.534, 0.331, 0.737, "0.53 [0.33, 0.74]"),
        (number, 12.534, 3.331, 21.737, "13 [3, 22]"),
        (bare_percent, 0.504, 0.474, 0.534, "50.4 [47.4, 53.4]"),
        (bare_percent, 0.504, 0.252, 0.756, "50 [25, 76]"),
        (points_tenth, -0.104, -0.252, 0.044, "−10 [−25, +4]"),
        (bare_percent, 0.0, 0.0, 0.2, "0 [0, 20]"),
        # The narrow side of a ratio's interval counts.
        (number, 1.65, 1.35, 201.4, "1.65 [1.35, 201.40]"),
        (rounded(number, 0), 0.534, 0.531, 0.537, "1 [1, 1]"),
    ],
)
def test_no_number_is_finer_than_its_interval(write, value, low, high, said):
    """Two digits of the width stay: tables printed shares of twelve answers to a tenth."""
    columns = (Column("Share", "share", write), limits(write))
    shown = table("S.", columns, [{"share": value, "ci_low": low, "ci_high": high}], row_headers=0)
    assert " ".join(shown.rows[0]) == said


def test_a_long_table_is_cut_on_the_page_alone():
    rows = [{"who": str(k)} for k in range(100)]
    shortened = partial(cut, noun="people", file="all", first=lambda _: True, why="by code")
    long = ReportTable("all", lambda _: rows, "All.", (Column("Who", "who"),), "So.", cut=shortened)
    (table,) = long.parts(RESULTS)
    assert len(table.rows) == MOST_LISTED
    assert table.note == "The first 12 of 100 people, by code; tables/all.csv has all. So."
    assert len(long.files(RESULTS)["all"]) == 100


def test_a_table_that_names_no_rule_is_cut_too_if_it_has_a_file():
    rows = [{"who": str(k)} for k in range(MOST_ROWS + 1)]
    listed = ReportTable("all", lambda _: rows, "All.", (Column("Who", "who"),))
    assert len(listed.parts(RESULTS)[0].rows) == MOST_LISTED
    assert "tables/all.csv" in listed.parts(RESULTS)[0].note
    for kept in (replace(listed, whole=True), replace(listed, name="")):
        assert len(kept.parts(RESULTS)[0].rows) == len(rows)


@pytest.mark.parametrize(("source", "files"), [("found.none", {"t": []}), (some("found.none"), {})])
def test_a_table_without_rows_does_not_stand_on_the_page(source, files):
    table = ReportTable("t", source, "T.", (Column("Who", "who"),))
    assert table.parts(RESULTS) == ()
    assert table.files(RESULTS) == files


def test_every_report_has_the_same_frame():
    """A section without parts is left out. Results come first, then how they were found."""
    own = parts_of((RATES, lambda _: None, lambda _: Paragraph("More.")), RESULTS)
    content = Content(
        title="A study", facts=(), methods=[["We did."]],
        assignment="The registry deals.", people="Two people.", after_flow=(),
        sections=(Section("Rates", own), Section("Nothing", ())), published=None,
        resampling="Seed 1.", files=files_of((RATES,), RESULTS),
    )  # fmt: skip
    report = framed(SHARED, content)
    assert [section.title for section in report.sections] == [
        "Rates", "Methods", "Participants", "Checks", "Remarks",
    ]  # fmt: skip
    assert len(report.sections[0].parts) == 2
    assert report.subtitle.startswith("Main sessions from “here”; protocol “p”")
    assert {name for name, rows in report.files.items() if rows} == {"flow", "rates"}


def test_a_table_whose_columns_hold_nothing_does_not_stand_on_the_page():
    """Of its rows only the names are known."""
    unknown = [{**row, "rate": None} for row in ROWS]
    bare = ReportTable(
        "bare", "rates", "Bare.", (Column("Who", "who"), Column("Rate", "rate", bare_percent, "%"))
    )
    assert bare.parts({"rates": unknown}) == ()
    (said,) = replace(bare, otherwise="Nothing is known.").parts({"rates": unknown})
    assert said == Paragraph("Nothing is known.")
    assert len(bare.parts({"rates": ROWS})) == 1


def test_a_long_table_of_which_no_row_matters_is_one_sentence():
    rows = [{**ROWS[0], "run": number} for number in range(MOST_LISTED + 1)]
    none = replace(
        RATES, cut=lambda rows: cut(rows, "runs", "rates", lambda row: False, "those that failed")
    )
    (said,) = none.parts({"found": {"rates": rows}, "label": "of all"})
    text = "Only those that failed are listed here; there are none among the 13 runs."
    assert said == Paragraph(f"{text} tables/rates.csv has all.", "quiet")
