"""Who is expected in a data folder: what registry, tables and tombstones say of it together."""

import shutil
from contextlib import closing

import pytest
from sqlalchemy import insert

from participants.dataset.custody import Roll
from participants.dataset.derive import write_tables
from participants.dataset.journals import read_journals, suspect_in, write_session_sidecar
from participants.folder import DataFolder
from participants.journal import JournalWriter, read_journal
from participants.merging import merge
from participants.registry import NewSession, Registry
from participants.registry.records import bury
from participants.registry.tables import takeovers
from participants.tombstones import add_tombstones
from stimuli.errors import UserError
from tests.participants.journal.fixed_clock import FixedClock
from tests.participants.journal.workers.journals import HEADER

STUDY = HEADER["study"]
WHEN = "2026-01-01T00:00:00.000000Z"


@pytest.fixture
def registry(lab):
    with closing(Registry.open(lab.registry_url)) as registry:
        yield registry


def recorded(lab, registry, data=None, *, number=1, ended=True, trials=1, rig="", placed=True):
    """Record a session as `run` does, and return its paths."""
    data = data or lab.data
    code = registry.enrol("lead", axis="deutan", rung=1, purpose="test")
    session = f"2026010{number}T000000Z-{code}-abcd"
    where = registry.folder_id(data.root) if placed else None
    new = NewSession(session, code, "lead", STUDY, "pack", "test", rig or lab.settings.rig, where)
    registry.start_session(new)
    paths = data.session(session)
    header = HEADER | {"participant": code, "session": session}
    with JournalWriter.create(paths.journal, header, FixedClock()) as journal:
        journal.append("pause", reason="")
        if ended:
            journal.append("session_end", complete=True)
    registry.heartbeat(session, trials)
    if ended:
        registry.anchor_session(session, write_session_sidecar(paths))
        registry.finish_session(session)
    return paths


def suspect(data, lab=None):
    return set(read_journals(data, Roll.of(data, lab and lab.root))[1])


@pytest.mark.parametrize("placed", [True, False], ids=["of 1.6", "of an older registry"])
@pytest.mark.parametrize("ended", [True, False])
def test_a_session_of_this_folder_is_expected(lab, registry, ended, placed):
    kept, gone = (
        recorded(lab, registry, number=number, ended=ended, placed=placed) for number in (1, 2)
    )
    assert suspect(lab.data) == set()
    shutil.rmtree(gone.folder)
    assert suspect(lab.data) == {gone.session}
    line = suspect_in(Roll.of(lab.data))[0]
    assert line.startswith(f"{gone.session}: its journal is missing, but the registry knows of it")
    # All of them, too: the registry knows the folder by its place.
    shutil.rmtree(kept.folder.parent)
    assert suspect(lab.data) == {kept.session, gone.session}


def test_sessions_that_never_began_or_lie_elsewhere_are_not(lab, registry, tmp_path):
    here = recorded(lab, registry)
    never = recorded(lab, registry, number=2, ended=False, trials=0)
    shutil.rmtree(never.folder)
    other_folder = recorded(lab, registry, DataFolder(tmp_path / "other"), number=3)
    with closing(Registry.open(lab.registry_url, pc="another")) as registry_there:
        other_pc = recorded(lab, registry_there, number=4, rig="hall-2")
    shutil.move(other_pc.folder, tmp_path / "on the other PC")
    assert suspect(lab.data) == set()
    assert {paths.session for paths in Roll.of(lab.data).sessions()} == {here.session}
    shutil.rmtree(other_folder.folder)
    assert suspect(DataFolder(tmp_path / "other")) == {other_folder.session}


def test_a_copy_should_have_a_place_up_to_its_last_session(lab, registry, tmp_path):
    first, second = (recorded(lab, registry, number=number) for number in (1, 2))
    copy = DataFolder(shutil.copytree(lab.data.root, tmp_path / "copy"))
    later = recorded(lab, registry, number=3)
    assert suspect(copy) == set()
    shutil.rmtree(copy.session(first.session).folder)
    assert suspect(copy) == {first.session}
    assert later.session not in Roll.of(copy).kept
    merged = DataFolder(tmp_path / "merged")
    done = merge([copy], merged)
    assert [line.partition(":")[0] for line in done.suspect] == [first.session]
    assert merged.session(second.session).journal.exists()


