"""What becomes of events where the disk or the registry refuses them."""

import errno
import os
import time

import pytest

from experiments.session import recording
from experiments.session.recording import RegisteredJournal
from participants.journal import JournalError, JournalWriter, read_journal, storage
from participants.registry import TakenOverError
from stimuli.errors import UserError
from tests.participants.dataset.test_derive import header_of
from tests.participants.journal.workers.journals import write_trial
from tests.participants.session.scripted import MemoryRecorder

# The disk


class Disk:
    """A disk that can be full; `tries` counts who asked whether to try again."""

    def __init__(self, monkeypatch, answers):
        self.full, self.tries, self.answers = False, [], answers
        sync = storage._sync
        monkeypatch.setattr(storage, "_sync", lambda descriptor: self._sync(sync, descriptor))

    def _sync(self, sync, descriptor):
        if self.full:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        sync(descriptor)

    def ask(self, error, tries):
        assert tries == len(self.tries)
        self.tries.append(error.cause)
        answer = self.answers[len(self.tries) - 1]
        self.full = answer != "freed"
        return answer != "ended"


def recorded(booking, registry, lab, disk):
    """Record two trials, the second while the disk is full."""
    header = header_of(booking.plan, booking.paths.session) | {"participant": booking.code}
    with JournalWriter.create(booking.paths.journal, header) as journal:
        recorder = RegisteredJournal(journal, registry, lab.data, booking, 0)
        recorder.ask_when_refused(disk.ask)
        write_trial(recorder, 1)
        disk.full = True
        try:
            write_trial(recorder, 2)
        finally:
            disk.full = False
            if disk.answers[-1] == "ended":
                # As when the process ends: what is in memory goes with it.
                journal._pending = b""


def test_events_wait_in_memory_until_the_disk_takes_them(lab, registry, booking, monkeypatch):
    disk = Disk(monkeypatch, ["still full", "still full", "freed"])
    recorded(booking, registry, lab, disk)
    journal = read_journal(booking.paths.journal)
    assert [end["trial"] for end in journal.of("trial_end")] == [1, 2]
    assert disk.tries == ["full"] * 3


def test_who_ends_the_session_leaves_a_whole_journal(lab, registry, booking, monkeypatch):
    disk = Disk(monkeypatch, ["still full", "ended"])
    with pytest.raises(JournalError, match="No space left on device"):
        recorded(booking, registry, lab, disk)
    journal = read_journal(booking.paths.journal)
    assert [end["trial"] for end in journal.of("trial_end")] == [1]
    assert journal.torn == b""


@pytest.mark.parametrize(
    ("number", "cause"),
    [(errno.ENOSPC, "full"), (errno.EROFS, "read_only"), (errno.EIO, "other")],
)
def test_a_refusal_says_what_the_screen_has_to_tell(tmp_path, monkeypatch, number, cause):
    def refuse(_descriptor):
        raise OSError(number, os.strerror(number))

    file = storage.AppendFile(tmp_path / "file", new=True)
    monkeypatch.setattr(storage, "_sync", refuse)
    with pytest.raises(JournalError) as error:
        file.append(b"line\n")
    assert error.value.cause == cause
    (tmp_path / "file").unlink()
    with pytest.raises(JournalError) as error:
        file.append(b"line\n")
    assert error.value.cause == "gone"
    file.close()


# The registry


class Away:
    """A registry that answers as it is told."""

    def __init__(self, error=None):
        self.error, self.beats = error, []

    def heartbeat(self, session, trials_done):
        self.beats.append(trials_done)
        if self.error is not None:
            raise self.error


@pytest.mark.parametrize(
    ("error", "word"),
    [
        (UserError("out of reach"), "registry_away"),
        (UserError("registry x: database or disk is full; make room"), "registry_full"),
        (TakenOverError("was taken over"), "taken_over"),
        (None, ""),
    ],
)
def test_what_went_wrong_with_the_registry_is_told_once(lab, booking, monkeypatch, error, word):
    monkeypatch.setattr(recording, "RETRY_AFTER_S", 0.0)
    recorder = RegisteredJournal(MemoryRecorder(), Away(error), lab.data, booking, 0)
    for _ in range(3):
        recorder.append("pause", reason="")
    assert [recorder.news(), recorder.news()] == [word, ""]
    recorder.append("continue")
    assert recorder.news() == ""


def test_a_page_that_stands_for_long_extends_the_lease_now_and_then(lab, booking, monkeypatch):
    registry = Away()
    recorder = RegisteredJournal(MemoryRecorder(), registry, lab.data, booking, 4)
    now = time.monotonic()
    moments = iter([1, 30, 59, 61, 62, 100, 122, 500])
    monkeypatch.setattr(recording, "time", Clock(now, moments))
    for _ in range(8):
        recording.time.step()
        recorder.idle()
    assert registry.beats == [4, 4, 4]


class Clock:
    """Stands in for the module `time`; each step goes to the next moment."""

    def __init__(self, start, moments):
        self._start, self._moments, self._now = start, moments, start

    def step(self):
        self._now = self._start + next(self._moments)

    def monotonic(self):
        return self._now
