"""What people and files say is printed as text, in every locale, wherever the lab folder lies."""

import json
import os
import re
import subprocess
import sys
import unicodedata
from contextlib import closing
from importlib import import_module
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.table import Table

from participants.cli import main
from participants.folder import LabFolder
from participants.notes import note
from participants.registry import Registry
from stimuli.catalogue import LAB_FILE
from stimuli.rich_terminal import Console
from stimuli.terminal import printable

ROOT = Path(__file__).parents[2]
EVIL = "gone\x1b[2J\x1b]0;title\x07\x9b31m \u202etxt.exe\u2066\r, [red]said[/]"
COMMANDS = ("\x1b", "\x07", "\x9b", "\u202e", "\u2066", "\r")
DIRECTIONS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
MARKS = "\u061c\u200e\u200f\ufff9\ufffa\ufffb"
COLOURS = re.compile(r"\x1b\[[\d;]*m")


def is_text(sign):
    """Slow and from Unicode's own tables."""
    return sign in "\t\n" or not (
        unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp")
        or unicodedata.bidirectional(sign) in DIRECTIONS
        or sign in MARKS
    )


def test_every_sign_is_either_text_or_written_out():
    assigned = [*range(0x20000), *range(0xE0000, 0xE0200), sys.maxunicode]
    for number in assigned:
        if printable(chr(number)) != chr(number):
            assert not is_text(chr(number))
        elif not is_text(chr(number)):
            pytest.fail(f"{number:x} is printed")


@given(st.text(st.characters(codec=None)))
def test_json_stays_the_same_value_and_printing_twice_changes_nothing(text):
    printed = printable(json.dumps(text, ensure_ascii=False))
    assert json.loads(printed) == text
    assert printable(printed) == printed


def test_a_console_gives_no_command_but_its_colours():
    table = Table("a note", title=EVIL)
    table.add_row(EVIL)
    for shown in (table, EVIL):
        said = StringIO()
        console = Console(file=said, force_terminal=True, color_system="standard", width=200)
        console.print(shown, style="red")
        text = COLOURS.sub("", said.getvalue())
        assert not any(sign in text for sign in COMMANDS)
        assert COLOURS.search(said.getvalue())


@pytest.fixture
def evil_lab(tmp_path, monkeypatch):
    """A lab in which notes, the institution and a file's name hold commands."""
    monkeypatch.setenv("PLAINSIGHT_LAB", str(tmp_path / f"l{EVIL.replace('/', '')}ab"))
    lab = LabFolder.make()
    settings = lab.root / LAB_FILE
    text = settings.read_text(encoding="utf-8")
    said = json.dumps(EVIL).replace("\\u009b", "\\u009B")
    settings.write_text(
        re.sub(r'(?m)^institution = ""', lambda _: f"institution = {said}", text), encoding="utf-8"
    )
    with closing(Registry.open(lab.registry_url)) as registry:
        code = registry.enrol("participant")
        note(registry, "incident", EVIL, code)
        note(registry, "note", EVIL)
    for name in (f"{EVIL.replace('/', '')}.txt", os.fsdecode(b"notes-\xe4.txt")):
        (lab.root / name).write_text(code, encoding="utf-8")
    return LabFolder.open(), code


VERBS = (
    "participants notes", "participants notes --json", "participants show CODE",
    "participants show CODE --json", "participants list", "participants counts",
    "participants due", "participants payments", "participants tables human_ai_team", "status",
    "backup --to PLACE", "participants withdraw CODE --yes", "restore PLACE --lab NEW",
    "export bids --out NEW", "watch",
)  # fmt: skip


def test_no_verb_prints_a_command(evil_lab, tmp_path, capsys):
    lab, code = evil_lab
    assert lab.settings.institution
    place = {"CODE": code, "PLACE": str(tmp_path / "place"), "NEW": str(tmp_path / "new")}
    told = ""
    for verb in VERBS:
        status = main([place.get(word, word) for word in verb.split()])
        said = "".join(capsys.readouterr())
        assert status in (0, 2), said
        assert not any(sign in said for sign in COMMANDS), verb
        told += said
    assert told.count(r"\u001b[2J") > 5
    assert "Traceback" not in told


@pytest.mark.skipif(os.name != "posix", reason="names that aren't UTF-8 are of POSIX")
@pytest.mark.parametrize(
    ("room", "where"),
    [
        ("participants", "lab"),
        ("participants", "argument"),
        ("participants", "here"),
        ("experiments", "lab"),
        ("analysis", "lab"),
        ("xai_backend", "lab"),
    ],
)
def test_a_name_that_is_not_utf_8_is_refused_in_one_line(
    room, where, tmp_path, monkeypatch, capsys
):
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/l\xe4b"))
    folder.mkdir()
    words = ["fit", "--help"]
    if where == "lab":
        monkeypatch.setenv("PLAINSIGHT_LAB", str(folder))
    elif where == "argument":
        words = ["build", "--lab", str(folder)]
    else:
        monkeypatch.chdir(folder)
    assert import_module(f"{room}.cli").main(words) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert r"l\udce4b: isn't UTF-8; give the folder another name" in said


@pytest.mark.skipif(os.name != "posix", reason="locales of POSIX")
@pytest.mark.parametrize(
    "changes", [{"LC_ALL": "C", "PYTHONUTF8": "0"}, {"PYTHONIOENCODING": "ascii"}]
)
def test_in_any_locale_paths_and_notes_have_their_letters(changes, tmp_path):
    lab = tmp_path / "Prüfstand “1”"

    def door(*words):
        ended = subprocess.run(
            [sys.executable, ROOT / "lab.py", *words],
            env={**os.environ, "PLAINSIGHT_LAB": str(lab), **changes},
            cwd=tmp_path, capture_output=True, check=False,
        )  # fmt: skip
        assert b"Traceback" not in ended.stderr
        return ended

    LabFolder.make(lab)
    text = "Gerät fiel aus – „Müller”-Lampe"
    assert door("participants", "note", text).returncode == 0
    answer = door("participants", "notes", "--json")
    assert [row["text"] for row in json.loads(answer.stdout)] == [text]
