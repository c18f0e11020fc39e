"""``new-study``: what it writes runs, what it refuses is one line, and lab.toml stays as it was."""

import tomllib
from pathlib import PureWindowsPath

import pytest

from participants.cli import main
from participants.folder import LabFolder
from participants.lab_settings import declare_study, read_settings
from tests.study_kit import StudyKit

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
    steps = ("build moods", "run packs/moods", "simulate moods", "analyse moods", f"test {folder}")
    assert all(f"python3 lab.py {step}" in told for step in steps)
    assert (folder / "test_moods.py").is_file()
    assert "STUDY_NAME" not in "".join(
        path.read_text(encoding="utf-8") for path in folder.rglob("*.*")
    )


@pytest.mark.slow
def test_a_study_of_pictures_is_built_and_simulated(lab, tmp_path):
    assert new_study(lab, "shapes", "--pictures") == 0
    (tmp_path / "kit").mkdir()
    kit = StudyKit(lab / "studies" / "shapes", tmp_path / "kit")
    rows = kit.simulated("guesser", participants=2)
    assert {row["decision"] for row in rows} <= {"bouba", "kiki", "none"}
    assert len(list((kit.pack / "pictures").glob("*.png"))) == 8


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
