"""Append lines of a journal to a file, so that saved lines are on disk whatever happens.

The hash of a line chains it to all lines before it.
"""

import contextlib
import errno
import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Literal

from stimuli.errors import UserError
from stimuli.io.canonical import canonical_json, sha256_hex
from stimuli.io.files import OWNER_ONLY_FILE

CHAIN = "chain"
ENVELOPE = ("event", "seq", "t_monotonic_s", "t_utc")
FIRST_LINK = "0" * 64
_ENCODER = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, allow_nan=False)

Cause = Literal["full", "read_only", "gone", "other"]


class JournalError(UserError):
    """A journal can't be written any more; the message says why and what to do.

    Attributes
    ----------
    cause
        The cause as screens report it: ``full`` or ``read_only`` disk, file ``gone``, or ``other``.
    """

    def __init__(self, message: str, cause: Cause = "other") -> None:
        super().__init__(message)
        self.cause = cause


def link(previous: str, line: Mapping[str, Any]) -> str:
    """Return a line's chain: SHA-256 of the chain before and the line's canonical JSON.

    Parameters
    ----------
    previous
        The chain of the line before, 64 hexadecimal digits; `FIRST_LINK` for the first.
    line
        The line's keys and values without ``chain``.
    """
    return sha256_hex(previous.encode("ascii") + canonical_json(dict(line)))


def line_text(line: Mapping[str, Any]) -> bytes:
    """Return a line as it stands in the file: one JSON object, no spaces, UTF-8, ``\\n``."""
    return _ENCODER.encode(line).encode("utf-8") + b"\n"


CAUSES: Final[Mapping[int, Cause]] = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), "full"),
    **dict.fromkeys((errno.EROFS, errno.EACCES, errno.EPERM), "read_only"),
}


class AppendFile:
    """A file that only grows by whole, synced appends.

    A partly written append is undone, so the file always ends where the last good append ended.

    Parameters
    ----------
    path
        The file.
    new
        Create the file, which must not exist yet; if False, open it and cut it to ``size``.
    size
        Bytes of an existing file to keep.
    sync
        Wait for the disk at each append.
    """

    def __init__(self, path: Path, *, new: bool, size: int = 0, sync: bool = True) -> None:
        flags = os.O_RDWR | getattr(os, "O_BINARY", 0)
        with _explained(path):
            create = os.O_CREAT | os.O_EXCL if new else 0
            self._descriptor = os.open(path, flags | create, OWNER_ONLY_FILE)
            if not new:
                os.ftruncate(self._descriptor, size)
        self._path = path
        self._size = size
        self._sync = sync
        if new and sync:
            _sync_folder(path.parent)

    def append(self, data: bytes) -> None:
        """Write data at the end, and by default wait until it is on disk.

        Raises
        ------
        JournalError
            If the disk is full, the file was moved, or it can't be written for another reason; the
            file then ends where it ended before.
        """
        self._check_place()
        with _explained(self._path):
            try:
                self._write(data)
                if self._sync:
                    _sync(self._descriptor)
            except OSError:
                self._take_back()
                raise
        self._size += len(data)

    def content(self) -> bytes:
        """Return all that was appended, even if the file was renamed or deleted."""
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        parts = []
        left = self._size
        while left and (part := os.read(self._descriptor, left)):
            parts.append(part)
            left -= len(part)
        return b"".join(parts)

    @property
    def in_place(self) -> bool:
        """Whether the path still leads to the open file."""
        try:
            return os.path.samestat(self._path.stat(), os.fstat(self._descriptor))
        except OSError:
            return False

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)

    def _write(self, data: bytes) -> None:
        if os.fstat(self._descriptor).st_size > self._size:
            # Left by an append that couldn't be undone.
            os.ftruncate(self._descriptor, self._size)
        os.lseek(self._descriptor, self._size, os.SEEK_SET)
        left = memoryview(data)
        while left:
            left = left[os.write(self._descriptor, left) :]

    def _take_back(self) -> None:
        # After a failed sync, data may be lost that a later sync reports as saved: keep none of it.
        with contextlib.suppress(OSError):
            os.ftruncate(self._descriptor, self._size)

    def _check_place(self) -> None:
        if not self.in_place:
            raise JournalError(
                f"{self._path}: was moved or deleted while the session was running", "gone"
            )
        size = os.fstat(self._descriptor).st_size
        if size < self._size:
            raise JournalError(
                f"{self._path}: was cut short by another program while the session was running; "
                "close what has it open, and keep a copy of the session's folder"
            )


@contextlib.contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except FileExistsError:
        raise JournalError(f"{path}: exists already; a new session needs a new folder") from None
    except OSError as error:
        raise JournalError(
            f"{path}: can't be written ({error.strerror}); free space on the disk or make the "
            "folder writable, then start the session again: it goes on where it stopped",
            CAUSES.get(error.errno or 0, "other"),
        ) from None


def _sync(descriptor: int) -> None:
    if sys.platform == "darwin":
        import fcntl

        # fsync on macOS stops at the drive's cache.
        fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
    else:
        os.fsync(descriptor)


def _sync_folder(folder: Path) -> None:
    """Sync the folder, so that a new file's name is on disk; not needed on Windows."""
    if os.name != "posix":
        return
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
