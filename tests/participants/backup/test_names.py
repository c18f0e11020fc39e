"""No name in a backup's list leads out of the lab folder, and no pipe in a lab is ever read."""

import os
import socket
from dataclasses import replace

import pytest

from participants.backup.make import back_up
from participants.backup.restore import restore
from participants.backup.store import REGISTRY_COPY, Backup, BackupStore, Entry
from participants.cli import main
from participants.folder import LabFolder
from participants.registry import Registry
from participants.withdrawal.copies import carry_out, note_withdrawal
from stimuli.errors import UserError
from tests.participants.backup.comparing import NOW
from tests.participants.commands import refused

OUTSIDE = ("data/../../x", "/etc/x", "x", "other/x", "lab/C:x", "lab\\x", "data/com1.txt", "lab/.")


@pytest.fixture
def lab(tmp_path, monkeypatch):
    monkeypatch.setenv("PLAINSIGHT_LAB", str(tmp_path / "lab"))
    lab = LabFolder.make()
    lab.texts.mkdir()
    (lab.texts / "own.md").write_text("Our own text.")
    return lab


@pytest.fixture
def code(lab):
    registry = Registry.of(lab)
    code = registry.enrol("expert")
    registry.close()
    return code


@pytest.fixture
def place(tmp_path):
    return tmp_path / "backups"


def there(folder):
    paths = (path for path in folder.rglob("*") if path.suffix != ".lock")
    return sorted(path.relative_to(folder) for path in paths)


def test_a_backup_with_a_name_that_leads_out_is_never_restored(lab, place, tmp_path):
    whole = back_up(lab, place, NOW, thorough=False).backup
    store = BackupStore.open(place)
    evil = [(name, store.keep(b"evil")) for name in OUTSIDE]
    evil += [("lab/more", Entry(digest, 1)) for digest in ("../../lab.toml", "a" * 63, "A" * 64)]
    for name, entry in evil:
        store.write(replace(whole, id="9-evil", files={**whole.files, name: entry}))
        before = there(tmp_path)
        with pytest.raises(UserError, match=f"leads out of a lab folder.*|take .*{whole.id}"):
            restore(place, tmp_path / "new")
        assert there(tmp_path) == before
    assert restore(place, tmp_path / "new", whole.id).backup == whole


def test_a_withdrawal_from_a_backup_writes_nothing_outside(lab, code, place, tmp_path):
    whole = back_up(lab, place, NOW, thorough=False).backup
    store = BackupStore.open(place)
    named = store.keep(code.encode())
    store.write(replace(whole, id="9-evil", files={**whole.files, "lab/../../x": named}))
    before = there(tmp_path)
    note_withdrawal(lab, code, "2026-01-01", built=False)
    (removed,) = carry_out(lab, NOW).values()
    assert "leads out of a lab folder" in removed.failed
    outside = {path for path in there(tmp_path) if path.parts[0] not in ("lab", "backups")}
    assert outside == {path for path in before if path.parts[0] not in ("lab", "backups")}


@pytest.mark.parametrize("key", ["data", "registry"])
def test_settings_in_a_backup_never_lead_out(lab, place, tmp_path, key):
    """A key in quotes isn't found by the line that is put in its place."""
    whole = back_up(lab, place, NOW, thorough=False).backup
    value = {"data": "../x", "registry": "sqlite:///../x/people"}[key]
    lines = [line for line in (lab.root / "lab.toml").read_text().splitlines() if key not in line]
    text = "\n".join([f'"{key}" = "{value}"', *lines, ""])
    store = BackupStore.open(place)
    settings = store.keep(text.encode())
    store.write(replace(whole, id="9-evil", files={**whole.files, "lab/lab.toml": settings}))
    before = there(tmp_path)
    with pytest.raises(UserError, match=f"{key} leads out of the lab folder"):
        restore(place, tmp_path / "new")
    assert there(tmp_path) == before


def without_registry(backup: Backup, **changes):
    files = {name: backup.files[name] for name in backup.files if name != REGISTRY_COPY}
    return replace(backup, files=files, **changes)


@pytest.mark.parametrize("options", [(), ("--backup", "9-partial"), ("--despite-damage",)])
def test_a_backup_without_a_registry_is_refused_and_the_newest_whole_one_named(
    lab, code, place, tmp_path, capsys, options
):
    back_up(lab, place, NOW, thorough=False)
    (lab.texts / "new.md").write_text("More.")
    whole = back_up(lab, place, NOW.replace(year=2027), thorough=False).backup
    BackupStore.open(place).write(without_registry(whole, id="9-partial"))
    said = refused(capsys, "restore", place, "--lab", tmp_path / "new", *options)
    assert "backup 9-partial has no registry" in said
    assert f"take {whole.id}, which is whole (--backup {whole.id})" in said
    assert not (tmp_path / "new").exists()


def test_the_rest_of_it_is_restored_if_asked_for_and_no_empty_registry_is_made(
    lab, code, place, tmp_path, capsys
):
    whole = back_up(lab, place, NOW, thorough=False).backup
    BackupStore.open(place).write(without_registry(whole, id="9-partial"))
    new = ["--lab", str(tmp_path / "new")]
    assert main(["restore", str(place), *new, "--without-registry"]) == 0
    assert not (tmp_path / "new" / REGISTRY_COPY).exists()
    line = refused(capsys, "participants", "list", *new)
    assert "participants rebuild makes it again" in line
    assert main(["participants", "rebuild", *new]) == 0
    assert main(["participants", "list", *new]) == 0


def make_socket(path):
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(path))


@pytest.mark.skipif(os.name != "posix", reason="makes a pipe")
@pytest.mark.parametrize(
    ("make", "command", "kind"),
    [(os.mkfifo, "backup --to PLACE", "a pipe"),
     (make_socket, "participants withdraw CODE --yes", "a socket")],
)  # fmt: skip
def test_a_pipe_in_a_lab_is_named_and_not_read(make, command, kind, lab, code, place, capsys):
    odd = lab.texts / "odd"
    make(odd)
    line = refused(capsys, *command.replace("CODE", code).replace("PLACE", str(place)).split())
    assert str(odd) in line
    assert f"is {kind}, not a file" in line


@pytest.mark.skipif(os.name != "posix", reason="such a name exists on POSIX alone")
def test_a_name_that_another_system_cannot_have_is_left_out_by_name(lab, code, place, tmp_path):
    (lab.texts / "a:b.md").write_text("Day 1")
    made = back_up(lab, place, NOW, thorough=True).backup
    reason = "has a name that other systems can't have; rename it"
    assert made.left_out == {str(lab.texts / "a:b.md"): reason}
    assert (restore(place, tmp_path / "new").lab.texts / "own.md").exists()
