"""Data folders merged into one: every session once, whatever was merged before."""

import errno
import hashlib
import os
import shutil
import signal

import pytest
from filelock import FileLock
from hypothesis import given, settings
from hypothesis import strategies as st

from participants.dataset.derive import derive, write_tables
from participants.dataset.table_files import read_table
from participants.folder import DataFolder
from participants.journal import read_journal
from participants.merging import merge
from participants.tombstones import add_tombstones, read_tombstones
from stimuli.errors import UserError
from stimuli.io.files import write_whole
from tests.modes import modes_below
from tests.participants.commands import printed, printed_json, refused
from tests.participants.dataset.test_derive import CODE, OTHER, STUDY, record
from tests.participants.session.scripted import ScriptedPresenter
from tests.participants.studies.accept_reject.experts import annotate, task_pack
from tests.participants.studies.accept_reject.packs import bare_pack

WHEN = "2026-01-01T00:00:00.000000Z"
STOPPED = ScriptedPresenter(abort_at="trial-0009")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Data folders of two PCs: two people, an expert, and a session that was stopped."""
    root = tmp_path_factory.mktemp("pcs")
    west, east = DataFolder(root / "west"), DataFolder(root / "east")
    record(west, bare_pack(), f"1-{CODE}")
    record(west, bare_pack(), f"2-{OTHER}", participant=OTHER, presenter=STOPPED)
    annotate(east, task_pack(), "KLM78PQ", session="3-KLM78PQ")
    record(east, bare_pack(main_trials=4), f"4-{OTHER}", participant=OTHER, purpose="pilot")
    east.map_set("3-KLM78PQ").mkdir(parents=True)
    (east.map_set("3-KLM78PQ") / "maps.csv").write_text("map\n")
    return west, east


@pytest.fixture
def pcs(made, tmp_path):
    return [DataFolder(shutil.copytree(one.root, tmp_path / one.root.name)) for one in made]


@pytest.fixture
def into(tmp_path):
    return DataFolder(tmp_path / "all")


def tree(folder):
    """Every file's content, locks aside."""
    return {
        str(path.relative_to(folder.root)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.root.rglob("*"))
        if path.is_file() and path.suffix != ".lock"
    }


def test_all_sessions_packs_and_map_sets_are_there_and_tables_hold_them(pcs, into):
    before = [tree(folder) for folder in pcs]
    done = merge(pcs, into)
    assert sorted(done.plan.new) == [f"1-{CODE}", f"2-{OTHER}", "3-KLM78PQ", f"4-{OTHER}"]
    assert done.failed == {}
    for folder in pcs:
        for name, content in tree(folder).items():
            assert tree(into)[name] == content
    assert [tree(folder) for folder in pcs] == before
    apart = [row for folder in pcs for row in derive(folder, STUDY).trials]
    both = list(derive(into, STUDY).trials)
    assert sorted(both, key=str) == sorted(apart, key=str)
    assert read_table(into, STUDY, "trials") == both
    assert not into.merging.exists()


def test_merging_again_in_any_order_or_part_by_part_changes_nothing(pcs, into, tmp_path):
    merge(pcs, into)
    whole = tree(into)
    for sources in (pcs, pcs[::-1], pcs[:1]):
        done = merge(sources, into)
        assert (done.plan.new, done.plan.longer, done.plan.packs) == ({}, {}, {})
        assert tree(into) == whole
    other = DataFolder(tmp_path / "other")
    for source in pcs[::-1]:
        merge([source], other)
    assert tree(other) == whole
    merge([into], DataFolder(tmp_path / "third"))
    assert tree(DataFolder(tmp_path / "third")) == whole


def test_of_a_session_that_went_on_elsewhere_the_longer_one_is_taken(pcs, into, tmp_path, capsys):
    west, _ = pcs
    session = f"2-{OTHER}"
    later = DataFolder(tmp_path / "later")
    shutil.copytree(west.root, later.root)
    # What was cut short there is set aside when the session goes on.
    with later.session(session).journal.open("ab") as stream:
        stream.write(b'{"event":"tri')
    merge([west], into)
    record(later, bare_pack(), session, participant=OTHER)
    assert later.session(session).torn.exists()
    told = printed(capsys, "participants", "merge", later.root, "--into", into.root)
    assert f"session {session} goes on further in {later.session(session).folder}" in told
    for name in ("journal.jsonl", "journal.torn"):
        there = into.session(session).folder / name
        assert there.read_bytes() == (later.session(session).folder / name).read_bytes()
    assert read_journal(into.session(session).journal).complete
    whole = tree(into)
    assert merge([west, later], into).plan.longer == {}
    assert tree(into) == whole


