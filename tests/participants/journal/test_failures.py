"""Journals whose writer is killed, and whose disk refuses: nothing that was promised is lost."""

import errno
import os
import random
import tempfile
import time
from pathlib import Path

import pytest

from participants.journal import JournalError, JournalWriter, read_journal, storage
from tests.participants.journal.workers.journals import HEADER, write_trial

KILLS = 4

posix = pytest.mark.skipif(os.name != "posix", reason="limits and owners of POSIX systems")


def test_a_journal_killed_at_random_moments_loses_no_finished_trial(path, start):
    """What was acknowledged before kill -9 is there, in order, after any number of kills."""
    moments = random.Random(5)
    acknowledged = 0
    for _ in range(KILLS):
        worker = start("write_until_killed", path, acknowledged + 1)
        for _ in range(moments.randrange(1, 40)):
            acknowledged = max(acknowledged, int(worker.stdout.readline()))
        time.sleep(moments.random() * 0.005)
        worker.kill()
        rest = worker.communicate()[0].split()
        acknowledged = max([acknowledged, *map(int, rest)])
        trials = [event["trial"] for event in read_journal(path).of("trial_end")]
        assert trials == list(range(1, len(trials) + 1))
        assert acknowledged <= len(trials) <= acknowledged + 1
        acknowledged = len(trials)
    assert len(read_journal(path).of("session")) == KILLS


def test_two_writers_of_one_journal_are_one_too_many(path, start):
    other = start("write_until_killed", path, 1)
    assert other.stdout.readline() == "0\n"
    with pytest.raises(JournalError, match="running already"):
        JournalWriter.resume(path, HEADER)
    other.kill()
    other.wait()
    JournalWriter.resume(path, HEADER).close()


@posix
@pytest.mark.parametrize("spare_bytes", [0, 200])
def test_a_full_disk_is_one_line_and_never_breaks_the_chain(path, start, spare_bytes):
    out, _ = start("write_to_full_disk", path, spare_bytes).communicate()
    assert out == "ok\n"


@posix
def test_a_full_disk_at_the_start_leaves_the_id_free(path, monkeypatch):
    def full(_descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(storage, "_sync", full)
        with pytest.raises(JournalError, match="No space left"):
            JournalWriter.create(path, HEADER)
    assert not path.exists()
    JournalWriter.create(path, HEADER).close()


def test_what_a_failed_sync_may_have_lost_is_written_again(path, monkeypatch):
    def broken(_descriptor):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with JournalWriter.create(path, HEADER) as writer:
        size = path.stat().st_size
        with monkeypatch.context() as patch:
            patch.setattr(storage, "_sync", broken)
            with pytest.raises(JournalError, match="Input/output error"):
                write_trial(writer, 1)
        assert path.stat().st_size == size
        write_trial(writer, 2)
    assert [event["trial"] for event in read_journal(path).of("trial_end")] == [1, 2]


def test_junk_that_a_failed_append_left_is_not_kept(path, monkeypatch):
    with JournalWriter.create(path, HEADER) as writer:
        with path.open("ab") as stream:
            stream.write(b"x" * 5000)
        write_trial(writer, 1)
    journal = read_journal(path)
    assert not journal.torn
    assert len(journal.of("trial_end")) == 1


@posix
def test_read_only_folders_are_one_line_and_a_running_session_goes_on(start):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o777)
        (folder / "locked").mkdir()
        (folder / "locked").chmod(0o555)
        out, _ = start("write_unprivileged", folder).communicate()
    assert out == "ok\n"


@posix
@pytest.mark.parametrize("away", ["deleted", "moved", "folder deleted"])
def test_a_journal_taken_away_is_saved_whole_under_another_name(path, away):
    writer = JournalWriter.create(path, HEADER)
    write_trial(writer, 1)
    if away == "moved":
        path.rename(path.with_name("elsewhere"))
    else:
        path.unlink()
    if away == "folder deleted":
        path.with_suffix(".lock").unlink()
        path.parent.rmdir()
    for end in (lambda: write_trial(writer, 2), writer.close):
        with pytest.raises(JournalError, match=r"saved as journal\..*\.rescued") as error:
            end()
        assert "\n" not in str(error.value)
    (rescued,) = path.parent.glob("*.rescued")
    rescued.rename(path)
    with JournalWriter.resume(path, HEADER) as writer:
        write_trial(writer, 3)
    assert [event["trial"] for event in read_journal(path).of("trial_end")] == [1, 2, 3]


def test_a_journal_cut_short_by_another_program_stops_the_session(path):
    writer = JournalWriter.create(path, HEADER)
    write_trial(writer, 1)
    os.truncate(path, 10)
    with pytest.raises(JournalError, match="cut short by another program"):
        write_trial(writer, 2)
