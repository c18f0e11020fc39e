"""A journal cut so that nothing beside it tells: only the lab's registry knows."""

import json
import shutil
from contextlib import closing

import pytest

from analysis.cli import main as analysis
from analysis.data.tables import read_folder
from analysis.report.checks import general_checks
from analysis.studies.accept_reject_accuracy.inquiry import LABELS
from participants.cli import main
from participants.dataset.custody import Roll
from participants.dataset.derive import write_tables
from participants.dataset.journals import write_session_sidecar
from participants.folder import LabFolder
from participants.rebuild import rebuild
from participants.registry import Registry
from participants.simulate.run import simulate
from tests.analysis.asking import analysing, asking
from tests.analysis.formats import without_drawings
from tests.stimuli.studies.accept_reject_accuracy.labelled_sets import small_sketch

STUDY, RECORDED = "accept_reject_accuracy", "accept_reject"
NOT_CONFIRMED = ", so a journal that was cut short"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A lab with three sessions, which its registry knows."""
    lab = LabFolder.make(tmp_path_factory.mktemp("made") / "lab")
    simulate(lab.data, small_sketch(), ["noisy"] * 3, seed=2)
    with closing(Registry.open(lab.registry_url)) as registry:
        rebuild(registry, [lab.data])
        for paths in lab.data.sessions():
            registry.anchor_session(paths.session, write_session_sidecar(paths))
    return lab


@pytest.fixture
def lab(made, tmp_path, monkeypatch):
    root = shutil.copytree(made.root, tmp_path / "lab")
    monkeypatch.setenv("PLAINSIGHT_LAB", str(tmp_path / "none"))
    return LabFolder.open(root)


def cut(data):
    """Cut a journal by ten lines, and write all that is made from it again."""
    paths = next(data.sessions())
    lines = paths.journal.read_bytes().splitlines(keepends=True)
    paths.journal.write_bytes(b"".join(lines[:-10]))
    paths.sidecar.unlink()
    write_session_sidecar(paths)
    shutil.rmtree(data.tables)
    write_tables(data, RECORDED, with_unfinished=True)
    return paths.session, f"has {len(lines) - 10} lines, but the registry says {len(lines)}"


def finding(data):
    dataset = read_folder(STUDY, data.root)
    checks = general_checks(dataset.trials, dataset.trials, dataset.sessions, 30)
    return next(one.finding for one in checks if one.check == "Journals are whole and unchanged")


def test_where_the_registry_knows_all_journals_nothing_is_said(lab):
    roll = Roll.of(lab.data)
    assert (len(roll.kept), roll.notes()) == (3, ())
    assert NOT_CONFIRMED not in finding(lab.data)


def test_tables_export_and_analyse_leave_the_session_out(lab, tmp_path, capsys):
    session, why = cut(lab.data)
    out = tmp_path / "report"
    with without_drawings(), analysing(asking(LABELS)):
        assert analysis(["analyse", STUDY, "--data", str(lab.data.root), "--out", str(out)]) == 3
    assert why in capsys.readouterr().err
    assert why in json.loads((out / "results.json").read_text("utf-8"))["warnings"][0]

    assert main(["participants", "tables", RECORDED, "--lab", str(lab.root)]) == 3
    said = capsys.readouterr()
    assert f"can't be trusted: {session}: " in said.err
    assert why in said.err
    assert NOT_CONFIRMED not in said.err

    asked = ["--purpose", "robot", "--lab", str(lab.root), "--json"]
    for kind in ("bids", "psych-ds"):
        assert main(["export", kind, "--out", str(tmp_path / kind), *asked]) == 3
        done = json.loads(capsys.readouterr().out)
        assert (done["sessions"], list(done["left_out"])) == (2, [session])
        assert why in done["left_out"][session]


def test_where_there_is_no_registry_to_ask_each_says_so(lab, tmp_path, capsys):
    moved = shutil.copytree(lab.data.root, tmp_path / "moved")
    why = f"There is no lab folder here{NOT_CONFIRMED}"
    assert why in finding(type(lab.data)(moved))
    assert main(["participants", "tables", RECORDED, "--data", str(moved)]) == 0
    assert why in capsys.readouterr().err
    asked = ["--out", str(tmp_path / "out"), "--data", str(moved), "--purpose", "robot"]
    assert main(["export", "bids", *asked]) == 0
    assert why in capsys.readouterr().err


def test_a_data_folder_elsewhere_is_confirmed_by_the_usual_lab(lab, tmp_path, monkeypatch):
    moved = type(lab.data)(shutil.copytree(lab.data.root, tmp_path / "merged"))
    monkeypatch.setenv("PLAINSIGHT_LAB", str(lab.root))
    session, why = cut(moved)
    assert why in read_folder(STUDY, moved.root).sessions.suspect[session]
    shutil.copytree(moved.session(session).folder, moved.session(session + "x").folder)
    assert "The lab's registry doesn't know 1 of 4 journals" in finding(moved)
    (lab.root / "registry.sqlite").unlink()
    assert NOT_CONFIRMED in finding(moved)
    (lab.root / "registry.sqlite").write_bytes(b"this is no database, however long it is" * 50)
    assert "The lab's registry can't be read (" in finding(moved)
