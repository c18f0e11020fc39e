"""A lab's own methods explain S, alone or beside the suite's."""

import json
import sys
from pathlib import Path

import pytest

import analysis.cli
import participants.cli
from stimuli.maps.map_set import read_map_set
from tests.analysis.formats import page_alone
from tests.xai_backend.studies.accept_reject.small_builds import TINY, build_printed

OWN = """\
def edges(model, inputs, targets):
    grey = inputs.mean(dim=1)
    return (grey - grey.roll(1, dims=2)).abs()
"""


@pytest.fixture
def two_methods(built, tmp_path, monkeypatch):
    """A working folder with a protocol of two methods, one of them a lab's own; its options."""
    monkeypatch.setenv("PLAINSIGHT_LAB", str(built[0]))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    monkeypatch.delitem(sys.modules, "two_methods", raising=False)
    (tmp_path / "two_methods.py").write_text(OWN)
    text = TINY.replace("lists = 2", "lists = 8")
    text = text.replace("[system]", '[system]\nfurther_methods = ["mine"]')
    (tmp_path / "two.toml").write_text(text, encoding="utf-8")
    named = ["--method", "mine=two_methods:edges"]
    return ["--protocol", "two.toml", *named, "--out", "two", "--json"]


def test_a_method_of_ones_own_explains_s(built, tmp_path, monkeypatch):
    lab, _ = built
    (tmp_path / "own.toml").write_text(TINY.replace("[experts]", 'method = "mine"\n[experts]'))
    monkeypatch.setenv("PLAINSIGHT_LAB", str(lab))
    named = ("--method", "mine=captum:Saliency", "--set", "mine.abs=false")
    command = ["--protocol", tmp_path / "own.toml", *named, "--out", tmp_path / "tasks", "--json"]
    build_printed(monkeypatch, command)
    maps = read_map_set(tmp_path / "tasks" / "maps")
    assert {record.method for record in maps.records} == {"mine"}
    about = json.loads((tmp_path / "tasks" / "provenance.json").read_text(encoding="utf-8"))
    assert about["methods"]["mine"]["name"] == "captum:Saliency"
    assert ["abs", False] in about["methods"]["mine"]["parameters"]["settings"]


def test_a_lab_s_own_method_explains_beside_the_suite_s(two_methods, monkeypatch):
    printed = build_printed(monkeypatch, two_methods)
    records = read_map_set(Path(printed["pack"]) / "maps").records
    assert {record.method for record in records} == {"occlusion", "mine"}
    methods = json.loads((Path(printed["pack"]) / "provenance.json").read_text())["methods"]
    assert methods["mine"]["name"] == "two_methods:edges"


@pytest.mark.slow
def test_a_lab_s_own_method_is_compared_with_the_suite_s_in_one_pack(two_methods, monkeypatch):
    """From the build to the report: S's solutions with either method's regions, in every list."""
    build_printed(monkeypatch, [*two_methods, "--robot-experts", 2])
    simulated = ["simulate", "accept_reject", "--pack", "two", "--participants", "4"]
    assert participants.cli.main([*simulated, "--out", "data"]) == 0
    with page_alone():
        analysed = ["analyse", "accept_reject", "--data", "data", "--out", "report"]
        assert analysis.cli.main(analysed) == 0
    results = json.loads(Path("report/results.json").read_text(encoding="utf-8"))
    rows = [row for row in results["estimates"] if row["question"] == "explainers"]
    assert {row["of"]["method"] for row in rows} == {"occlusion", "mine"}
    page = Path("report/report.html").read_text(encoding="utf-8")
    assert "Occlusion less mine" in page or "mine less Occlusion" in page
