"""The writer of a journal: it checks and chains events, and saves them when it matters.

Code that only records events needs just the protocol `Recorder`.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Protocol, Self

from filelock import FileLock, Timeout

from participants.clock import Clock, SystemClock, utc_at, utc_text
from participants.files import is_locked, make_private, private_lock
from participants.journal.events import EVERY_STUDY, JOURNAL_SCHEMA, checked
from participants.journal.reader import journal_from_bytes, vocabulary
from participants.journal.sidecar import refuse_edited_sidecar
from participants.journal.storage import (
    CHAIN,
    FIRST_LINK,
    AppendFile,
    JournalError,
    line_text,
    link,
)
from stimuli.errors import UserError
from stimuli.io.files import make_private_folder, write_whole


class Recorder(Protocol):
    """Records events, as `JournalWriter` does."""

    def append(
        self,
        event: str,
        *,
        t_monotonic_s: float | None = None,
        durable: bool = False,
        **fields: Any,
    ) -> None:
        """Record an event; see `JournalWriter.append`."""
        ...


TORN_SUFFIX: Final = ".torn"
LOCK_SUFFIX: Final = ".lock"
RESCUED_SUFFIX: Final = ".rescued"
# Long enough for another process's check whether the journal is being written.
LOCKED_WITHIN_S: Final = 0.5


class JournalWriter:
    """Appends events to one session's journal; made by `create` or `resume`.

    Events that may fall into a timed window (``trial_start``, ``flip``, ``response``,
    ``clock``) stay in memory until the next other event; every other one is on disk, with all
    before it, when `append` returns. While a writer is open no other process can write the
    same journal; if the writer is killed, its lock ends too.

    Attributes
    ----------
    path
        The journal.
    """

    def __init__(self, path: Path, lock: FileLock, file: AppendFile, clock: Clock) -> None:
        self.path = path
        self._lock = lock
        self._file = file
        self._clock = clock
        self._events = EVERY_STUDY
        self._seq = 0
        self._chain = FIRST_LINK
        self._pending = b""
        self._begun_utc = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")

    @classmethod
    def create(
        cls,
        path: Path,
        header: Mapping[str, Any],
        clock: Clock | None = None,
        *,
        sync: bool = True,
    ) -> Self:
        """Begin a journal with its ``session`` event.

        Parameters
        ----------
        path
            The file, which must not exist; its folder is created.
        header
            Fields of the ``session`` event except ``schema`` and ``resumed``, which are filled in.
        clock
            The clock of events without a stamp of their own; the machine's by default.
        sync
            False lets the system decide when to write to disk, for data that can be made again; a
            power cut may then lose events.

        Raises
        ------
        JournalError
            If the file exists, another process writes it, or it can't be written.
        UserError
            If the folder can't be made.
        ValueError
            If the header lacks a field or has one too many; nothing is written then.
        """
        _check_header(header)
        make_private(path.parent)
        lock = _locked(path)
        try:
            file = AppendFile(path, new=True, sync=sync)
        except BaseException:
            lock.release()
            raise
        writer = cls(path, lock, file, clock or SystemClock())
        try:
            writer._begin(header, resumed=False)
        except BaseException:
            # The id of a journal that never began can be used again.
            file.close()
            path.unlink(missing_ok=True)
            lock.release()
            raise
        return writer

    @classmethod
    def resume(
        cls,
        path: Path,
        header: Mapping[str, Any],
        clock: Clock | None = None,
        *,
        sync: bool = True,
    ) -> Self:
        """Continue the journal of a session that was interrupted.

        A line that was cut short is moved to ``<name>.torn`` beside the journal; the chain
        continues from the last whole line with a new ``session`` event, ``resumed: true``.

        Parameters
        ----------
        path, header, clock, sync
            As for `create`; the journal must exist.

        Raises
        ------
        JournalError
            If another process writes it, or it can't be written.
        UserError
            If a line of it was changed or is missing, or the session is complete.
        """
        _check_header(header)
        lock = _locked(path)
        try:
            data = _content(path)
            journal = journal_from_bytes(data, str(path))
            refuse_edited_sidecar(journal, path)
            if journal.complete:
                raise UserError(f"{path}: the session is complete; there is nothing to resume")
            _set_aside(path, journal.torn)
            file = AppendFile(path, new=False, size=journal.whole_bytes, sync=sync)
        except BaseException:
            lock.release()
            raise
        writer = cls(path, lock, file, clock or SystemClock())
        writer._seq = len(journal.events)
        writer._chain = journal.chain
        try:
            writer._begin(header, resumed=True)
        except BaseException:
            writer._let_go()
            raise
        return writer

    def append(
        self,
        event: str,
        *,
        t_monotonic_s: float | None = None,
        durable: bool = False,
        **fields: Any,
    ) -> None:
        """Append an event.

        Parameters
        ----------
        event
            Its kind; ``session`` events are written by `create` and `resume`.
        t_monotonic_s
            When it happened, on the journal's clock; now by default.
        durable
            Wait until it is on disk, even for a kind that would stay in memory.
        **fields
            The event's own fields, all of them.

        Raises
        ------
        ValueError
            If the kind or a field is unknown or missing or has a wrong type; nothing is written
            then.
        JournalError
            If writing fails. The events so far stay in memory, and the next durable append tries
            again; the file ends with its last whole line.
        """
        if event == "session":
            raise ValueError("a session event is written only by create and resume")
        self._append(event, t_monotonic_s, durable, fields)

    def flush(self) -> None:
        """Write pending events to disk; JournalError as in `append`."""
        if not self._pending:
            return
        try:
            self._file.append(self._pending)
        except JournalError as error:
            raise self._rescued(error) from None
        self._pending = b""

    def close(self) -> None:
        """Write pending events to disk, close the file and release the lock."""
        try:
            self.flush()
        finally:
            self._let_go()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _begin(self, header: Mapping[str, Any], *, resumed: bool) -> None:
        self._events = vocabulary(header)
        fields = {**header, "schema": JOURNAL_SCHEMA.tag, "resumed": resumed}
        self._append("session", None, True, fields)

    def _append(
        self, event: str, t_monotonic_s: float | None, durable: bool, fields: Mapping[str, Any]
    ) -> None:
        model, values = checked(self._events, event, dict(fields))
        stamp_s = self._clock.monotonic_s() if t_monotonic_s is None else float(t_monotonic_s)
        line = {
            "event": event,
            "seq": self._seq + 1,
            "t_monotonic_s": stamp_s,
            "t_utc": utc_at(self._clock, stamp_s),
            **values,
        }
        chain = link(self._chain, line)
        self._pending += line_text({**line, CHAIN: chain})
        self._seq, self._chain = self._seq + 1, chain
        if durable or model.durable:
            self.flush()

    def _rescued(self, error: JournalError) -> JournalError:
        """If the open file was moved or deleted, save its content under another name."""
        if self._file.in_place:
            return error
        rescue = self.path.with_suffix(f".{self._begun_utc}{RESCUED_SUFFIX}")
        try:
            make_private_folder(self.path.parent)
            write_whole(rescue, self._file.content() + self._pending)
        except OSError:
            return JournalError(f"{error}; put it back where it was", error.cause)
        return JournalError(
            f"{error}; all of it was saved as {rescue.name} in the same place: rename that to "
            f"{self.path.name} and start the session again",
            error.cause,
        )

    def _let_go(self) -> None:
        self._file.close()
        self._lock.release()


def is_being_written(path: Path) -> bool:
    """Return whether a process (including this one) has the journal open for writing."""
    return path.exists() and is_locked(path.with_suffix(LOCK_SUFFIX))


def _check_header(header: Mapping[str, Any]) -> None:
    if filled := {"schema", "resumed"} & set(header):
        raise ValueError(f"the journal fills in {', '.join(sorted(filled))}")
    fields = {**header, "schema": JOURNAL_SCHEMA.tag, "resumed": False}
    checked(vocabulary(header), "session", fields)


def _locked(path: Path) -> FileLock:
    # The operating system's lock, not a file with a process id: it ends with its process.
    lock = private_lock(
        path.with_suffix(LOCK_SUFFIX),
        timeout=LOCKED_WITHIN_S,
        thread_local=False,
        fallback_to_soft=False,
    )
    try:
        lock.acquire()
    except Timeout:
        raise JournalError(
            f"{path}: another process is writing it; this session is running already"
        ) from None
    except (OSError, NotImplementedError) as error:
        raise JournalError(
            f"{path}: can't be locked ({error}); the data folder must be a writable local disk"
        ) from None
    return lock


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise JournalError(f"{path}: can't be read ({error.strerror})") from None


def _set_aside(path: Path, torn: bytes) -> None:
    if not torn:
        return
    header = f"# torn line, set aside {utc_text(datetime.now(UTC))}, {len(torn)} bytes\n"
    aside = path.with_suffix(TORN_SUFFIX)
    try:
        earlier = aside.read_bytes() if aside.exists() else b""
        write_whole(aside, earlier + header.encode("ascii") + torn + b"\n")
    except OSError as error:
        raise JournalError(f"{aside}: can't be written ({error.strerror})") from None
