"""The equality kit can fail by one number, one heading, one row or one file; renames are equal."""

import json
import shutil

import pytest

from tests.equality.__main__ import main
from tests.equality.pages import methods_text, page_lines
from tests.equality.record import record_report, write_json, write_text
from tests.equality.renames import Renames
from tests.equality.steady import steady_csv, steady_lines, steady_text, steady_value

PAGE = """<html><head><title>Report</title><style>p {}</style></head><body>
<ul class="headline"><li>Help <i>works</i>.</li></ul><nav><a href="#trust">Trust</a></nav>
<section id="trust"><h2>Trust</h2><p class="quiet">Made on 2031-02-03 by numpy 2.3.5.</p>
<div class="tablewrap"><table><caption><span><b>Table 1.</b> Arms.</span></caption>
<tr><th>Arm</th><td>0.50</td></tr><tr><th>Other</th><td>0.25</td></tr></table></div>
<figure><div class="drawing" role="img" aria-label="Bars"><svg><text>no</text></svg></div>
<figcaption>Bars by arm.</figcaption></figure></section>
<section id="methods"><h2>Methods</h2><p>We compared.</p></section></body></html>"""
RESULTS = {
    "trust": {"points": [{"arm": "a", "mean": 0.5}, {"arm": "b", "mean": 0.25}], "n": 12},
    "versions": {"numpy": "2.3.5"},
    "headline": ["Made on 2031-02-03."],
}
TABLE = "arm,mean\na,0.5\nb,0.25\n"


@pytest.fixture
def records(tmp_path):
    """Two equal records of a study, written as the kit writes a report."""
    report = tmp_path / "report"
    write_text(report / "report.html", PAGE)
    write_json(report / "results.json", RESULTS)
    write_text(report / "tables" / "arms.csv", TABLE)
    write_text(report / "figures" / "bars.svg", "<svg/>")
    old, new = tmp_path / "old", tmp_path / "new"
    record_report(report, old / "team" / "whole")
    write_json(old / "machine.json", {"cpu": "one"})
    shutil.copytree(old, new)
    return old, new


def compared(records, capsys, *options):
    """Return the exit status and the lines of a comparison."""
    status = main(["compare", *map(str, records), *map(str, options)])
    return status, capsys.readouterr().out.splitlines()


def change(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_equal_records_are_equal(records, capsys):
    assert compared(records, capsys) == (0, ["equal"])


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("results.json", "0.25", "0.26", ["results.json  trust/points/1/mean", "0.25", "0.26"]),
        ("results.json", "12", "true", ["results.json  trust/n", "12", "true"]),
        (
            "page.txt",
            "h2: Trust",
            "h2: Faith",
            ["page.txt  line 5, in section#trust", "h2: Trust", "h2: Faith"],
        ),
        ("page.txt", "row: Arm | 0.50\n", "", ["page.txt  line 8", "row: Arm | 0.50", "(absent)"]),
        (
            "tables/arms.csv",
            "b,0.25",
            "b,0.3",
            ["tables/arms.csv  row 2, column mean", "0.25", "0.3"],
        ),
        ("tables/arms.csv", "b,0.25\n", "", ["tables/arms.csv  row 2", "b,0.25", "(absent)"]),
        ("tables/arms.csv", "\n", "\r\n", ["tables/arms.csv", "the same cells", "other bytes"]),
        ("figures.json", '"bars": "', '"bars": "0', ["figures.json  bars"]),
        ("methods.txt", "compared", "looked", ["methods.txt", "We compared.", "We looked."]),
    ],
)
def test_one_change_is_one_difference_with_its_place_and_values(
    records, capsys, file, old, new, said
):
    change(records[1] / "team" / "whole" / file, old, new)
    status, lines = compared(records, capsys)
    assert status == 1
    assert lines[-1] == "differences: 1, in files: 1"
    assert lines[0].startswith("team  whole/")
    for words, line in zip(said, lines, strict=False):
        assert words in line


def test_a_missing_and_a_further_file_are_named(records, capsys):
    whole = records[1] / "team" / "whole"
    (whole / "tables" / "arms.csv").rename(whole / "tables" / "methods.csv")
    status, lines = compared(records, capsys)
    assert status == 1
    assert [line.strip() for line in lines[:6]] == [
        "team  whole/tables/arms.csv", "old: (a file)", "new: (absent)",
        "team  whole/tables/methods.csv", "old: (absent)", "new: (a file)",
    ]  # fmt: skip


