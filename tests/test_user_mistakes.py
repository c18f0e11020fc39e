"""Every wrong way through the rooms' own command lines: one clear line, exit 2, nothing left."""

import importlib
import shutil
from pathlib import Path

import pytest

from participants.folder import LabFolder
from stimuli.pack import write_pack
from stimuli.protocol import load_protocol

ROOMS = {
    "build": "xai_backend",
    "run": "experiments",
    "annotate": "experiments",
    "doctor": "experiments",
    "timing": "experiments",
    "demo": "experiments",
    "participants": "participants",
    "simulate": "participants",
    "analyse": "analysis",
    "plates": "stimuli",
}

# What was typed ({here} is a folder with the wrong things), and words of the one line.
MISTAKES = [
    ("build moods", ["no study", "accept_reject"]),
    ("build accept_reject --protocol {here}/none.toml", ["none.toml", "can't be read"]),
    ("build accept_reject --protocol {here}/unit.toml", ["unit.toml", "cutoff_ms", "cutoff_s"]),
    ("build accept_reject --protocol {here}/future.toml", ["newer version"]),
    (
        "build accept_reject --protocol {here}/labels.toml",
        ["labels.toml", "is a protocol of"],
    ),
    ("build accept_reject_accuracy --protocol {here}/bare.toml", ["names no study"]),
    ("build accept_reject_accuracy --protocol {here}/plates.toml", ["is a protocol of accept_rej"]),
    ("build accept_reject --source nowhere", ["nowhere", "uci, mnist"]),
    ("build accept_reject --tasks {here}/empty --robot-experts 1", ["is not a pack"]),
    ("build accept_reject --nonsense", ["--nonsense", "--help"]),
    ("build progressive_reveal --source nowhere", ["nowhere", "uci, mnist"]),
    ("build progressive_reveal --source {here}/empty", ["human maps", "--robot-bubblers"]),
    ("build progressive_reveal --human-maps {here}/empty", ["empty", "neither a map set"]),
    ("build progressive_reveal --images {here}/none.txt", ["none.txt: can't be read"]),
    ("build progressive_reveal --images {here}/few.csv", ["line 1", "is not an image of the set"]),
    ("build simulatability --text {here}/few.csv --out {here}/o", ["few.csv", "text"]),
    ("build simulatability --table {here}/few.csv --table-model a.pkl", ["module:function"]),
    ("build simulatability --from-sheets {here}/empty --out {here}/o", ["empty"]),
    ("build simulatability --rationales mine --out {here}/o", ["--rationales mine", "NAME=CSV"]),
    ("run {here}/none --robot lead", ["neither a study", "nor a pack"]),
    ("run {here}/changed --robot lead", ["assets/a.plate was changed"]),
    ("run {here}/extra --robot lead", ["new.txt does not belong"]),
    ("run {here}/missing --robot lead", ["items.csv is missing"]),
    ("run {here}/future --robot lead", ["newer version"]),
    ("run {here}/torn --robot lead", ["pack.json", "not readable JSON"]),
    ("run {here}/tasks --robot lead", ["is a task pack", "--human-maps"]),
    ("run {here}/tasks --pack {here}/tasks", ["--pack", "named already"]),
    ("participants enrol --role king", ["'king'", "lead, expert"]),
    ("participants enrol --role lead --axis red --rung 1", ["'red'", "deutan, protan"]),
    ("participants enrol --role lead --axis deutan", ["axis and rung go together"]),
    ("participants enrol --role lead --axis deutan --rung 0", ["rung is 0"]),
    ("participants list --lab {here}/file", ["file", "is not a lab folder", "doctor --new"]),
    ("participants list --lab {here}/unmounted", ["unmounted", "is not a lab folder"]),
    ("run {here}/whole --robot lead --lab {here}/unmounted", ["unmounted", "is not a lab folder"]),
    ("annotate {here}/tasks --robot expert --lab {here}/unmounted", ["unmounted", "is not a lab"]),
    ("doctor --lab {here}/unmounted", ["unmounted", "is not a lab folder"]),
    ("doctor --new --lab {here}/badregistry", ["badregistry", "leave out --new"]),
    ("timing --sensor lsl:x --lab {here}/unmounted", ["unmounted", "is not a lab folder"]),
    ("participants list --lab {here}/badlab", ["lab.toml", "not valid TOML"]),
    ("participants list --lab {here}/badregistry", ["registry.sqlite", "not a database"]),
    ("simulate accept_reject --participants 0 --out {here}/o", ["--participants"]),
    ("simulate accept_reject --participants 2", ["--out"]),
    ("simulate accept_reject --mix lead:two --out {here}/o", ["KIND:N"]),
    ("simulate accept_reject --mix king:1 --out {here}/o", ["'king'", "contour_reader"]),
    ("simulate accept_reject --participants 1 --pack {here}/changed --out {here}/o", ["changed"]),
    ("analyse accept_reject --out {here}/o", ["--data DIR", "--trials FILE"]),
    ("analyse accept_reject --data {here}/empty --out {here}/o", ["tables/trials.csv"]),
    ("analyse accept_reject --trials {here}/few.csv --out {here}/o", ["missing", "decision"]),
    ("analyse accept_reject --trials {here}/typed.csv --out {here}/o", ["'maybe'", "line 2"]),
    ("analyse accept_reject --trials {here}/bytes.csv --out {here}/o", ["UTF-8"]),
    ("analyse moods --data {here}/empty --out {here}/o", ["no study"]),
    ("plates --axis red --out {here}/o", ["--axis red", "tritan"]),
    ("plates --contrast 0.5 --out {here}/o", ["0.5", "largest that fits"]),
    ("plates --count 0 --out {here}/o", ["--count 0"]),
    ("plates --out {here}/file", ["file", "can't be made"]),
    ("demo --study moods", ["moods", "has no demo", "accept_reject"]),
    ("demo --out {here}/extra", ["not empty"]),
]


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """A folder of wrong things."""
    here = tmp_path_factory.mktemp("wrong")
    head = 'schema = "protocol/1.{}"\nstudy = "accept_reject"\n'
    texts = {
        "file": "x",
        "unit.toml": head.format(0) + "[trial]\ncutoff_ms = 3000\n",
        "future.toml": head.format(7),
        "plates.toml": head.format(0),
        "labels.toml": head.format(0) + 'assessment = "accuracy"\n',
        "bare.toml": 'schema = "protocol/1.0"\n',
        "few.csv": "participant,item\nA,1\n",
        "typed.csv": "participant,item,explained,solver,decision,rt_s\nA,1,maybe,S,accept,1\n",
        "badlab/lab.toml": "language = [",
        "badregistry/lab.toml": 'schema = "lab/1.0"\nrig = "rig-1"\n',
        "badregistry/registry.sqlite": "this is a letter, not a registry",
    }
    for name, text in texts.items():
        (here / name).parent.mkdir(exist_ok=True)
        (here / name).write_text(text, encoding="utf-8")
    (here / "bytes.csv").write_bytes(bytes(range(128, 256)))
    (here / "empty").mkdir()
    _packs(here)
    return here