def test_a_session_that_differs_is_a_conflict_and_nothing_is_written(pcs, into, tmp_path):
    west, _ = pcs
    other = DataFolder(tmp_path / "other")
    shutil.copytree(west.root, other.root)
    for folder, rt_s in ((west, 1.0), (other, 2.0)):
        record(
            folder, bare_pack(), f"2-{OTHER}", participant=OTHER,
            presenter=ScriptedPresenter(rt_s=rt_s),
        )  # fmt: skip
    with pytest.raises(UserError, match=f"conflict: session 2-{OTHER} in .*west.* and .*other"):
        merge([west, other], into)
    assert tree(into) == {}


def test_a_copy_of_a_pack_with_a_broken_seal_is_refused_and_nothing_is_written(pcs, into):
    west, _ = pcs
    key = next(west.packs.glob("*/key.csv"))
    key.write_bytes(key.read_bytes() + b"x")
    with pytest.raises(UserError, match=f"{key.parent}: key.csv was changed since the pack was"):
        merge(pcs, into)
    assert tree(into) == {}


def test_a_session_that_is_a_link_is_copied_and_one_that_leads_nowhere_is_named(
    pcs, into, tmp_path, capsys
):
    west, _ = pcs
    linked = west.session(f"1-{CODE}").folder
    disk = tmp_path / "disk"
    linked.rename(disk)
    linked.symlink_to(disk)
    merge(pcs, into)
    copied = into.session(f"1-{CODE}").folder
    assert not copied.is_symlink()
    assert (copied / "journal.jsonl").read_bytes() == (disk / "journal.jsonl").read_bytes()
    disk.rename(tmp_path / "unmounted")
    words = ["participants", "merge", *(one.root for one in pcs), "--into", into.root]
    assert f"{linked}: is a link to a session that isn't there; mount its disk" in (
        refused(capsys, *words)
    )
    reason = derive(west, STUDY).left_out[f"1-{CODE}"]
    assert reason == f"1-{CODE}: can't be read (No such file or directory)"


@pytest.mark.skipif(os.name != "posix", reason="makes a pipe")
@pytest.mark.parametrize(
    ("make", "place", "line"),
    [
        (os.mkfifo, f"sessions/1-{CODE}/notes.txt", "is a pipe, not a file"),
        (
            lambda path: path.symlink_to(__file__),
            "mapsets/3-KLM78PQ/more.csv",
            "is a link; put the",
        ),
    ],
)
def test_a_pipe_or_a_link_within_a_session_or_its_map_set_is_refused(pcs, into, make, place, line):
    odd = next(source.root / place for source in pcs if (source.root / place).parent.is_dir())
    make(odd)
    with pytest.raises(UserError, match=f"{odd}: {line}"):
        merge(pcs, into)
    assert tree(into) == {}


@pytest.mark.skipif(os.name != "posix", reason="permissions as POSIX has them")
def test_what_is_merged_is_private_whatever_the_sources_are(pcs, into):
    for source in pcs:
        for path in source.root.rglob("*"):
            path.chmod(0o777 if path.is_dir() else 0o666)
    merge(pcs, into)
    assert modes_below(into.root) == {"folders": {0o700}, "files": {0o600}}


def test_tombstones_are_heeded_carried_and_remove_what_is_there(pcs, into):
    """One of any folder counts for all; what was merged before goes too."""
    west, east = pcs
    merge(pcs, into)
    add_tombstones(east, {OTHER: WHEN})
    done = merge(pcs, into)
    assert done.plan.left_out == {f"2-{OTHER}", f"4-{OTHER}"}
    assert read_tombstones(into) == {OTHER: WHEN}
    assert not any(OTHER in name for name in tree(into))
    assert not any(OTHER.encode() in path.read_bytes() for path in into.root.rglob("*.csv")
                   if path != into.tombstones)  # fmt: skip
    assert {row["participant"] for row in read_table(into, STUDY, "trials")} == {CODE}
    whole = tree(into)
    merge([west], into)
    assert tree(into) == whole