def test_declared_renames_make_renamed_keys_columns_anchors_and_files_equal(
    records, capsys, tmp_path
):
    whole = records[1] / "team" / "whole"
    results = json.loads((whole / "results.json").read_text(encoding="utf-8"))
    points = [{"arm": one["arm"], "average": one["mean"]} for one in results["trust"]["points"]]
    results["trust"] = {"arms": points}
    results["schema"] = "results/1.0"
    write_json(whole / "results.json", results)
    change(whole / "page.txt", "#trust", "#well-placed")
    change(whole / "tables" / "arms.csv", "arm,mean", "arm,average")
    (whole / "tables" / "arms.csv").rename(whole / "tables" / "methods.csv")
    renames = tmp_path / "renames.toml"
    renames.write_text(
        """
        [team."*/results.json"]
        renamed = { "trust/points" = "trust/arms", "trust/points/*/mean" = "trust/arms/*/average" }
        gone = ["trust/n"]
        added = ["schema"]
        ["*"."*/page.txt"]
        renamed = { "#trust" = "#well-placed" }
        ["*"."*/methods.csv"]
        renamed = { mean = "average" }
        [team.files]
        renamed = { "whole/tables/arms.csv" = "whole/tables/methods.csv" }
        """,
        encoding="utf-8",
    )
    assert compared(records, capsys, "--renames", renames) == (0, ["equal"])
    change(whole / "results.json", "0.25", "0.26")
    status, lines = compared(records, capsys, "--renames", renames)
    assert status == 1
    assert lines[0] == "team  whole/results.json  trust/arms/1/average"


def test_an_unknown_entry_of_the_renames_is_refused(records, tmp_path, capsys):
    renames = tmp_path / "renames.toml"
    renames.write_text('[team.files]\nnamed = ["x"]\n', encoding="utf-8")
    assert main(["compare", *map(str, records), "--renames", str(renames)]) == 2
    assert "no entry 'named'" in capsys.readouterr().err


def test_another_machine_is_named(records, capsys):
    write_json(records[1] / "machine.json", {"cpu": "other"})
    status, lines = compared(records, capsys)
    assert status == 0
    assert lines[0] == "Another machine, so last digits may differ: cpu: one -> other"


def test_the_longest_path_decides_and_carries_its_stars():
    names = Renames((("a", "b"), ("a/*/x", "c/*/y")))
    assert names.new_key("a/3/x/0") == "c/3/y/0"
    assert names.new_key("a/3/z") == "b/3/z"
    assert names.new_key("ab/3") == "ab/3"


def test_a_page_is_its_text_and_structure():
    assert page_lines(PAGE) == [
        "title: Report",
        "li: Help works.",
        "a#trust: Trust",
        "section#trust",
        "h2: Trust",
        "p.quiet: Made on 2031-02-03 by numpy 2.3.5.",
        "span: Table 1. Arms.",
        "row: Arm | 0.50",
        "row: Other | 0.25",
        "drawing: Bars",
        "figcaption: Bars by arm.",
        "section#methods",
        "h2: Methods",
        "p: We compared.",
    ]
    assert methods_text(page_lines(PAGE)) == ["h2: Methods", "p: We compared."]


def test_dates_and_versions_are_taken_out_but_not_results():
    text = "On 2031-02-03T04:05:06Z numpy 2.3.5 and torch 2.13.0+cpu; 2000-01-01, p 0.05, pack/1.4"
    assert steady_text(text) == (
        "On DATE numpy VERSION and torch VERSION; 2000-01-01, p 0.05, pack/1.4"
    )
    assert steady_value(RESULTS)["versions"] == {"numpy": "VERSION"}
    assert steady_value(RESULTS)["headline"] == ["Made on DATE."]


def test_durations_are_taken_out_of_tables_pages_and_results():
    table = "runs,median_run_s,power\r\n2,0.123,0.5\r\n"
    assert steady_csv(table) == "runs,median_run_s,power\n2,DURATION,0.5\n"
    assert steady_csv(TABLE) == TABLE
    assert steady_value({"power": [{"median_run_s": 0.1, "runs": 2}]}) == {
        "power": [{"median_run_s": "DURATION", "runs": 2}]
    }
    lines = ["span: Table 1.", "row: Power | Times, median", "row: 0.5 | 0.12", "span: Table 2."]
    rows = ["row: Arm | Mean", "row: a | 0.12"]
    assert steady_lines([*lines, *rows]) == [
        *lines[:2], "row: 0.5 | DURATION", "span: Table 2.", *rows
    ]  # fmt: skip
