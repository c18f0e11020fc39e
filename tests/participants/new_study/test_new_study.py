"""``new-study``: what it writes runs, what it refuses is one line, and lab.toml stays as it was."""

import json
import tomllib
from pathlib import PureWindowsPath

import pytest
from PIL import Image

from analysis.cli import main as analysis
from participants.cli import main
from participants.folder import LabFolder
from participants.lab_settings import declare_study, read_settings
from participants.new_study.files import TEMPLATES
from stimuli.catalogue import OUTSIDE
from stimuli.io.tables import TableSchema
from stimuli.protocol import load_protocol
from stimuli.study import rules_as_pack
from stimuli.table_study.tables import COLUMNS
from tests.analysis.agreement import several_limits
from tests.analysis.formats import without_drawings
from tests.stimuli.io.test_given_tables import parquet, workbook
from tests.stimuli.table_study.tables_at_hand import TABLE, write_study

ITEMS = TableSchema("items", "Of any study.", COLUMNS)

RIG = 'schema = "lab/1.0"\nrig = "rig-1"\n'


@pytest.fixture
def lab(tmp_path):
    return LabFolder.make(tmp_path / "lab").root


def new_study(lab, *words):
    return main(["new-study", *map(str, words), "--in", str(lab / "studies"), "--lab", str(lab)])


def test_it_is_listed_and_the_next_steps_are_said(lab, capsys):
    assert new_study(lab, "moods") == 0
    folder = lab / "studies" / "moods"
    assert read_settings(lab / "lab.toml").studies == [str(folder)]
    told = capsys.readouterr().out
    assert "if PLAINSIGHT_LAB is that folder" in told.splitlines()[0]
    steps = ("build moods", "run packs/moods", "simulate moods", "analyse moods")
    assert all(f"python3 lab.py {step}" in told for step in steps)
    assert "STUDY_NAME" not in "".join(
        path.read_text(encoding="utf-8") for path in folder.rglob("*.*")
    )


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_template_is_simulated_and_analysed(lab, tmp_path, template, monkeypatch):
    """Twelve items ship with each design of the field; their lines of study.toml stay few."""
    name = f"own_{template}"
    study = lab / "studies" / name
    assert new_study(lab, name, "--template", template) == 0
    assert len((study / "study.toml").read_text(encoding="utf-8").splitlines()) < 60
    monkeypatch.setenv(OUTSIDE, str(study))
    items = {row["item"] for row in rules_as_pack(load_protocol(name)).table(ITEMS)
             if row["phase"] == "main"}  # fmt: skip
    assert len(items) == (8 if template in ("words", "pictures") else 12)
    data, report = str(tmp_path / "data"), tmp_path / "report"
    assert main(["simulate", name, "--participants", "8", "--out", data]) == 0
    with without_drawings():
        assert analysis(["analyse", name, "--data", data, "--out", str(report)]) == 0
    results = json.loads((report / "results.json").read_text(encoding="utf-8"))
    means = [row for row in results["estimates"] if row["of"].get("by") == "means"]
    assert len(means) >= len(load_protocol(name).tests)
    assert all(row["estimate"] is not None for row in means)
    assert several_limits(results) == []


def test_a_table_becomes_a_study_with_the_factors_it_has(lab, tmp_path, capsys, monkeypatch):
    write_study(tmp_path)
    table = tmp_path / "wolves" / "given.csv"
    lines = TABLE.replace("note", "answers").replace(",x\n", ",dog | wolf\n")
    lines = lines.replace("b.png", "gradcam:b.png")
    table.write_text(lines, encoding="utf-8")
    assert new_study(lab, "given", "--table", table) == 0
    monkeypatch.setenv(OUTSIDE, str(lab / "studies" / "given"))
    protocol = load_protocol("given")
    assert protocol.factors["help"].levels == ("none", "map")
    assert protocol.advice.when == "with_item"
    assert [(test.measure, test.factor) for test in protocol.tests] == [("over_reliance", "help")]
    assert rules_as_pack(protocol).asset("pictures/a.png")
    pictures = sorted(path.name for path in (lab / "studies" / "given" / "pictures").iterdir())
    assert pictures == ["a.png", "b.png"]


