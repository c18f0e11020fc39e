import json
import os
import random
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from stimuli.errors import UserError
from stimuli.pack import open_pack, write_pack
from stimuli.pack.folder import open_lazily
from stimuli.pack.model import pack_in_memory, seal
from stimuli.protocol import load_protocol, protocol_hash

FILES = {
    "items.csv": b"presentation\np1\n",
    "assets/plates/a.plate": b"\x00\x01\x02",
    "assets/plates/b.plate": b"\x03",
}


@pytest.fixture
def protocol():
    return load_protocol("accept_reject")


@pytest.fixture
def folder(tmp_path, protocol):
    write_pack(tmp_path / "pack", protocol, "solutions", FILES, {"machine": "here"})
    return tmp_path / "pack"


def test_a_pack_reads_back_as_it_was_written(folder, protocol):
    pack = open_pack(folder)
    assert pack.protocol == protocol
    assert pack.manifest.kind == "solutions"
    assert {path: pack.asset(path) for path in FILES} == FILES
    assert list(pack.paths("assets/plates")) == ["assets/plates/a.plate", "assets/plates/b.plate"]


def test_the_id_follows_from_content_and_protocol_alone(tmp_path, protocol, folder):
    again = write_pack(tmp_path / "again", protocol, "solutions", FILES, {"machine": "there"})
    assert again.pack_id == open_pack(folder).pack_id
    other = {**FILES, "assets/plates/b.plate": b"\x04"}
    assert write_pack(tmp_path / "o", protocol, "solutions", other, {}).pack_id != again.pack_id
    seeded = load_protocol("accept_reject", changes={"seed": 2})
    assert write_pack(tmp_path / "s", seeded, "solutions", FILES, {}).pack_id != again.pack_id
    assert write_pack(tmp_path / "t", protocol, "tasks", FILES, {}).pack_id != again.pack_id


def test_one_changed_byte_anywhere_is_refused_by_name(folder):
    draw = random.Random(1)
    for path, data in FILES.items():
        for _ in range(3):
            changed = bytearray(data)
            changed[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
            (folder / path).write_bytes(changed)
            with pytest.raises(UserError, match=path.replace(".", r"\.")) as caught:
                open_pack(folder)
            assert "changed" in str(caught.value)
        (folder / path).write_bytes(data)
    open_pack(folder)


def test_a_missing_and_an_extra_file_are_refused_by_name(folder):
    (folder / "assets/extra.txt").write_text("x")
    with pytest.raises(UserError, match=r"extra\.txt does not belong"):
        open_pack(folder)
    (folder / "assets/extra.txt").unlink()
    (folder / "items.csv").unlink()
    with pytest.raises(UserError, match=r"items\.csv is missing"):
        open_pack(folder)


@pytest.mark.parametrize("name", ["Thumbs.db", ".DS_Store", "desktop.ini", "assets/._a.plate"])
def test_what_a_file_manager_left_is_named_as_such(folder, name):
    (folder / name).write_bytes(b"x")
    with pytest.raises(UserError) as refusal:
        open_pack(folder)
    said = f"{folder}: {name} was put there by the file manager; delete this file"
    assert str(refusal.value) == said


def test_a_few_files_are_named_and_the_rest_counted(folder, tmp_path, protocol):
    many = {f"assets/plates/{letter}.plate": b"x" for letter in "abcde"}
    write_pack(tmp_path / "many", protocol, "solutions", many, {})
    for path in many:
        (tmp_path / "many" / path).unlink()
    with pytest.raises(UserError, match=r"a\.plate, .*b.plate, .*c.plate and 2 more are missing"):
        open_pack(tmp_path / "many")


def test_an_archive_is_refused_with_the_command_that_unzips_it(folder, tmp_path):
    archive = Path(shutil.make_archive(str(tmp_path / "carried"), "zip", tmp_path, "pack"))
    with pytest.raises(UserError, match="is an archive; unzip it first") as refusal:
        open_pack(archive)
    command = shlex.split(str(refusal.value).partition("folder: ")[2])
    assert command[0] == "python3"
    subprocess.run([sys.executable, *command[1:]], check=True)
    with pytest.raises(UserError, match=r"is not a pack .*; name the folder") as refusal:
        open_pack(tmp_path / "carried")
    inner = Path(str(refusal.value).rpartition("name the folder ")[2])
    assert open_pack(inner).pack_id == open_pack(folder).pack_id


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda m: m.update(schema="pack/9.0"), "newer"),
        (lambda m: m.update(pack_id="0" * 32), "pack_id"),
        (lambda m: m.update(kind="tasks"), "pack_id"),
        (lambda m: m["protocol"].update(seed=7), "protocol"),
        (lambda m: m.pop("files"), "files"),
    ],
)
def test_a_changed_manifest_is_refused(folder, change, word):
    manifest = json.loads((folder / "pack.json").read_text())
    change(manifest)
    (folder / "pack.json").write_text(json.dumps(manifest))
    with pytest.raises(UserError, match=word):
        open_pack(folder)


