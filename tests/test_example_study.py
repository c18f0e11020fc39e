"""A study from outside the suite goes the whole way, and no file of the suite knows it."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from participants.dataset.write import read_table
from participants.folder import DataFolder, LabFolder
from participants.journal import read_journal
from stimuli.catalogue import OUTSIDE, studies_of
from stimuli.studies import STUDIES

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "tests" / "example"
QUESTIONS = 8
PATIENCE_S = 240


@pytest.fixture
def around(monkeypatch):
    """The environment in which the example is a study."""
    monkeypatch.setenv(OUTSIDE, "preferences")
    monkeypatch.setenv("PYTHONPATH", str(EXAMPLE), prepend=os.pathsep)
    monkeypatch.syspath_prepend(str(EXAMPLE))


@pytest.fixture
def pack(around, tmp_path):
    place = tmp_path / "pack"
    assert door("build", "preferences", "--out", place).returncode == 0
    return place


def command(*words: object) -> list[str]:
    return [sys.executable, str(ROOT / "lab.py"), *map(str, words)]


def door(*words: object) -> subprocess.CompletedProcess:
    return subprocess.run(command(*words), cwd=ROOT, capture_output=True, text=True, timeout=600)


def journal_of(lab: Path) -> Path | None:
    return next((lab / "data" / "sessions").glob("*/journal.jsonl"), None)


@pytest.mark.parametrize(
    "room", ["stimuli", "participants", "xai_backend", "experiments", "analysis"]
)
def test_every_room_lists_the_example(around, room):
    assert list(studies_of(room)) == [*STUDIES.own, "preferences"]


@pytest.mark.parametrize("verb", ["build", "simulate", "analyse"])
def test_a_verb_has_the_example_as_a_sub_command(around, verb):
    told = door(verb, "--help")
    assert "preferences" in told.stdout
    assert door(verb, "preferences", "--help").returncode == 0


@pytest.mark.window
def test_a_killed_session_goes_on_where_it_stopped(pack, tmp_path):
    lab = LabFolder.make(tmp_path / "lab").root
    words = ("run", pack, "--robot", "first", "--lab", lab)
    first = subprocess.Popen(
        command(*words), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True,
    )  # fmt: skip
    wait_for_trials(lab, 3, first)
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()
    journal = read_journal(journal_of(lab))
    done = len(journal.of("trial_end"))
    assert 3 <= done < QUESTIONS
    code = journal.header["participant"]
    again = door(*words, "--participant", code)
    assert again.returncode == 0, again.stderr
    journal = read_journal(journal_of(lab))
    shown = [end["presentation"] for end in journal.of("trial_end")]
    assert sorted(shown) == [f"item{number:02d}" for number in range(1, QUESTIONS + 1)]
    assert journal.complete
    assert [page["name"] for page in journal.of("page")].count("welcome_back") == 1
    rows = read_table(DataFolder(lab / "data"), "preferences", "trials")
    assert [row["item"] for row in rows] == shown


def wait_for_trials(lab: Path, wanted: int, session: subprocess.Popen) -> None:
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until and session.poll() is None:
        journal = journal_of(lab)
        if journal is not None and journal.read_text(encoding="utf-8").count("trial_end") >= wanted:
            return
        time.sleep(0.05)
    raise AssertionError(f"no {wanted} trials came; the session ended with {session.poll()}")


def test_the_example_is_simulated_and_analysed(pack, tmp_path):
    data, report = tmp_path / "data", tmp_path / "report"
    told = door("simulate", "preferences", "--participants", "24", "--pack", pack, "--out", data)
    assert told.returncode == 0, told.stderr
    told = door("analyse", "preferences", "--data", data, "--out", report)
    assert told.returncode == 0, told.stderr
    rows = read_table(DataFolder(data), "preferences", "trials")
    shares = {
        code: sum(row["place"] == 1 for row in rows if row["participant"] == code) / QUESTIONS
        for code in {row["participant"] for row in rows}
    }
    results = json.loads((report / "results.json").read_text(encoding="utf-8"))
    assert len(shares) == 24
    found = results["first_answer"]
    assert found["share"] == pytest.approx(sum(shares.values()) / len(shares))
    # The robot takes the first answer with .8; its interval over 192 answers is far from .5.
    assert 0.5 < found["ci_low"] < 0.8 < found["ci_high"] + 0.05
    assert (report / "tables" / "by_item.csv").read_text(encoding="utf-8").count("\n") == 9


def test_a_package_that_isnt_there_is_one_line(monkeypatch):
    monkeypatch.setenv(OUTSIDE, "no_such_study")
    told = door("simulate", "--help")
    assert told.returncode == 2
    assert told.stderr.startswith("PLAINSIGHT_STUDIES: there is no package 'no_such_study'; put")
    assert told.stderr.count("\n") == 1


@pytest.fixture
def copied(monkeypatch, tmp_path):
    """The example as a lab's own study, to be damaged."""
    package = tmp_path / "own" / "preferences"
    shutil.copytree(EXAMPLE / "preferences", package)
    monkeypatch.setenv(OUTSIDE, "preferences")
    monkeypatch.setenv("PYTHONPATH", str(package.parent), prepend=os.pathsep)
    return package


def test_a_protocol_of_another_study_is_one_line(copied, tmp_path):
    protocol = copied / "protocol.toml"
    text = protocol.read_text(encoding="utf-8").replace(
        'study = "preferences"', 'study = "another"'
    )
    protocol.write_text(text, encoding="utf-8")
    told = door("build", "preferences", "--out", tmp_path / "pack")
    assert (told.returncode, told.stderr) == (
        2, "protocol.toml of preferences: its study is 'another'; write 'preferences'\n",
    )  # fmt: skip


def test_a_study_without_a_protocol_is_one_line(copied, tmp_path):
    (copied / "protocol.toml").unlink()
    told = door("build", "preferences", "--out", tmp_path / "pack")
    assert told.returncode == 2
    assert told.stderr.endswith("is missing; write the study's published design there\n")
