"""Journals that are being written, read from outside: each line once, no lock held."""

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from participants.dataset.journals import open_pack_copy
from participants.folder import DataFolder, SessionPaths
from participants.journal import Event
from participants.journal.reader import journal_from_bytes
from participants.journal.storage import CHAIN, ENVELOPE
from participants.journal.writer import is_being_written
from participants.lists import Assignment
from participants.session import SessionPlan
from participants.study import session_kind_of
from participants.watching.progress import Progress, progress_of
from stimuli.errors import UserError
from stimuli.io.inside import refuse_odd

NEWEST: Final = 20
"""Number of newest sessions that are searched for running ones, which have written lately."""
FULL_BYTES: Final = 2**16
"""A disk with less room than this takes no more trials."""


@dataclass(slots=True)
class Followed:
    """A session whose journal is read as it grows.

    The first look checks the whole journal; later ones read only the lines that were added.

    Attributes
    ----------
    data, paths
        Where the session is.
    """

    data: DataFolder
    paths: SessionPaths
    _events: list[Event] = field(default_factory=list)
    _read_bytes: int = 0
    _plan: SessionPlan | None = None
    _progress: Progress | None = None

    @property
    def events(self) -> tuple[Event, ...]:
        """The events that were read so far."""
        return tuple(self._events)

    def progress(self) -> Progress | None:
        """Return how far the session is; None before its journal has a line.

        Raises
        ------
        UserError
            If the journal can't be read or was changed.
        """
        running = is_being_written(self.paths.journal)
        grown = self._take_lines()
        known = self._progress
        if not self._events:
            return None
        if grown or known is None or (known.state == "running") != running:
            if known is None:
                self._plan = plan_of_journal(self.data, self._events[0])
            known = progress_of(self._events, self._plan, running=running)
            self._progress = known
        return replace(known, disk_full=_is_full(self.data.root))

    def _take_lines(self) -> bool:
        """Read the whole lines that were added; return whether there were any."""
        added = _bytes_from(self.paths.journal, self._read_bytes)
        whole = added[: added.rfind(b"\n") + 1]
        if not whole:
            return False
        if not self._events:
            self._events += journal_from_bytes(whole, str(self.paths.journal)).events
        else:
            self._events += [_event(line) for line in whole.splitlines()]
        self._read_bytes += len(whole)
        return True


def _is_full(folder: Path) -> bool:
    """Return whether a folder's disk is full; a disk that can't be asked isn't called full."""
    try:
        return shutil.disk_usage(folder).free < FULL_BYTES
    except OSError:
        return False


def running_sessions(data: DataFolder) -> Iterator[SessionPaths]:
    """Yield the sessions that are running on this PC, the newest first."""
    return (paths for paths in _newest(data) if is_being_written(paths.journal))


def newest_session(data: DataFolder) -> SessionPaths | None:
    """Return the session that was written last; None if there is none."""
    return next(iter(_newest(data)), None)


def plan_of_journal(data: DataFolder, header: Event) -> SessionPlan | None:
    """Return a session's plan, from its first event and the data folder's copy of its pack.

    None if the plan needs more of the pack than the copy has.
    """
    try:
        pack = open_pack_copy(data, header["pack_id"])
        kind = session_kind_of(pack)
        side = kind.sides[0] if kind.sides else None
        assignment = Assignment(header["list"], header["order"], side) if kind.orders else None
        return kind.plan(pack, assignment, header["language"], header["participant"])
    except UserError:
        return None


def _newest(data: DataFolder) -> list[SessionPaths]:
    times = {paths: _written_ns(paths.journal) for paths in data.session_folders()}
    written = [paths for paths, time_ns in times.items() if time_ns]
    return sorted(written, key=lambda paths: -times[paths])[:NEWEST]


def _written_ns(journal: Path) -> int:
    try:
        return journal.stat().st_mtime_ns
    except OSError:
        return 0


def _bytes_from(journal: Path, offset: int) -> bytes:
    refuse_odd(journal)
    try:
        with journal.open("rb") as stream:
            stream.seek(offset)
            return stream.read()
    except OSError as error:
        raise UserError(f"{journal}: can't be read ({error.strerror})") from None


def _event(line: bytes) -> Event:
    document = json.loads(line)
    fields = {key: value for key, value in document.items() if key not in (*ENVELOPE, CHAIN)}
    return Event(*(document[key] for key in ENVELOPE), fields)