def test_the_place_that_a_session_left_may_have_an_older_copy(lab, registry, tmp_path):
    paths = recorded(lab, registry, ended=False)
    old = shutil.copytree(lab.data.root, tmp_path / "old")
    data = DataFolder(tmp_path / "new")
    shutil.copytree(paths.folder, data.session(paths.session).folder)
    with closing(Registry.open(lab.registry_url)) as other:
        place = other.folder_id(data.root)
        other.finish_session(paths.session, complete=False)
        other.resume_session(paths.session, lab.settings.rig, "", place)
        taken = {"session": paths.session, "from_rig": "a", "to_rig": "b", "reason": "dead"}
        other.transact(
            lambda found: found.execute(insert(takeovers).values(taken_utc=WHEN, **taken))
        )
        header = HEADER | {"session": paths.session}
        there = data.session(paths.session)
        with JournalWriter.resume(there.journal, header, FixedClock()) as journal:
            journal.append("session_end", complete=True)
        other.anchor_session(paths.session, write_session_sidecar(there))
    assert suspect(data) == set()
    assert suspect(lab.data) == set() == suspect(DataFolder(old))
    shutil.rmtree(paths.folder)
    assert suspect(lab.data) == set()
    whole = there.journal.read_bytes().splitlines(keepends=True)
    there.sidecar.unlink()
    there.journal.write_bytes(b"".join(whole[:-1]))
    assert suspect(data) == {paths.session}


def test_tables_go_on_knowing_a_session_that_was_there(lab, registry, tmp_path):
    """Without a registry, too; and writing the tables again makes nobody forget it."""
    first, second = (recorded(lab, registry, number=number) for number in (1, 2))
    data = DataFolder(shutil.copytree(lab.data.root, tmp_path / "copy"))
    shutil.rmtree(lab.root)
    write_tables(data, STUDY)
    shutil.rmtree(data.session(first.session).folder)
    paths = data.session(second.session)
    paths.sidecar.unlink()
    paths.journal.write_bytes(paths.journal.read_bytes().splitlines(keepends=True)[0])
    for _ in range(2):
        roll = Roll.of(data)
        left_out = write_tables(data, STUDY, roll=roll).left_out
        assert "trials.json knows of it" in left_out[first.session]
        assert "has 1 lines, but trials.json says 3" in left_out[second.session]
        assert "There is no lab folder here" in roll.unconfirmed


def test_who_withdrew_on_another_pc_is_left_out_here(lab, registry, tmp_path):
    paths = recorded(lab, registry)
    code = paths.owner
    copy = DataFolder(shutil.copytree(lab.data.root, tmp_path / "copy"))
    bury(registry, {code: WHEN})
    for data in (copy, lab.data):
        roll = Roll.of(data)
        assert roll.gone([]) == {code}
        (note,) = roll.notes()
        assert paths.session in note
    # The lab's own folder gets the tombstone; a folder elsewhere stays as it is.
    assert lab.data.tombstones.exists()
    assert not copy.tombstones.exists()
    done = merge([copy], DataFolder(tmp_path / "merged"))
    assert (done.plan.left_out, set(done.withdrawn)) == ({paths.session}, {code})
    shutil.rmtree(paths.folder)
    assert suspect_in(Roll.of(lab.data)) == ()


def test_a_tombstone_that_the_registry_does_not_have_is_disputed(lab, registry):
    paths = recorded(lab, registry)
    add_tombstones(lab.data, {paths.owner: WHEN, "ZZZZZZZ": WHEN})
    *_, line = suspect_in(Roll.of(lab.data))
    assert f"withdrawn.csv says that {paths.owner} withdrew, but the registry doesn't" in line
    assert Roll.of(lab.data).gone([]) == {paths.owner, "ZZZZZZZ"}
    bury(registry, {paths.owner: WHEN})
    assert Roll.of(lab.data).disputes() == ()


def test_a_registry_learns_no_journal_that_was_cut(lab, registry):
    paths = recorded(lab, registry, ended=False, trials=0)
    registry.anchor_session(paths.session, write_session_sidecar(paths))
    paths.sidecar.unlink()
    paths.journal.write_bytes(b"".join(paths.journal.read_bytes().splitlines(keepends=True)[:1]))
    with pytest.raises(UserError, match="has 1 lines, but the registry says 2"):
        registry.learn(read_journal(paths.journal), None)
