"""A study from outside the suite: every command knows it, and no file of the suite does.

That the example goes the whole way is tested beside it, as in any study that `new-study` writes.
"""

import shutil
import sys
from pathlib import Path

import pytest

import lab
from experiments import cli as experiments_cli
from participants import cli as people_cli
from participants.folder import LabFolder
from participants.new_study.files import code_files, template_files
from stimuli.catalogue import OUTSIDE, studies_of
from stimuli.studies import STUDIES
from tests.experiments.sheets.pdf_text import pages_of
from xai_backend import cli as xai_cli

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "tests" / "example" / "preferences"


def test_the_example_is_what_new_study_writes():
    """To write it again: delete the folder, then ``new-study preferences --in tests/example``,
    and the same with ``--code``."""
    paths = [path for path in EXAMPLE.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    found = {path.relative_to(EXAMPLE).as_posix(): path.read_bytes() for path in paths}
    assert found == template_files(EXAMPLE.name, "words") | code_files(EXAMPLE.name)


@pytest.mark.parametrize(
    "room", ["stimuli", "participants", "xai_backend", "experiments", "analysis"]
)
def test_every_room_lists_the_example(monkeypatch, room):
    monkeypatch.setenv(OUTSIDE, str(EXAMPLE))
    assert list(studies_of(room)) == [*STUDIES.shipped, "preferences"]


@pytest.mark.parametrize("verb", ["build", "simulate", "analyse"])
def test_a_verb_has_the_example_as_a_sub_command(monkeypatch, capsys, verb):
    monkeypatch.setenv(OUTSIDE, str(EXAMPLE))
    assert lab.main([verb, "--help"]) == 0
    assert "preferences" in capsys.readouterr().out
    assert lab.main([verb, "preferences", "--help"]) == 0


@pytest.fixture
def copied(monkeypatch, tmp_path):
    """The example as a lab's own study, to be damaged; imported anew by each test."""
    study = tmp_path / "own" / "preferences"
    shutil.copytree(EXAMPLE, study)
    monkeypatch.setenv(OUTSIDE, str(study))
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path != str(EXAMPLE.parent)])
    for module in [name for name in sys.modules if name.partition(".")[0] == "preferences"]:
        monkeypatch.delitem(sys.modules, module)
    yield study
    for module in [name for name in sys.modules if name.partition(".")[0] == "preferences"]:
        del sys.modules[module]


def build(tmp_path):
    return xai_cli.main(["build", "preferences", "--out", str(tmp_path / "pack")])


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('study = "preferences"', 'study = "another"', "study.toml of preferences: its study is "
         "'another'; write 'preferences'"),
        ('keys = ["f", "j"]', 'keys = ["f", "f"]', "study.toml: trial: keys must differ: f, f"),
        ("lists = 4", "list = 4", "study.toml: session.list: unknown key; did you mean lists?"),
    ],
)  # fmt: skip
def test_a_mistake_in_the_protocol_is_one_line(copied, tmp_path, capsys, old, new, said):
    protocol = copied / "study.toml"
    text = protocol.read_text(encoding="utf-8")
    assert old in text
    protocol.write_text(text.replace(old, new), encoding="utf-8")
    assert build(tmp_path) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1


def test_a_study_without_files_needs_a_builder(copied, tmp_path, capsys):
    own = (
        "from dataclasses import replace\nfrom pathlib import Path\n"
        "from stimuli.table_study.study import declare\n"
        "STUDY = replace(declare(Path(__file__).parent), files=None)\n"
    )
    (copied / "stimuli.py").write_text(own, encoding="utf-8")
    assert build(tmp_path) == 2
    assert capsys.readouterr().err == (
        "build preferences: the study has no builder; declare `files` in its stimuli.py, or "
        "write xai_backend.py\n"
    )


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("participants.py", "STUDY = declare(", "STUDY = declared(", "NameError("),
        ("participants.py", "return {**dict", "return {**dict(", "SyntaxError("),
        ("participants.py", "last: 0.8}", 'last: task.stimulus["no"]}', "KeyError('no')"),
    ],
)
def test_a_fault_in_a_study_says_in_which_line(copied, tmp_path, capsys, file, old, new, said):
    path = copied / file
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(old, new), encoding="utf-8")
    words = ["simulate", "preferences", "--participants", "1", "--robot", "last"]
    words += ["--out", str(tmp_path / "data")]
    assert people_cli.main(words) == 1
    line = next(n for n, row in enumerate(path.read_text("utf-8").splitlines(), 1) if new in row)
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith(f"a fault of the study preferences, {file}, line {line}: {said}")


def test_a_study_in_german_alone_is_simulated_and_has_its_sheets(copied, tmp_path, monkeypatch):
    """Its words were held against English ones that it doesn't have; its key card had no keys."""
    monkeypatch.setenv("PLAINSIGHT_LAB", str(tmp_path / "lab"))
    LabFolder.make()
    (copied / "texts" / "en").rename(copied / "texts" / "de")
    protocol = copied / "study.toml"
    text = protocol.read_text(encoding="utf-8")
    protocol.write_text(f'languages = ["de"]\n{text}', encoding="utf-8")
    assert build(tmp_path) == 0
    pack, data = str(tmp_path / "pack"), str(tmp_path / "data")
    robots = ["--participants", "2", "--robot", "first"]
    assert people_cli.main(["simulate", "preferences", *robots, "--pack", pack, "--out", data]) == 0
    for sheet in ("consent", "keys"):
        path = tmp_path / f"{sheet}.pdf"
        assert experiments_cli.main(["sheets", sheet, pack, "--out", str(path)]) == 0
    (card,) = pages_of(path.read_bytes())
    task = card.partition("In der Aufgabe")[2]
    assert " F " in task
    assert " J " in task
    assert "Die Antwort über der Taste" in task
