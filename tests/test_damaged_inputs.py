"""Damaged files, impossible places and values: status 2, one line, nothing lost or half-written."""

import csv
import importlib
import json
import shutil
import sqlite3
import struct
from dataclasses import replace

import numpy as np
import pytest

from participants.folder import LabFolder
from participants.registry import Registry
from stimuli.maps import MapSet, read_map_set, write_map_set
from stimuli.pack import write_pack
from stimuli.protocol import load_protocol
from stimuli.studies.accept_reject.sketch import SketchRates, sketch_tasks
from tests.experiments.conftest import CHANGES, few_digits, mini_pack

__all__ = ["mini_pack"]  # a fixture

ROOMS = {
    "plates": "stimuli",
    "participants": "participants",
    "simulate": "participants",
    "build": "xai_backend",
    "run": "experiments",
    "doctor": "experiments",
    "demo": "experiments",
    "analyse": "analysis",
}
HEADER = "participant,item,explained,solver,decision,rt_s\n"
ROW = "A,1,true,S,accept,1.2\n"
LONG = "x" * 300


@pytest.fixture(autouse=True)
def lab(tmp_path, monkeypatch):
    monkeypatch.setenv("PLAINSIGHT_LAB", str(tmp_path / "lab"))
    monkeypatch.delenv("DISPLAY", raising=False)
    return tmp_path / "lab"


@pytest.fixture
def refused(capfd):
    """Run a verb that must end with status 2 and one line; give the line."""

    def run(verb, *arguments):
        main = importlib.import_module(f"{ROOMS[verb]}.cli").main
        status = main([verb, *map(str, arguments)])
        out, said = capfd.readouterr()
        assert status == 2, said
        assert said.count("\n") == 1, said
        assert "Traceback" not in said
        assert out == ""
        return said

    return run


@pytest.fixture(scope="session")
def painted(tmp_path_factory):
    """A task pack without a network, and the folder of a map set painted on it."""
    protocol = load_protocol("accept_reject", None, CHANGES)
    tasks, expert = sketch_tasks(protocol, [("deutan", 2)], SketchRates(), few_digits())
    folder = tmp_path_factory.mktemp("painted")
    files = {path: tasks.asset(path) for path in tasks.manifest.files}
    write_pack(folder / "tasks", protocol, "tasks", files, {"made": "sketch"})
    write_map_set(folder / "maps", expert)
    return folder / "tasks", folder / "maps"


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return path


# Packs


def manifest(**changes):
    def change(pack):
        path = pack / "pack.json"
        document = {**json.loads(path.read_text("utf-8")), **changes}
        path.write_text(json.dumps(document), "utf-8")

    return change


def raw_manifest(content):
    return lambda pack: (pack / "pack.json").write_bytes(content)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (raw_manifest(b"[]"), ["pack.json", "is it the right file?"]),
        (raw_manifest(b"null"), ["pack.json", "is it the right file?"]),
        (raw_manifest(b'{"schema": '), ["pack.json", "copy the pack again"]),
        (manifest(schema="pack/1.9"), ["pack.json", "newer version", "update Plainsight"]),
        (manifest(schema="pack/1.²"), ["pack.json", "is it the right file?"]),
        (manifest(files=None), ["pack.json", "files", "copy the pack again"]),
        (manifest(files=[{"path": None, "sha256": "0"}]), ["files.0.path"]),
        (manifest(pack_id=7), ["pack.json", "pack_id", "copy the pack again"]),
        (manifest(protocol="none"), ["pack.json", "protocol", "copy the pack again"]),
        (manifest(kind="toys"), ["pack.json", "kind", "copy the pack again"]),
        (manifest(protocol={"seed": float("nan")}), ["pack.json", "JSON"]),
        (lambda pack: (pack / "key.csv").unlink(), ["key.csv is missing"]),
        (lambda pack: write(pack / "Thumbs.db", "x"), ["Thumbs.db", "does not belong"]),
    ],
)
def test_a_damaged_pack_is_refused_by_file_and_key(refused, mini_pack, tmp_path, damage, words):
    pack, out = tmp_path / "pack", tmp_path / "out"
    shutil.copytree(mini_pack, pack)
    damage(pack)
    said = refused("simulate", "accept_reject", "--participants", 1, "--pack", pack, "--out", out)
    for word in words:
        assert word in said
    assert not out.exists()