@pytest.mark.parametrize(
    ("columns", "cells", "design"),
    [
        (
            "moment,right,advice",
            ("with_item,a,b", "on_key,b,b"),
            ('when = "moment"', 'measure = "over_reliance"'),
        ),
        ("phase,right", ("catch,a", ",b"), ("catch_right = 1",)),
        ("right", ("a | b", "c"), ("typed = true", 'order = "shuffled"')),
        ("note", ("x", "y"), ("typed = true",)),
        ("stands_for,answers", ("x | y,a | b", "y | x,a | b"), ('answer = "x"',)),
        (
            "left_picture,right_picture,stands_for",
            ("p.png,q.png,x | y", "q.png,p.png,y | x"),
            ('answers = ["left", "right"]', 'answer = "x"'),
        ),
        (
            "right,advice,advice_text",
            ("a,b,rationale:text", "b,b,"),
            ('prompt = "Text: {text}\\nAnswer: {advice}\\nBecause"',),
        ),
    ],
)
def test_the_design_follows_from_the_columns(lab, tmp_path, columns, cells, design):
    table = tmp_path / "items.csv"
    table.write_text(f"text,{columns}\n" + "".join(f"Hi.,{row}\n" for row in cells), "utf-8")
    (tmp_path / "pictures").mkdir()
    for name in ("p.png", "q.png"):
        Image.new("RGB", (12, 8)).save(tmp_path / "pictures" / name)
    assert new_study(lab, "given", "--table", table) == 0
    written = (lab / "studies" / "given" / "study.toml").read_text("utf-8")
    assert all(line in written for line in design)


def test_without_a_column_of_answers_they_are_what_is_right_somewhere(lab, tmp_path, capsys):
    table = tmp_path / "items.csv"
    table.write_text("text,right\nGood.,positive\nBad.,negative\n", "utf-8")
    assert new_study(lab, "given", "--table", table) == 0
    design = (lab / "studies" / "given" / "study.toml").read_text("utf-8")
    assert 'answers = ["negative", "positive"]\nkeys = ["f", "j"]' in design
    table.write_text("text,right\nGood.,positive\n", "utf-8")
    assert new_study(lab, "other", "--table", table) == 2
    assert "column missing: answers; write each item's answers" in capsys.readouterr().err
    table.write_text("text,stands_for\nGood.,a | b\nBad.,b | a\n", "utf-8")
    assert new_study(lab, "other", "--table", table) == 2
    assert "column missing: answers; write each item's answers" in capsys.readouterr().err
    table.write_text("text,right,Help\nGood.,a,no\nBad.,b,yes\n", "utf-8")
    assert new_study(lab, "other", "--table", table) == 2
    told = "items.csv: gives no design: factors: 'Help': use small letters, digits and _"
    assert told in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["xlsx", "json", "parquet"])
def test_a_table_may_be_of_any_kind(lab, tmp_path, monkeypatch, kind):
    rows = [{"text": "Good.", "right": "yes", "length": 5}, {"text": "Bad.", "right": "no"}]
    table = tmp_path / f"items.{kind}"
    if kind == "xlsx":
        workbook(
            table, {"items": [[*rows[0]], *([row.get(one) for one in rows[0]] for row in rows)]}
        )
    elif kind == "json":
        table.write_text(json.dumps(rows), "utf-8")
    else:
        parquet(table, rows)
    assert new_study(lab, "given", "--table", table) == 0
    monkeypatch.setenv(OUTSIDE, str(lab / "studies" / "given"))
    items = rules_as_pack(load_protocol("given")).table(ITEMS)
    assert [(row["text"], row["right"]) for row in items] == [("Good.", "yes"), ("Bad.", "no")]


