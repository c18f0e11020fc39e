"""What a new lab manager types first, through the door, at a terminal."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from experiments.engine.virtual_display import virtual_display
from participants.folder import LabFolder
from participants.journal import read_journal
from participants.registry import Registry, new_code
from tests.experiments.windows.session_lab import PATIENCE_S, ROOT, SMALL, Lab
from tests.experiments.windows.terminal import Terminal

pytestmark = [
    pytest.mark.window(tolerance_ms=200),
    pytest.mark.skipif(sys.platform != "linux", reason="needs a virtual display"),
]


@pytest.fixture
def environment(tmp_path):
    """A PC on which nothing was done yet; its lab folder's disk isn't mounted."""
    (tmp_path / "home").mkdir()
    own = {"HOME": str(tmp_path / "home"), "PLAINSIGHT_LAB": str(tmp_path / "disk" / "lab")}
    return {name: value for name, value in os.environ.items() if name != "DISPLAY"} | own


@pytest.fixture
def door(environment):
    def call(*words):
        return subprocess.run(
            [sys.executable, "lab.py", *map(str, words)], cwd=ROOT, env=environment,
            capture_output=True, text=True, timeout=PATIENCE_S * 4, check=False,
        )  # fmt: skip

    return call


def test_doctor_alone_makes_the_lab_folder_and_puts_failures_first(door, mini_pack, tmp_path):
    pack = tmp_path / "a-pack-with-a-long-name" / "that-no-table-of-80-columns-can-hold"
    shutil.copytree(mini_pack, pack)
    for name in ("items.csv", "key.csv", "lists.csv"):
        (pack / name).unlink()
    (pack / "desktop.ini").write_bytes(b"x")
    for words in (("participants", "list"), ("run", pack, "--robot", "lead")):
        refused = door(*words)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert "is not a lab folder" in refused.stderr
        assert not (tmp_path / "disk").exists()
    seen = door("doctor", "--new", "--pack", pack, "--display", "virtual", "--unattended")
    assert seen.returncode == 2
    assert "Made the lab folder" in seen.stderr
    lines = seen.stdout.splitlines()
    status = [line[:4] for line in lines if line[:4] in ("fail", "warn", "pass")]
    assert status == sorted(status, key=("fail", "warn", "pass").index)
    (told,) = (line for line in lines if line.startswith("fail  pack: "))
    for words in (str(pack), "items.csv, key.csv, lists.csv are missing", "desktop.ini was put"):
        assert words in told
    assert any(
        line.startswith("warn  consent: not filled in: institution, contact, consent.en.")
        for line in lines
    )
    assert json.loads(door("participants", "list", "--json").stdout) == []


def test_a_wrong_code_is_refused_before_the_terminal_asks_anything(environment, mini_pack):
    lab = LabFolder.make(Path(environment["PLAINSIGHT_LAB"]))
    Registry.open(lab.registry_url).enrol("lead", axis="deutan", rung=2)
    terminal = Terminal(environment, "run", mini_pack, "--participant", new_code())
    assert terminal.end() == 2
    assert terminal.shown.strip().endswith("is not in this registry; see: participants list")
    assert terminal.shown.count("\n") == 1, "one line, and no question before it"


def test_a_viewing_distance_in_another_unit_is_asked_for_again(environment, mini_pack):
    lab = LabFolder.make(Path(environment["PLAINSIGHT_LAB"]))
    code = Registry.open(lab.registry_url).enrol("lead", axis="deutan", rung=2, purpose="pilot")
    words = ("run", mini_pack, "--participant", code, "--purpose", "pilot")
    with virtual_display((1280, 720)) as shown:
        terminal = Terminal(environment | {"DISPLAY": shown.name}, *words)
        terminal.await_words("Eyes to display")
        terminal.type("5700")
        terminal.await_words("A number from 20 to 300, or nothing")
        terminal.type("57")
        terminal.await_words("Light at the display")
        terminal.type("40")
        terminal.await_words("Enter if all of it holds")
        terminal.kill()


def test_a_missing_display_is_told_before_the_terminal_asks_anything(environment, mini_pack):
    lab = LabFolder.make(Path(environment["PLAINSIGHT_LAB"]))
    code = Registry.open(lab.registry_url).enrol("lead", axis="deutan", rung=2, purpose="pilot")
    words = ("run", mini_pack, "--participant", code, "--purpose", "pilot")
    terminal = Terminal(environment, *words)
    assert terminal.end() == 2
    assert "DISPLAY is not set" in terminal.shown
    assert "Eyes to display" not in terminal.shown


@pytest.mark.slow
def test_a_session_whose_pc_died_goes_on_from_a_copy_of_its_lab_folder(tmp_path, mini_pack):
    (tmp_path / "dead").mkdir()
    dead, copy = Lab(tmp_path / "dead", mini_pack), tmp_path / "copy"
    process = dead.start("--robot", "lazy", *SMALL)
    dead.wait_for("trial_end", 3, process)
    process.kill()
    process.communicate()
    shutil.copytree(dead.folder, copy)
    shutil.rmtree(dead.folder / "data")
    (person,) = Registry.open(LabFolder.open(copy).registry_url).list()
    goes_on = ("--robot", "lazy", *SMALL, "--participant", person.code, "--lab")
    refused = dead.start(*goes_on, dead.folder).communicate()[1]
    assert "journals: records that can't be trusted: 1" in refused
    assert "its journal is missing" in refused
    refused = dead.start(*goes_on, dead.folder, "--override", "a copy").communicate()[1]
    assert "trials of the unfinished session" in refused
    ran = dead.finish(dead.start(*goes_on, copy))
    assert (ran["complete"], ran["resumed"]) == (True, True)
    (paths,) = LabFolder.open(copy).data.sessions()
    trials = [end["trial"] for end in read_journal(paths.journal).of("trial_end")]
    assert len(trials) == len(set(trials)) > 3