def test_a_task_pack_where_leads_judge(refused, painted, tmp_path):
    tasks, out = painted[0], tmp_path / "out"
    said = refused("simulate", "accept_reject", "--participants", 1, "--pack", tasks, "--out", out)
    assert "is a task pack" in said
    assert "a solution pack" in said
    assert "a solution pack" in refused("run", tasks, "--robot", "lead")
    assert "a solution pack" in refused("run", "accept_reject", "--pack", tasks, "--robot", "lead")
    assert not out.exists()


def test_a_solution_pack_where_experts_paint(refused, mini_pack, tmp_path):
    out = tmp_path / "out"
    said = refused(
        "build", "accept_reject", "--tasks", mini_pack, "--robot-experts", 1, "--out", out
    )
    assert "is a solution pack" in said
    assert not out.exists()


# Places


@pytest.mark.parametrize(
    "arguments",
    [
        ["simulate", "accept_reject", "--participants", "1", "--pack", "PACK", "--out", "LONG"],
        ["analyse", "accept_reject", "--data", "LONG", "--out", "OUT"],
        ["analyse", "accept_reject", "--trials", "TABLE", "--out", "LONG"],
        ["plates", "--digits", "LONG", "--out", "OUT"],
        ["build", "accept_reject", "--source", "uci", "--out", "LONG"],
        ["run", "LONG", "--robot", "lead"],
        ["demo", "--out", "LONG"],
        ["participants", "list", "--lab", "LONG"],
    ],
)
def test_a_name_too_long_for_the_disk(refused, mini_pack, tmp_path, arguments):
    named = {
        "LONG": tmp_path / LONG,
        "OUT": tmp_path / "out",
        "PACK": mini_pack,
        "TABLE": write(tmp_path / "trials.csv", HEADER + ROW),
    }
    said = refused(*(named.get(part, part) for part in arguments))
    assert LONG in said
    assert "too long" in said
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["build", "accept_reject", "--source", "uci"],
        ["demo"],
        ["simulate", "accept_reject", "--participants", "1", "--pack", "PACK"],
        ["plates"],
        ["analyse", "accept_reject", "--trials", "TABLE"],
    ],
)
def test_a_place_below_a_file_is_refused_before_anything_long(
    refused, mini_pack, tmp_path, arguments
):
    named = {"PACK": mini_pack, "TABLE": write(tmp_path / "trials.csv", HEADER + ROW)}
    out = write(tmp_path / "file", "mine") / "below"
    said = refused(*(named.get(part, part) for part in arguments), "--out", out)
    assert str(tmp_path / "file") in said
    assert (tmp_path / "file").read_text("utf-8") == "mine"


def test_an_empty_argument_never_means_the_current_folder(refused, mini_pack):
    said = refused(
        "simulate", "accept_reject", "--participants", 1, "--pack", mini_pack, "--out", ""
    )
    assert "empty" in said
    assert "variable" in said


def test_a_full_or_read_only_disk_is_the_users_to_mend(refused, monkeypatch, tmp_path):
    import errno

    from stimuli.plates import collection

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device", str(tmp_path / "plates.csv"))

    monkeypatch.setattr(collection, "_put_together", full)
    said = refused("plates", "--count", 1, "--size", 64, "--no-png", "--out", tmp_path)
    assert "plates.csv: No space left on device; free some space" in said


# Reports


@pytest.mark.parametrize("precious", ["tables/trials.csv", "tables/notes.txt", "figures/mine.png"])
def test_a_report_never_replaces_what_no_report_wrote(refused, tmp_path, precious):
    table = write(tmp_path / "in.csv", HEADER + ROW)
    kept = write(tmp_path / "out" / precious, "precious")
    said = refused("analyse", "accept_reject", "--trials", table, "--out", tmp_path / "out")
    assert precious in said
    assert "name a new folder" in said
    assert kept.read_text("utf-8") == "precious"