def _packs(here: Path) -> None:
    protocol = load_protocol("accept_reject")
    files = {"items.csv": b"presentation\n", "assets/a.plate": b"plate"}
    write_pack(here / "whole", protocol, "solutions", files, {})
    write_pack(here / "tasks", protocol, "tasks", files, {})
    for name in ("changed", "extra", "missing", "future", "torn"):
        shutil.copytree(here / "whole", here / name)
    (here / "changed" / "assets" / "a.plate").write_bytes(b"plane")
    (here / "extra" / "new.txt").write_text("x", encoding="utf-8")
    (here / "missing" / "items.csv").unlink()
    manifest = here / "whole" / "pack.json"
    text = manifest.read_text(encoding="utf-8")
    newer = text.replace("pack/1.0", "pack/1.9")
    (here / "future" / "pack.json").write_text(newer, encoding="utf-8")
    (here / "torn" / "pack.json").write_text(text[:200], encoding="utf-8")


@pytest.mark.parametrize(("typed", "words"), MISTAKES, ids=[typed for typed, _ in MISTAKES])
def test_a_mistake_is_one_line_and_exit_2(here, tmp_path, capsys, monkeypatch, typed, words):
    monkeypatch.setenv("PLAINSIGHT_LAB", str(LabFolder.make(tmp_path / "lab").root))
    arguments = [word.format(here=here) for word in typed.split()]
    room = importlib.import_module(f"{ROOMS[arguments[0]]}.cli")
    status = room.main(arguments)
    written = capsys.readouterr()
    assert status == 2, written.err
    assert written.err.strip().count("\n") == 0
    assert all(word in written.err for word in words), written.err
    assert "Traceback" not in written.err + written.out
    out = here / "o"
    assert [path for path in out.rglob("*") if path.is_file()] == []
    assert not (here / "unmounted").exists()
