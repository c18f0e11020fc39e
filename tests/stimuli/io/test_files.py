"""Files that appear whole: of a full disk, of kills, and of two writers nothing is left behind."""

import errno
import os
import signal
import threading

import pytest

from stimuli.io.files import left_overs_of, whole_folder, write_whole
from stimuli.workers import Kept


@pytest.fixture
def full_disk(monkeypatch):
    """A disk on which a flush finds no space; the system names no file then."""

    def refuse(handle):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", refuse)


@pytest.mark.usefixtures("full_disk")
def test_a_full_disk_names_the_file_and_leaves_nothing(tmp_path):
    with pytest.raises(OSError, match="No space left") as full:
        write_whole(tmp_path / "maps.csv", b"x")
    assert (full.value.errno, full.value.filename) == (errno.ENOSPC, str(tmp_path / "maps.csv"))
    assert not list(tmp_path.iterdir())
    with pytest.raises(OSError, match=r"runs\.jsonl"):
        Kept(tmp_path / "runs.jsonl").put("a", 1)


def test_a_full_disk_names_the_folder_that_was_to_appear(tmp_path):
    wanted = tmp_path / "export"
    with pytest.raises(OSError, match="No space left") as full, whole_folder(wanted) as aside:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(aside / "a.csv"))
    assert full.value.filename == str(wanted)
    assert not list(tmp_path.iterdir())


def write_file(place, content=b"new"):
    write_whole(place / "file.csv", content)


def write_folder(place, content=b"new"):
    with whole_folder(place / "folder") as aside:
        write_whole(aside / "a" / "b.csv", content)


def contents(place):
    return {
        str(one.relative_to(place)): one.read_bytes() for one in place.rglob("*") if one.is_file()
    }


CALLS = ("open", "fsync", "rename", "replace", "mkdir")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a forked child")
@pytest.mark.parametrize("write", [write_file, write_folder])
def test_what_a_kill_left_is_taken_over_by_the_same_write(write, tmp_path):
    """Killed twice before each of its calls of the system in turn."""
    left, step = set(), 0
    while True:
        step += 1
        place = tmp_path / str(step)
        place.mkdir()
        if not killed_at(step, write, place):
            break
        killed_at(step, write, place)
        left |= {path.name for path in place.iterdir()}
        write(place)
        assert list(contents(place).values()) == [b"new"]
        assert [path.name[0] for path in place.iterdir()] == ["f"]
    assert any(name.startswith(".f") for name in left)


def killed_at(step, write, place):
    """Write in a child that is killed before its Nth call; return whether it was."""
    if not (child := os.fork()):
        calls = [step]

        def dying(call):
            def either(*arguments, **named):
                calls[0] -= 1
                if not calls[0]:
                    os.kill(os.getpid(), signal.SIGKILL)
                return call(*arguments, **named)

            return either

        for name in CALLS:
            setattr(os, name, dying(getattr(os, name)))
        write(place, b"old")
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


@pytest.mark.parametrize("write", [write_file, write_folder])
def test_two_who_write_at_once_do_not_spoil_each_other(write, tmp_path, monkeypatch):
    """One waits in mid-write until the other is done, and then puts its own in place."""
    flush, waiting, go_on = os.fsync, threading.Event(), threading.Event()

    def slow(handle):
        if threading.current_thread() is first and not waiting.is_set():
            waiting.set()
            go_on.wait()
        flush(handle)

    monkeypatch.setattr(os, "fsync", slow)
    failed = []

    def begin():
        try:
            write(tmp_path, b"first")
        except OSError as fault:
            failed.append(fault)

    first = threading.Thread(target=begin)
    first.start()
    waiting.wait()
    write(tmp_path, b"second")
    assert list(contents(tmp_path).values()).count(b"second") == 1
    assert left_overs_of(tmp_path / ("file.csv" if write is write_file else "folder")) == []
    go_on.set()
    first.join()
    # A file is replaced; a folder that is there already isn't.
    expected = b"first" if write is write_file else b"second"
    assert list(contents(tmp_path).values()) == [expected]
    assert len(failed) == (write is write_folder)
    assert [path.name[0] for path in tmp_path.iterdir()] == ["f"]


@pytest.mark.skipif(os.name != "posix", reason="links and pipes of POSIX")
@pytest.mark.parametrize("trap", ["link", "hard link", "pipe", "folder"])
def test_what_somebody_put_at_the_hidden_name_is_not_written_to(trap, tmp_path):
    other, aside = tmp_path / "other", tmp_path / ".file.csv-.part"
    other.write_bytes(b"mine")
    {
        "link": lambda: aside.symlink_to(other),
        "hard link": lambda: aside.hardlink_to(other),
        "pipe": lambda: os.mkfifo(aside),
        "folder": aside.mkdir,
    }[trap]()
    write_file(tmp_path)
    assert (tmp_path / "file.csv").read_bytes() == b"new"
    assert other.read_bytes() == b"mine"