def test_an_earlier_report_outlives_a_mistake(refused, tmp_path):
    table, out = write(tmp_path / "in.csv", HEADER + ROW), tmp_path / "out"
    earlier = write(out / "tables" / "acceptance.csv", "earlier")
    nobody = write(tmp_path / "exclude.txt", "A\n")
    said = refused("analyse", "accept_reject", "--trials", table, "--exclude", nobody, "--out", out)
    assert "no trials are left" in said
    assert earlier.read_text("utf-8") == "earlier"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (HEADER, ["has a header and no rows"]),
        ((HEADER + ROW).encode("utf-16"), ["UTF-8"]),
        (HEADER.replace("item", "item,item") + "A,1,2,true,S,accept,1\n", ["twice: item"]),
        (HEADER + "A,1,true,S,accept,-3\n", ["rt_s is '-3' in line 2", "0 or more"]),
        (HEADER.replace("\n", ",trial\n") + "A,1,true,S,accept,1,9e99\n", ["trial", "line 2"]),
        (HEADER.replace("\n", ",cutoff_s\n") + "A,1,true,S,accept,1,-3\n", ["cutoff_s", "line 2"]),
        (HEADER.replace("\n", ",run\n") + "A,1,true,S,accept,1,0\n", ["no main trials"]),
    ],
)
def test_a_table_that_cannot_be_meant(refused, tmp_path, content, words):
    table, out = write(tmp_path / "trials.csv", content), tmp_path / "out"
    said = refused("analyse", "accept_reject", "--trials", table, "--out", out)
    for word in words:
        assert word in said
    assert not out.exists()


@pytest.mark.parametrize("content", [b"\xff\xfe", "nobody\n"])
def test_an_odd_list_of_exclusions_is_named(refused, tmp_path, content):
    table = write(tmp_path / "trials.csv", HEADER + ROW)
    exclude = write(tmp_path / "exclude.txt", content)
    arguments = ["--trials", table, "--exclude", exclude, "--out", tmp_path / "out"]
    assert "exclude.txt" in refused("analyse", "accept_reject", *arguments)
    assert not (tmp_path / "out").exists()


# Digits


def idx(array):
    header = bytes((0, 0, 8, array.ndim)) + struct.pack(f">{array.ndim}I", *array.shape)
    return header + array.astype(np.uint8).tobytes()


@pytest.mark.parametrize(
    ("train", "test", "words"),
    [
        (np.zeros((3, 28, 28)), np.ones((3, 28, 28)), "image 0 (from 0) is blank"),
        (np.ones((3, 0, 0)), np.ones((3, 0, 0)), "is blank"),
        (np.ones((3, 28, 28)), np.ones((3, 14, 14)), "differ in size"),
    ],
)
def test_digits_that_are_none(refused, tmp_path, train, test, words):
    for part, images in (("train", train), ("t10k", test)):
        write(tmp_path / "mnist" / f"{part}-images-idx3-ubyte", idx(images))
        write(tmp_path / "mnist" / f"{part}-labels-idx1-ubyte", idx(np.arange(3)))
    out = tmp_path / "out"
    assert words in refused("plates", "--digits", tmp_path / "mnist", "--count", 1, "--out", out)
    assert not out.exists()


def test_a_folder_in_a_pictures_place(refused, tmp_path):
    (tmp_path / "plate-000000.png").mkdir()
    said = refused("plates", "--count", 1, "--size", 64, "--out", tmp_path)
    assert "plate-000000.png" in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["plate-000000.png"]


# Paintings


def first_map(value):
    def change(maps):
        name = sorted(maps.maps)[0]
        return replace(maps, maps={**maps.maps, name: value.astype(np.float32)})

    return change


def without_a_map(maps):
    name = sorted(maps.maps)[0]
    return replace(maps, maps={key: value for key, value in maps.maps.items() if key != name})


def without_a_row(maps):
    name = sorted(maps.maps)[0]
    return MapSet(tuple(record for record in maps.records if record.map != name), maps.maps)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (first_map(np.ones((64, 30))), "not square"),
        (first_map(np.ones((0, 0))), "is empty"),
        (first_map(np.ones((1, 1))), "is 1×1 px"),
        (first_map(np.full((64, 64), np.inf)), "finite"),
        (first_map(np.full((64, 64), np.nan)), "finite"),
        (first_map(np.zeros((64, 64))), "painted nothing"),
        (without_a_map, "there is no map"),
        (without_a_row, "has no row"),
    ],
)
def test_paintings_that_cannot_be_used_are_named(refused, painted, tmp_path, change, words):
    tasks, maps = painted
    write_map_set(tmp_path / "maps", change(read_map_set(maps)))
    out = tmp_path / "out"
    said = refused(
        "build", "accept_reject", "--tasks", tasks, "--human-maps", tmp_path / "maps", "--out", out
    )
    assert words in said
    assert not out.exists()