def test_an_expert_who_withdrew_is_replaced_in_copied_packs(pcs, into):
    west, east = pcs
    copy = next(path for path in west.packs.iterdir())
    # The pack of the leads shows what the expert painted.
    expert = "KLM78PQ"
    pack = bare_pack(solver_id=expert)
    record(west, pack, f"5-{CODE}")
    add_tombstones(east, {expert: WHEN})
    merge(pcs, into)
    key = (into.pack_copy(pack.pack_id) / "key.csv").read_text()
    assert expert not in key
    assert "withdrawn-" in key
    solvers = {row["solver_id"] for row in derive(into, STUDY).trials}
    assert expert not in solvers
    assert copy.is_dir()
    whole = tree(into)
    merge(pcs, into)
    assert tree(into) == whole


@settings(max_examples=6, deadline=None)
@given(share=st.floats(0, 1))
def test_whatever_part_of_a_journal_a_copy_has_the_whole_one_is_taken(tmp_path_factory, share):
    root = tmp_path_factory.mktemp("cut")
    whole, part, into = (DataFolder(root / name) for name in ("whole", "part", "all"))
    record(whole, bare_pack(main_trials=3))
    shutil.copytree(whole.root, part.root)
    path = part.session("s1").journal
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    for sources in ([part, whole], [whole, part]):
        merge(sources, into)
        assert into.session("s1").journal.read_bytes() == whole.session("s1").journal.read_bytes()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a forked child")
@pytest.mark.parametrize("step", [3, 11])
def test_killed_at_any_step_merging_again_finishes(pcs, into, tmp_path, step):
    merge(pcs, DataFolder(tmp_path / "whole"))
    child = os.fork()
    if child == 0:
        left, replace = [step], os.replace

        def dying(*arguments, **named):
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return replace(*arguments, **named)

        os.replace = dying
        merge(pcs, into)
        os._exit(0)
    assert os.WIFSIGNALED(os.waitpid(child, 0)[1])
    merge(pcs, into)
    rest = {name: content for name, content in tree(into).items() if not name.endswith(".part")}
    assert rest == tree(DataFolder(tmp_path / "whole"))


def test_on_a_full_disk_it_says_so_and_goes_on_later(pcs, into, tmp_path, monkeypatch):
    merge(pcs, DataFolder(tmp_path / "whole"))
    copied = []

    def full(path, data):
        copied.append(path)
        if len(copied) == 7:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        return write_whole(path, data)

    with monkeypatch.context() as patched:
        patched.setattr("participants.merging.write_whole", full)
        with pytest.raises(UserError, match=r"No space left .*; see that the disk has space"):
            merge(pcs, into)
    merge(pcs, into)
    assert tree(into) == tree(DataFolder(tmp_path / "whole"))


def test_mistakes_are_one_line(pcs, into, tmp_path, capsys):
    west, _ = pcs
    merging = ("participants", "merge")
    assert "is not a data folder" in refused(
        capsys, *merging, tmp_path / "none", "--into", into.root
    )
    assert "lie in one another" in refused(capsys, *merging, west.root, "--into", west.root)
    assert "lie in one another" in refused(
        capsys, *merging, west.root, "--into", west.root / "tables"
    )
    with FileLock(west.session(f"1-{CODE}").journal.with_suffix(".lock")):
        assert "is running; merge when it has ended" in refused(
            capsys, *merging, west.root, "--into", into.root
        )
    into.make()
    with FileLock(into.root / ".merge.lock"):
        assert "another merge writes here" in refused(
            capsys, *merging, west.root, "--into", into.root
        )
    assert tree(into) == {}


def test_the_verb_says_what_it_did(pcs, into, capsys):
    words = ["participants", "merge", *(one.root for one in pcs), "--into", into.root]
    done = printed_json(capsys, *words)
    assert (len(done["new"]), len(done["packs"]), done["longer"]) == (4, 3, [])
    assert "sessions copied 0, there already 4; packs copied 0" in printed(capsys, *words)
    assert write_tables(into, STUDY).left_out == {}
