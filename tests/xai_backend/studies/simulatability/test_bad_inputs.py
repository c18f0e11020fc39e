"""What a lab gets wrong with its own models, outputs, edits and explanations: one line, exit 2."""

import csv

import pytest

from tests.xai_backend.given import write_rows
from tests.xai_backend.studies.simulatability.own_models import write_news
from tests.xai_backend.studies.simulatability.own_outputs import (
    rows,
    weights_of,
    write_study,
)
from tests.xai_backend.studies.simulatability.tables import small_rows, write_csv
from xai_backend import cli

MODULE = """\
def raises(asked): raise ValueError("no GPU\\nhere")
def two(asked): return [[0.5, 0.5]] * len(asked)
def missing(asked): return asked["Salary"]
"""
OUTPUTS = ("--text-outputs", "outputs.csv")
TEXT = ("--text", "news.csv", "--text-model")
TABLE = ("--table", "rows.csv", "--table-model")

MISTAKES = [
    # A function.
    ((*TEXT, "own:raises"), "--text-model own:raises: fails on 10 inputs (ValueError: no GPU)"),
    ((*TEXT, "own:two"), "gives 2 numbers a row; the data have politics, sports, weather"),
    ((*TABLE, "own:missing"), "--table-model own:missing: fails on 10 inputs (KeyError: 'Salary')"),
    ((*TEXT, "own:none"), "own:none: own has no function none"),
    ((*TEXT, "broken:f"), "broken can't be imported (SystemExit: 4)"),
    # Files.
    (("--text-outputs", "latin.csv"), "latin.csv: is not UTF-8 text; save it as UTF-8"),
    ((*TEXT, "own:two", "--positive", "spots"), "gives 2 numbers a row"),
    # Explanations.
    ((*OUTPUTS, "--explanations", "shap=folder"), "folder: can't be read (Is a directory)"),
    ((*OUTPUTS, "--explanations", "shap=rows.csv"), "has no explanations; beside id it needs"),
    ((*OUTPUTS, "--explanations", "shap=strange.csv"),
     "strange.csv: no input has any of its ids (such as x-n0, row 2); use the data's ids"),
    ((*OUTPUTS, "--explanations", "no_explanation=shap.csv"), "this arm has no explanations"),
]  # fmt: skip


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """A folder with good tables, and some that aren't."""
    folder = tmp_path_factory.mktemp("mistakes")
    write_study(folder)
    write_news(folder / "news.csv")
    write_csv(folder / "rows.csv", small_rows())
    (folder / "own.py").write_text(MODULE, encoding="utf-8")
    (folder / "broken.py").write_text("import sys\nsys.exit(4)\n", encoding="utf-8")
    (folder / "folder").mkdir()
    (folder / "latin.csv").write_bytes("id,changed\n1,schön\n".encode("latin-1"))
    strange = [{**one, "id": f"x-{one['id']}"} for row in rows() for one in weights_of(row)]
    write_rows(folder / "strange.csv", strange)
    return folder


@pytest.mark.parametrize(("asked", "words"), MISTAKES, ids=[words for _, words in MISTAKES])
def test_a_mistake_is_one_clear_line(lab, tmp_path, monkeypatch, capsys, asked, words):
    monkeypatch.chdir(lab)
    monkeypatch.syspath_prepend(lab)
    monkeypatch.setenv("PLAINSIGHT_LAB", str(tmp_path))
    status = cli.main(["build", "simulatability", *asked, "--out", str(tmp_path / "pack")])
    printed = " ".join(capsys.readouterr().err.split())
    assert (status, words in printed) == (2, True), printed
    assert "Traceback" not in printed
    assert not (tmp_path / "pack").exists()


def test_some_strange_ids_are_a_caution(lab, tmp_path, monkeypatch, capsys):
    """As where a file explains more than the study shows."""
    monkeypatch.chdir(lab)
    monkeypatch.setenv("PLAINSIGHT_LAB", str(tmp_path))
    with (lab / "shap.csv").open(encoding="utf-8", newline="") as stream:
        found = list(csv.DictReader(stream))
    write_rows(tmp_path / "more.csv", [*found, {**found[0], "id": "n999"}])
    asked = [*OUTPUTS, "--explanations", f"shap={tmp_path / 'more.csv'}"]
    cli.main(["build", "simulatability", *asked, "--out", str(tmp_path / "pack")])
    printed = " ".join(capsys.readouterr().err.split())
    said = "1 of its 73 ids are left out (such as n999, row 218): the data lack them"
    assert f"more.csv: {said}" in printed
