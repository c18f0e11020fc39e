import csv
import json
import os
import re
import shutil
from dataclasses import replace
from html.parser import HTMLParser
from types import SimpleNamespace

import pytest

from analysis.cli import main
from analysis.report.writer import check_folder, render, write_report
from analysis.run import _fonts
from analysis.studies.accept_reject.inquiry import ACCEPT_REJECT
from tests.analysis.conftest import NASTY
from tests.analysis.formats import every_format, without_drawings
from tests.modes import modes_below

POSIX = pytest.mark.skipif(os.name != "posix", reason="permissions as POSIX has them")


class Page(HTMLParser):
    """Collects what a browser would fetch or run."""

    def __init__(self, text):
        super().__init__()
        self.sources, self.tags, self.words = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.sources += [v for k, v in attrs if k in ("src", "href", "xlink:href", "data") and v]

    def handle_data(self, data):
        self.words.append(data)


@pytest.fixture(scope="module")
def report(outside_report):
    return outside_report


@pytest.fixture(scope="module")
def results(report):
    return json.loads((report / "results.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def flow(results):
    """The report with the section that has the flow of participants alone."""
    built = ACCEPT_REJECT.build(results)
    (section,) = (one for one in built.sections if one.title == "Participants")
    return replace(built, sections=(section,))


def test_the_page_needs_nothing_beside_it(report):
    page = Page((report / "report.html").read_text("utf-8"))
    assert all(source.startswith("#") for source in page.sources), page.sources
    assert "svg" in page.tags
    assert {"script", "link", "iframe", "img"}.isdisjoint(page.tags)
    assert "@import" not in "".join(page.words)


def test_no_text_of_the_table_becomes_markup(report):
    page = Page((report / "report.html").read_text("utf-8"))
    assert NASTY in "".join(page.words)


def test_ids_are_unique_and_every_link_finds_its_place(report):
    text = (report / "report.html").read_text("utf-8")
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    targets = set(re.findall(r'href="#([^"]+)"', text)) | set(re.findall(r"url\(#([^)]+)\)", text))
    assert targets <= set(ids)


def test_every_file_is_there_and_holds_what_the_results_hold(report, results):
    with (report / "tables" / "estimates.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["estimate"] for row in rows] == [
        "" if row.get("estimate") is None else str(row["estimate"]) for row in results["estimates"]
    ]
    text = (report / "report.html").read_text("utf-8")
    assert results["headline"][-1].split(":")[0].replace("<", "&lt;")[:20] in text
    for name, version in results["versions"].items():
        assert f"{name} {version}" in text.replace("Plainsight", "plainsight").replace(
            "Python", "python"
        )


def test_warnings_stand_above_the_headline(results):
    with without_drawings():
        whole = ACCEPT_REJECT.build({**results, "warnings": ["So."]})
    built = replace(whole, sections=())
    page = render(built, {})
    assert page.index("<li>So.") < page.index('<ul class="headline">')
    assert '<section class="warnings"' not in render(replace(built, warnings=()), {})


@pytest.mark.slow
def test_a_second_run_replaces_a_report_by_the_same_bytes(report, outside, tmp_path):
    trials, protocol = outside
    again = shutil.copytree(report, tmp_path / "again")
    for path in again.rglob("*.*"):
        path.write_text("earlier", encoding="utf-8")
    files = ["--trials", str(trials), "--protocol", str(protocol), "--out", str(again)]
    assert main(["analyse", "accept_reject", *files]) == 0
    for path in sorted(report.rglob("*")):
        if path.is_file():
            assert path.read_bytes() == (again / path.relative_to(report)).read_bytes(), path.name


def test_figures_are_in_three_formats_and_the_same_bytes_each_time(flow, tmp_path):
    alone = replace(flow, files={})
    with every_format():
        places = [write_report(tmp_path / name, alone, {}).parent / "figures" for name in "ab"]
    one, other = ({path.name: path.read_bytes() for path in place.iterdir()} for place in places)
    assert {name.rpartition(".")[2] for name in one} == {"svg", "png", "pdf"}
    assert one == other


@POSIX
def test_a_report_is_as_private_as_the_data(report):
    assert modes_below(report) == {"folders": {0o700}, "files": {0o600}}


@POSIX
def test_a_folder_that_was_there_keeps_its_permissions_and_its_new_files_are_private(
    flow, results, tmp_path
):
    """So does one of a report that others could read; what a killed run left in it goes."""
    out = tmp_path / "out"
    for folder in (out, out / "tables", out / "figures"):
        folder.mkdir()
        folder.chmod(0o750)
    for name in ("report.html", "results.json", "tables/flow.csv", ".report.html-x1y2.part"):
        (out / name).write_text("earlier")
        (out / name).chmod(0o644)
    check_folder(out, {"tables": {"flow"}, "figures": ()})
    write_report(out, flow, results)
    assert modes_below(out) == {"folders": {0o750}, "files": {0o600}}
    assert not any(out.glob(".*.part"))


def test_a_dataset_folder_becomes_a_report_and_json_names_it(one_lead):
    out, said = one_lead
    answer = json.loads(said)
    assert answer["report"] == str(out / "report.html")
    assert answer["headline"] == json.loads((out / "results.json").read_text("utf-8"))["headline"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "either --data DIR or --trials FILE"),
        (["--data", "a", "--trials", "b"], "--trials doesn't go with --data"),
        (["--data", "nowhere"], "tables/trials.csv"),
        (["--data", "a", "--items", "b"], "--items needs --trials: a dataset folder has"),
        (["--trials", "nowhere.csv"], "can't be read"),
        (["--trials", "TRIALS", "--purpose", "fun"], "not one of main"),
        (["--trials", "TRIALS", "--purpose", "pilot"], "no such trials"),
        (["--trials", "TRIALS", "--exclude", "nowhere"], "can't be read"),
        (["--trials", "TRIALS", "--out", "MINE"], "thesis.docx"),
        (["--trials", "TRIALS", "--out", "MINE/thesis.docx"], "is a file"),
    ],
)
def test_a_users_mistake_is_one_line_and_status_2(outside, tmp_path, capsys, arguments, said):
    """What else lies in a folder is left alone."""
    mine = tmp_path / "thesis.docx"
    mine.write_text("mine", encoding="utf-8")
    words = {"TRIALS": outside[0], "MINE": tmp_path, "MINE/thesis.docx": mine}
    arguments = [str(words.get(part, part)) for part in ("--out", tmp_path / "out", *arguments)]
    assert main(["analyse", "accept_reject", *arguments]) == 2
    error = capsys.readouterr().err.strip()
    assert said in error
    assert "Traceback" not in error
    assert mine.read_text("utf-8") == "mine"


def test_an_unknown_study_is_named_with_those_that_there_are(tmp_path, capsys):
    assert main(["analyse", "telepathy", "--trials", "x", "--out", str(tmp_path / "out")]) == 2
    assert "accept_reject" in capsys.readouterr().err


def test_a_font_that_is_nowhere_is_named_for_figures():
    rules = SimpleNamespace(fonts=("nowhere.ttf",))
    found, told = _fonts(SimpleNamespace(pack=None, protocol=rules))
    assert found == ()
    assert told[0].startswith("nowhere.ttf isn't on this PC: figures have boxes for signs")