def test_a_map_table_that_is_no_csv(refused, painted, tmp_path):
    shutil.copytree(painted[1], tmp_path / "maps")
    with (tmp_path / "maps" / "maps.csv").open("ab") as table:
        table.write(b"x" * (csv.field_size_limit() + 1))
    arguments = ["--tasks", painted[0], "--human-maps", tmp_path / "maps", "--out", tmp_path / "o"]
    assert "is no CSV table" in refused("build", "accept_reject", *arguments)


# People


@pytest.mark.parametrize("rung", [0, -1, 10**12, 10**30])
def test_a_rung_that_no_ladder_has(refused, lab, rung):
    arguments = ["--role", "lead", "--axis", "deutan", "--rung", rung]
    assert f"rung is {rung}" in refused("participants", "enrol", *arguments)
    assert Registry.open(LabFolder.open(lab).registry_url).list() == ()


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("UPDATE meta SET value = 'registry/1.9'", "newer version (registry/1.9)"),
        ("UPDATE meta SET value = 'notes'", "is it the right file?"),
        ("DROP TABLE sessions", "is it this lab's own"),
        ("ALTER TABLE people RENAME COLUMN role TO job", "is it this lab's own"),
    ],
)
def test_a_registry_of_another_version_or_program(refused, lab, sql, words):
    registry = Registry.open(LabFolder.open(lab).registry_url)
    registry.enrol("lead")
    registry.close()
    with sqlite3.connect(lab / "registry.sqlite") as connection:
        connection.execute(sql)
    connection.close()
    before = (lab / "registry.sqlite").read_bytes()
    said = refused("participants", "list")
    assert "registry.sqlite" in said
    assert words in said
    assert (lab / "registry.sqlite").read_bytes() == before


def test_a_registry_that_would_forget_everybody(refused, lab):
    write(lab / "lab.toml", 'rig = "a"\nregistry = "sqlite://"\n')
    assert "keeps nothing" in refused("participants", "enrol", "--role", "lead")


# Texts


@pytest.mark.parametrize(
    ("file", "content", "words"),
    [
        ("debrief.md", "hello\n", ["debrief.md", "version: N"]),
        ("debrief.md", b"\xff\xfe", ["debrief.md", "UTF-8"]),
        ("end.md", "---\nversion: 1\n---\n{nosuch}\n", ["end", "{nosuch}", "contact"]),
        ("questions.toml", "x = 1\n", ["questions.toml", "check_unseen"]),
        ("questions.toml", "[check_unseen]\ntext = 3\nchoices = 4\n", ["questions.toml"]),
        ("words.toml", "keys = 3\n", ["words.toml", "[keys]"]),
        ("words.toml", '[keys]\nletter = "{letter}"\n', ["words.toml", "[caps]"]),
        (
            "words.toml",
            '[keys]\nletter = "{letter}"\n[caps]\nspace = "Space"\n',
            ["words.toml", "lacks"],
        ),
    ],
)
def test_a_labs_broken_text_stops_a_session_before_it_begins(
    refused, lab, mini_pack, monkeypatch, file, content, words
):
    from experiments import session

    monkeypatch.setattr(session, "_find_display", lambda request: None)
    write(lab / "texts" / "accept_reject" / "en" / file, content)
    said = refused("run", mini_pack, "--robot", "lead")
    for word in words:
        assert word in said
    assert not any(LabFolder.open(lab).data.sessions())


# Options


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["simulate", "accept_reject", "--mix", "lead:²", "--out", "o"], "KIND:N"),
        (["run", "x", "--robot", "lead", "--size", "²x³"], "1280x720"),
        (["participants", "enroll"], "No such command"),
        (["participants", "enrol", "--role", "lead", "extra"], "extra"),
        (["plates", "--out", "a\0b"], "null"),
        (["doctor", "--bogus"], "--bogus"),
        (["demo", "--protocol", "nowhere.toml"], "nowhere.toml"),
        (["build"], "study"),
    ],
)
def test_an_odd_option_is_named(refused, lab, tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    assert words in refused(*arguments)
    assert not (lab / "demo").exists()