@pytest.mark.parametrize("text", ["{", "[" * 100_000, '{"a":' * 100_000, '{"a": NaN}'])
def test_a_manifest_that_is_no_readable_json_is_refused(folder, text):
    (folder / "pack.json").write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=r"pack\.json: is not readable JSON"):
        open_pack(folder)


def test_a_pack_never_overwrites_anything(folder, protocol):
    with pytest.raises(UserError, match="not empty"):
        write_pack(folder, protocol, "solutions", FILES, {})


def test_a_failed_write_leaves_nothing_behind(tmp_path, protocol):
    with pytest.raises(UserError, match="can't be written"):
        write_pack(tmp_path / "p", protocol, "tasks", {"a": b"", "a/b": b""}, {})
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_no_pack_is_told(tmp_path):
    with pytest.raises(UserError, match="not a pack"):
        open_pack(tmp_path)


def test_a_sketch_is_named_as_one(protocol):
    sketch = pack_in_memory(protocol, protocol_hash(protocol), "solutions", FILES)
    assert sketch.pack_id.startswith("sketch-")
    assert sketch.asset("items.csv") == FILES["items.csv"]
    with pytest.raises(UserError, match="has no file 'x'"):
        sketch.asset("x")


@pytest.mark.parametrize(
    "path",
    [
        *("../elsewhere.csv", "/etc/elsewhere.csv", "assets/../../e.csv", "a\\b.csv", "c:e.csv"),
        *("assets//e.csv", "assets/nul.csv", "e\0.csv", "./e.csv", ""),
    ],
)
def test_a_manifest_that_leads_out_of_the_pack_is_refused(tmp_path, folder, protocol, path):
    sealed = seal(protocol, protocol_hash(protocol), "solutions", {path: "0" * 64})
    (folder / "pack.json").write_text(json.dumps(sealed.document()), encoding="utf-8")
    with pytest.raises(UserError, match="leads out of the pack"):
        open_pack(folder)


@pytest.mark.parametrize("path", ["../outside.csv", "assets/../../outside.csv", "a//b.csv"])
def test_nothing_is_written_outside_of_a_new_pack(tmp_path, protocol, path):
    with pytest.raises(UserError, match="leads out of this folder"):
        write_pack(tmp_path / "pack", protocol, "solutions", {path: b"x"}, {})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="makes a pipe")
@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("assets/pipe", "assets/pipe does not belong to the pack"),
        ("items.csv", "items.csv is missing"),
    ],
)
def test_a_pipe_in_a_pack_is_named_and_not_read(folder, path, said):
    (folder / path).unlink(missing_ok=True)
    os.mkfifo(folder / path)
    with pytest.raises(UserError, match=said):
        open_pack(folder)


def test_a_pack_opened_for_a_look_checks_each_file_that_is_read(folder):
    look = open_lazily(folder)
    assert look.asset("items.csv") == FILES["items.csv"]
    (folder / "items.csv").write_bytes(b"presentation\np2\n")
    (folder / "assets/plates/b.plate").unlink()
    with pytest.raises(UserError, match=r"items\.csv was changed since the pack was built"):
        look.asset("items.csv")
    with pytest.raises(UserError, match=r"b\.plate: can't be read"):
        look.asset("assets/plates/b.plate")
    assert look.asset("assets/plates/a.plate") == FILES["assets/plates/a.plate"]


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right of their own there")
@pytest.mark.parametrize("linked", ["items.csv", "assets"])
def test_a_link_in_a_pack_is_refused(tmp_path, folder, linked):
    """What it leads to may be changed after the seal was checked."""
    (folder / linked).rename(tmp_path / "elsewhere")
    (folder / linked).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UserError, match=linked):
        open_pack(folder)