def test_a_mistake_in_a_table_is_one_line_and_nothing_is_written(lab, tmp_path, capsys):
    write_study(tmp_path)
    table = tmp_path / "wolves" / "given.csv"
    table.write_text("text,answers,right\nHello,a | b,c\n", encoding="utf-8")
    assert new_study(lab, "given", "--table", table) == 2
    told = capsys.readouterr().err
    assert told == f"{table}, row 2, column right: 'c' is not one of the answers a, b\n"
    assert not (lab / "studies").exists()


def test_code_is_added_and_nothing_else_changes(lab, capsys):
    assert new_study(lab, "moods") == 0
    folder = lab / "studies" / "moods"
    before = {path: path.read_bytes() for path in folder.rglob("*.*")}
    assert new_study(lab, "moods", "--code") == 0
    assert (folder / "test_moods.py").is_file()
    assert all(path.read_bytes() == data for path, data in before.items())
    assert new_study(lab, "moods", "--code") == 2
    assert "is there already; --code writes over nothing" in capsys.readouterr().err


def test_code_needs_a_study_from_a_table(lab, capsys):
    assert new_study(lab, "moods", "--code") == 2
    assert "has no study.toml" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("1x", "'1x': is no valid name of a study; use small letters"),
        ("Moods", "'Moods': is no valid name of a study"),
        ("two words", "'two words': is no valid name of a study"),
        ("for", "'for': is no valid name of a study"),
        ("../moods", "'../moods': is no valid name of a study"),
        ("accept_reject", "accept_reject: there is a study of this name"),
        ("json", "json: Python has a module of this name"),
        ("full", "full: is not empty; choose another name, or another --in"),
        ("file", "file: is not empty"),
    ],
)
def test_a_name_that_will_not_do_is_one_line(lab, capsys, name, said):
    (lab / "studies" / "full").mkdir(parents=True)
    (lab / "studies" / "full" / "notes.txt").write_text("", encoding="utf-8")
    (lab / "studies" / "file").write_text("", encoding="utf-8")
    before = sorted(lab.rglob("*"))
    assert new_study(lab, name) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1
    assert sorted(lab.rglob("*")) == before


def test_without_a_lab_folder_it_says_how_to_make_one(tmp_path, capsys):
    assert new_study(tmp_path, "moods") == 2
    assert "to make a new one: python3 lab.py doctor --new" in capsys.readouterr().err
    assert not (tmp_path / "studies").exists()


@pytest.mark.parametrize(
    ("before", "studies"),
    [
        (RIG, []),
        (f"{RIG}studies = []\n# The end.\n", []),
        (f'{RIG}studies = [  # ours\n    "a",\n    "b",\n]\nlanguage = "de"\n', ["a", "b"]),
        (f'# [studies]\n{RIG}[consent.de]\nethics_vote = "1"\n', []),
    ],
)
def test_a_study_is_added_to_any_lab_file(tmp_path, before, studies):
    path, folder = tmp_path / "lab.toml", tmp_path / "the moods"
    path.write_text(before, encoding="utf-8")
    declare_study(path, folder)
    values = tomllib.loads(path.read_text(encoding="utf-8"))
    assert values.pop("studies") == [*studies, str(folder)]
    assert values == {k: v for k, v in tomllib.loads(before).items() if k != "studies"}
    kept = [line for line in before.splitlines() if line[:1] in ("#", "r", "l", "e", "[")]
    assert [line for line in path.read_text(encoding="utf-8").splitlines() if line in kept] == kept


def test_a_folder_of_windows_is_written_so_that_toml_reads_it(tmp_path):
    path, folder = tmp_path / "lab.toml", PureWindowsPath(r"C:\studies\moods")
    path.write_text(RIG, encoding="utf-8")
    declare_study(path, folder)
    assert read_settings(path).studies == [r"C:\studies\moods"]
