"""Backups: what is brought back equals what was backed up, whatever happens in between."""

import errno
import os
import shutil
from contextlib import closing
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from participants.backing_up import back_up_after_session
from participants.backup.make import back_up
from participants.backup.record import Record
from participants.backup.restore import restore
from participants.backup.store import REGISTRY_COPY, BackupStore, kept_backups
from participants.cli import main
from participants.dataset.custody import Roll
from participants.dataset.derive import write_tables
from participants.folder import LabFolder
from participants.journal import JournalWriter, read_journal
from participants.new_person import NewPerson
from participants.registry import Registry
from participants.registry.records import bury
from participants.tombstones import read_tombstones
from tests.participants.backup.comparing import NOW, contents, flip, killed
from tests.participants.commands import refused
from tests.participants.dataset.test_derive import record
from tests.participants.studies.accept_reject.packs import bare_pack


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A lab with people, two sessions, their tables and a text of its own."""
    lab = LabFolder.make(tmp_path_factory.mktemp("made") / "lab")
    with closing(Registry.of(lab)) as registry:
        (one, other) = registry.enrol_several(2, NewPerson("lead", "deutan", 1))
        for code in (one, other):
            record(lab.data, bare_pack(), f"s-{code}", participant=code)
            registry.learn(read_journal(lab.data.session(f"s-{code}").journal), None)
    write_tables(lab.data, "accept_reject")
    lab.texts.mkdir()
    (lab.texts / "own.md").write_text("Our own text.")
    return lab.root


@pytest.fixture
def lab(made, tmp_path, monkeypatch):
    shutil.copytree(made, tmp_path / "lab")
    monkeypatch.setenv("PLAINSIGHT_LAB", str(tmp_path / "lab"))
    return LabFolder.open()


@pytest.fixture
def place(tmp_path):
    (tmp_path / "disk").mkdir()
    return tmp_path / "disk" / "backups"


def test_an_empty_pc_gets_back_all_that_was_backed_up(lab, place, tmp_path, capsys):
    before = contents(lab.root)
    assert main(["backup", "--to", str(place)]) == 0
    assert "all verified" in capsys.readouterr().out
    assert main(["restore", str(place), "--lab", str(tmp_path / "new")]) == 0
    assert contents(tmp_path / "new") == before == contents(lab.root)
    assert {path.stat().st_mode & 0o077 for path in place.rglob("*")} == {0}
    assert {path.stat().st_mode & 0o077 for path in (tmp_path / "new").rglob("*")} == {0}
    # It goes on with the same backups.
    monthly = back_up(LabFolder.open(tmp_path / "new"), place, NOW, thorough=True)
    assert monthly.copied == 0


def test_a_torn_list_of_tombstones_is_named_and_keeps_nothing_from_coming_back(
    lab, place, tmp_path, capsys
):
    with closing(Registry.of(lab)) as registry:
        gone = registry.enrol("lead", axis="deutan", rung=1)
        bury(registry, {gone: None})
    lab.data.tombstones.write_text("code,withd", encoding="utf-8")
    new = LabFolder(tmp_path / "new", lab.settings)
    for words in (["backup", "--to", place], ["restore", place, "--lab", new.root]):
        assert main([str(word) for word in words]) == 3
        assert "can't be trusted: " in (said := capsys.readouterr().err)
        assert "withdrawn.csv: column missing: withdrawn_utc; delete it if" in said
    assert contents(new.root) == contents(lab.root)
    assert not [*tmp_path.glob(".*-restoring*")]
    # As the line says: the registry writes it anew.
    new.data.tombstones.unlink()
    assert list(Roll.of(new.data).withdrawn) == list(read_tombstones(new.data)) == [gone]


@settings(max_examples=6)
@given(
    files=st.dictionaries(
        st.sampled_from(["texts/a.md", "rigs/x.toml", "data/sessions/s/journal.jsonl", "é/b.bin"]),
        st.binary(max_size=40),
    ),
    later=st.dictionaries(st.sampled_from(["texts/a.md", "é/b.bin"]), st.binary(max_size=40)),
)
def test_each_backup_stays_as_it_was(tmp_path_factory, files, later):
    root = tmp_path_factory.mktemp("some")
    lab, states = LabFolder.make(root / "lab"), []
    Registry.of(lab).close()
    for number, content in enumerate((files, later)):
        for name, data in content.items():
            (lab.root / name).parent.mkdir(parents=True, exist_ok=True)
            (lab.root / name).write_bytes(data)
        when = NOW + timedelta(hours=number)
        made = back_up(lab, root / "place", when, thorough=number == 0)
        states.append((made.backup.id, contents(lab.root)))
    for number, (one, state) in enumerate(states):
        restore(root / "place", root / f"new{number}", one)
        assert contents(root / f"new{number}") == state


def test_settings_that_named_other_disks_name_the_lab_folder_after_it(tmp_path, capsys):
    root = tmp_path / "lab"
    LabFolder.make(root)
    (tmp_path / "big").mkdir()
    text = (root / "lab.toml").read_text()
    text = text.replace('data = "data"', f'data = "{tmp_path / "big" / "data"}"  # the big disk')
    text = text.replace("sqlite:///registry", f"sqlite:///{tmp_path / 'big'}/people")
    (root / "lab.toml").write_text(text)
    (tmp_path / "big" / "data").mkdir()
    lab = LabFolder.open(root)
    (lab.data.root / "withdrawn.csv").write_text("code,withdrawn_utc\n")
    back_up(lab, tmp_path / "place", NOW, thorough=True)
    shutil.rmtree(tmp_path / "big")
    assert main(["restore", str(tmp_path / "place"), "--lab", str(tmp_path / "new")]) == 0
    assert "data and registry lay elsewhere" in capsys.readouterr().out
    new = LabFolder.open(tmp_path / "new")
    assert new.data.root == tmp_path / "new" / "data"
    assert (new.data.tombstones.exists(), (new.root / REGISTRY_COPY).exists()) == (True, True)


def test_while_a_session_runs_its_journal_is_whole_as_far_as_it_went(lab, place, tmp_path):
    old = next(iter(lab.data.sessions()))
    header = read_journal(old.journal).header.fields
    header = {name: header[name] for name in header if name not in ("schema", "resumed")}
    running = lab.data.session("20260301T120000Z-running")
    with JournalWriter.create(running.journal, header | {"session": running.session}) as journal:
        journal.append("note", at="pause", text="one")
        back_up(lab, place, NOW, thorough=False)
        journal.append("note", at="pause", text="two")
    done = restore(place, tmp_path / "new")
    assert done.unfinished == (running.session,)
    copied = read_journal(done.lab.data.session(running.session).journal)
    assert [event["text"] for event in copied.of("note")] == ["one"]
    assert (done.lab.data.outbox / running.session).exists()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a forked child")
@pytest.mark.parametrize("step", [9, 45])
def test_a_killed_backup_harms_no_other_and_the_next_is_whole(lab, place, tmp_path, step):
    first, state = back_up(lab, place, NOW, thorough=False).backup, contents(lab.root)
    for number in range(40):
        (lab.root / f"new-{number}.md").write_text(f"file {number}")
    later = NOW + timedelta(hours=1)
    assert killed("fsync", step, lambda: back_up(lab, place, later, thorough=False))
    restore(place, tmp_path / "then", first.id)
    assert contents(tmp_path / "then") == state
    made = back_up(lab, place, later, thorough=False)
    store = BackupStore.open(place)
    assert not list(store.damaged(made.backup))
    assert not list(place.rglob("*.part"))
    restore(place, tmp_path / "now")
    assert contents(tmp_path / "now") == contents(lab.root)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a forked child")
@pytest.mark.parametrize("step", [1, 14])
def test_a_killed_restore_leaves_no_lab_and_the_same_command_finishes(lab, place, tmp_path, step):
    back_up(lab, place, NOW, thorough=False)
    assert killed("fsync", step, lambda: restore(place, tmp_path / "new"))
    assert not (tmp_path / "new").exists()
    restore(place, tmp_path / "new")
    assert contents(tmp_path / "new") == contents(lab.root)
    assert {path.name for path in tmp_path.iterdir()} == {"disk", "lab", "new"}


def full(monkeypatch, module, name, after=3):
    left, change = [after], getattr(__import__(module, fromlist=[name]), name)

    def refuse(*arguments, **named):
        left[0] -= 1
        if left[0] == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return change(*arguments, **named)

    monkeypatch.setattr(f"{module}.{name}", refuse)


def test_on_a_full_disk_it_says_so_in_one_line_and_older_backups_stay(
    lab, place, tmp_path, capsys, monkeypatch
):
    back_up(lab, place, NOW, thorough=False)
    for number in range(9):
        (lab.root / f"new-{number}.md").write_text(f"file {number}")
    before = contents(lab.root)
    with monkeypatch.context() as patched:
        full(patched, "os", "fsync")
        said = refused(capsys, "backup", "--to", place)
    assert "No space left on device" in said
    assert not list(place.rglob("*.part"))
    assert Record.of(lab).place(place).reason == said.strip()
    with monkeypatch.context() as patched:
        full(patched, "os", "fsync")
        said = refused(capsys, "restore", place, "--lab", tmp_path / "new")
    assert "No space left on device; nothing was restored" in said
    assert not (tmp_path / "new").exists()
    assert main(["backup", "--to", str(place)]) == 0
    assert Record.of(lab).place(place).reason == ""
    restore(place, tmp_path / "new")
    assert contents(tmp_path / "new") == before


def test_a_disk_that_is_not_there_harms_no_session_and_is_noted(lab, place, capsys):
    text = (lab.root / "lab.toml").read_text()
    (lab.root / "lab.toml").write_text(text.replace("backup = []", f'backup = ["{place}"]'))
    lab = LabFolder.open(lab.root)
    shutil.rmtree(place.parent)
    (line,) = back_up_after_session(lab)
    assert line.startswith(f"No backup in {place}: {place.parent}: isn't there; plug in its disk")
    assert Record.of(lab).place(place).failed_utc
    place.parent.mkdir()
    assert back_up_after_session(lab) == ()
    assert Record.of(lab).place(place).failed_utc is None
    # An empty folder where the disk was mounted isn't taken for the disk.
    shutil.rmtree(place)
    place.mkdir()
    assert "is its disk plugged in?" in back_up_after_session(lab)[0]
    assert list(place.iterdir()) == []


def test_mistakes_are_one_line(lab, place, tmp_path, capsys):
    assert "no second place is named" in refused(capsys, "backup")
    assert "lies in the lab itself" in refused(capsys, "backup", "--to", lab.root / "copy")
    assert "holds no backups" in refused(capsys, "restore", tmp_path, "--lab", tmp_path / "n")
    other = LabFolder.make(tmp_path / "other")
    back_up(other, place, NOW, thorough=False)
    assert "another lab folder" in refused(capsys, "backup", "--to", place)
    there = refused(capsys, "restore", place, "--lab", lab.root)
    assert "is there already, and restore overwrites nothing" in there
    assert not [*lab.root.parent.glob(".*-restoring*")]
    assert "has no backup none" in refused(
        capsys, "restore", place, "--backup", "none", "--lab", tmp_path / "n"
    )
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("Dear")
    assert "holds other things" in refused(capsys, "backup", "--to", tmp_path / "full")


def test_flipped_bits_are_noticed_and_an_older_backup_is_named(lab, place, tmp_path, capsys):
    first = back_up(lab, place, NOW, thorough=False).backup
    (lab.root / "note.md").write_text("Later")
    second = back_up(lab, place, NOW + timedelta(hours=1), thorough=False).backup
    store = BackupStore.open(place)
    flip(store.path_of(second.files["lab/note.md"].sha256))
    said = refused(capsys, "restore", place, "--lab", tmp_path / "new")
    assert "1 of" in said
    assert f"lab/note.md); take {first.id}" in said
    words = ["restore", place, "--lab", tmp_path / "new", "--despite-damage"]
    assert main([str(word) for word in words]) == 2
    expected = contents(lab.root)
    del expected["note.md"]
    assert contents(tmp_path / "new") == expected
    # The verb reads all of it, and mends the copy from the lab.
    back_up(lab, place, NOW + timedelta(hours=2), thorough=True)
    assert not list(store.damaged(second))


def test_a_list_that_was_changed_is_never_used_and_nothing_is_swept(lab, place, tmp_path, capsys):
    first = back_up(lab, place, NOW, thorough=False).backup
    kept = {path for path in (place / "files").rglob("*") if path.is_file()}
    flip(place / "backups" / f"{first.id}.json")
    (lab.root / "lab.toml").write_text((lab.root / "lab.toml").read_text() + "# more\n")
    second = back_up(lab, place, NOW + timedelta(days=400), thorough=False).backup
    assert kept <= set((place / "files").rglob("*"))
    assert "list of a backup's files was changed" in refused(
        capsys, "restore", place, "--backup", first.id, "--lab", tmp_path / "new"
    )
    assert restore(place, tmp_path / "new").backup.id == second.id


@given(st.lists(st.integers(0, 24 * 400), max_size=60))
def test_thinning_keeps_seven_days_then_weeks_then_months(ages_h):
    made = {f"{number}": NOW - timedelta(hours=age) for number, age in enumerate(ages_h)}
    kept = kept_backups(made, NOW)
    assert kept == kept_backups({one: made[one] for one in kept}, NOW)
    slow = set()
    for one, when in made.items():
        age = NOW - when
        newer = [other for other in made if (made[other], other) > (when, one)]
        week = [o for o in newer if same_week(made[o], when) and NOW - made[o] >= timedelta(days=7)]
        month = [
            o
            for o in newer
            if made[o].strftime("%Y%m") == when.strftime("%Y%m")
            and NOW - made[o] >= timedelta(days=63)
        ]
        if (
            not newer
            or age < timedelta(days=7)
            or (age < timedelta(days=63) and not week)
            or (age >= timedelta(days=63) and not month)
        ):
            slow.add(one)
    assert kept == slow


def same_week(one, other):
    monday = [day.date() - timedelta(days=day.weekday()) for day in (one, other)]
    return monday[0] == monday[1]


def test_old_backups_go_and_what_only_they_had(lab, place):
    (lab.root / "old.md").write_text("only in the first")
    first = back_up(lab, place, NOW, thorough=False).backup
    (lab.root / "old.md").unlink()
    for hours in range(1, 4):
        back_up(lab, place, NOW + timedelta(hours=hours), thorough=False)
    made = back_up(lab, place, NOW + timedelta(days=90), thorough=False)
    store = BackupStore.open(place)
    assert (made.thinned, len(store.ids())) == (3, 2)
    assert not store.holds(first.files["lab/old.md"])
    assert not any(list(store.damaged(store.backup(one))) for one in store.ids())


def test_a_damaged_registry_keeps_nothing_else_from_being_backed_up(lab, place, tmp_path, capsys):
    back_up(lab, place, NOW, thorough=False)
    (lab.root / REGISTRY_COPY).write_bytes(b"not a database" * 99)
    assert main(["backup", "--to", str(place)]) == 2
    damaged, unconfirmed, *_ = capsys.readouterr().err.splitlines()
    assert "registry.sqlite isn't in it" in damaged
    assert unconfirmed.startswith("Note: The lab's registry can't be read")
    newest = BackupStore.open(place).backups()[0][-1]
    assert REGISTRY_COPY not in newest.files
    assert "data/sessions" in " ".join(newest.files)
