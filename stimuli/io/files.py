"""Files that appear whole or not at all, whenever the machine stops; private folders.

What is being written lies beside its place under a hidden name, which is the same each time. The
process holds a lock on it. A killed process's lock ends with it, so the same command takes over
what was left, and nothing stays behind. If the lock is taken, or can't be (on Windows), the hidden
name has random signs.
"""

import errno
import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path

if sys.platform != "win32":
    import fcntl

ATTEMPTS = 20
PAUSE_S = 0.1
OWNER_ONLY_FOLDER = 0o700
OWNER_ONLY_FILE = 0o600
PART = ".part"


def write_whole(path: Path, data: bytes, *, flush: bool = True) -> None:
    """Write a file beside its place, flush it to the disk, then rename it there.

    A reader sees the old content or the new, never a part. On Windows a file that
    another program has open can't be replaced: it is tried again for two seconds.

    Parameters
    ----------
    path, data
        The file and its content.
    flush
        Whether it has to survive a power cut; False for one of many that the same command makes
        again.

    Raises
    ------
    OSError
        If it can't be written; it names the file.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with naming(path):
        _write_whole(path, data, flush)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Let an OSError of a block name the file that the block writes.

    When a disk is full, the system names no file. When a file is written beside its place, the
    system names the temporary one.
    """
    try:
        yield
    except OSError as fault:
        if fault.errno is None:
            raise
        raise OSError(fault.errno, fault.strerror, os.fspath(path)) from fault


def _write_whole(path: Path, data: bytes, flush: bool) -> None:
    handle, aside = _file_beside(path)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            if flush:
                os.fsync(stream.fileno())
            if sys.platform != "win32":  # While it is locked; Windows renames no open file.
                _replace(aside, path)
        if sys.platform == "win32":
            _replace(aside, path)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise
    if flush:
        flush_folder(path.parent)


def _file_beside(path: Path) -> tuple[int, Path]:
    """Open an empty file beside a path; return its descriptor and its place."""
    aside = path.with_name(f"{_hidden(path)}{PART}")
    handle = _held(aside, os.O_RDWR | os.O_CREAT)
    if handle is not None:
        os.ftruncate(handle, 0)
        return handle, aside
    handle, name = tempfile.mkstemp(prefix=_hidden(path), suffix=PART, dir=path.parent)
    return handle, Path(name)


def _folder_beside(folder: Path) -> tuple[int | None, Path]:
    """Make an empty private folder beside a path; return what holds its lock, and its place."""
    aside = folder.with_name(f"{_hidden(folder)}{PART}")
    with suppress(FileExistsError):
        aside.mkdir(mode=OWNER_ONLY_FOLDER)
    handle = _held(aside, os.O_RDONLY)
    if handle is None:
        prefix = _hidden(folder)
        aside = Path(tempfile.mkdtemp(prefix=prefix, suffix=PART, dir=folder.parent))
        return _held(aside, os.O_RDONLY), aside
    for path in aside.iterdir():
        path.unlink() if path.is_symlink() or not path.is_dir() else shutil.rmtree(path)
    return handle, aside


def _hidden(path: Path) -> str:
    return f".{path.name[:40]}-"


def _held(path: Path, flags: int) -> int | None:
    """Open and lock this user's own file or folder; None if another process has it."""
    if sys.platform == "win32":
        return None
    try:
        handle = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK, OWNER_ONLY_FILE)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as fault:
        os.close(handle)
        if flags & os.O_CREAT and not isinstance(fault, BlockingIOError):
            path.unlink(missing_ok=True)  # This disk has no locks, so nobody else has this file.
        return None
    with suppress(OSError):
        # Whoever had the lock may have renamed or removed it meanwhile.
        opened, there = os.fstat(handle), path.lstat()
        of_a_kind = stat.S_ISDIR(opened.st_mode) or (
            stat.S_ISREG(opened.st_mode) and opened.st_nlink == 1
        )
        if os.path.samestat(opened, there) and of_a_kind and opened.st_uid == os.geteuid():
            return handle
    os.close(handle)
    return None


def left_overs_of(path: Path) -> list[Path]:
    """Return what killed processes left beside a file's or folder's place, unless it is in use."""
    left_overs = []
    for aside in sorted(path.parent.glob(f"{escape(_hidden(path))}*{PART}")):
        handle = _held(aside, os.O_RDONLY)
        if handle is not None:
            os.close(handle)
            left_overs.append(aside)
    return left_overs


def remove_abandoned(aside: Path) -> None:
    """Remove a temporary file of `write_whole` if the process that wrote it was killed.

    Files with random names stay, since nobody locks them.
    """
    handle = _held(aside, os.O_RDONLY) if aside.name.endswith(f"-{PART}") else None
    if handle is None:
        return
    try:
        # While it is locked: whoever wants to write it now takes another name.
        aside.unlink()
    finally:
        os.close(handle)


def write_private(path: Path, data: bytes) -> None:
    """Write a new file that only its owner may read, in a folder made for its owner alone.

    It isn't flushed to the disk: for `whole_folder`, whose folder appears when it is whole.

    Raises
    ------
    OSError
        If it can't be written, or is there already.
    """
    make_private_folder(path.parent)
    with open(path, "xb", opener=owner_only) as file:
        file.write(data)


def owner_only(name: str, flags: int) -> int:
    """Open a file that, if it is new, only its owner may read: an ``opener`` for `open`."""
    return os.open(name, flags, OWNER_ONLY_FILE)


def is_left_over(path: Path) -> bool:
    """Return whether a file's name is that of a temporary file of `write_whole`."""
    return path.name.startswith(".") and path.name.endswith(PART)


def make_private_folder(folder: Path) -> None:
    """Make a folder that only its owner may open, if the system has owners.

    Missing folders above it are made in the same way; existing ones keep their permissions.

    Raises
    ------
    OSError
        If it can't be made.
    """
    # mkdir's own parents=True leaves the parents open to everyone.
    for missing in reversed([folder, *folder.parents]):
        if not missing.exists():
            missing.mkdir(exist_ok=True, mode=OWNER_ONLY_FOLDER)
    if not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))


@contextmanager
def whole_folder(folder: Path) -> Iterator[Path]:
    """Yield a folder beside the wanted one, and rename it to that one if all went well.

    Only its owner may open it, if the system has owners.

    Parameters
    ----------
    folder
        The wanted one; must not exist yet, or be empty.

    Raises
    ------
    OSError
        If it can't be written.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    handle, aside = _folder_beside(folder)
    try:
        yield aside
        if folder.exists():
            folder.rmdir()
        aside.replace(folder)
    except BaseException as fault:
        shutil.rmtree(aside, ignore_errors=True)
        if not isinstance(fault, OSError) or fault.errno != errno.ENOSPC:
            raise
        # The system names no file, or one in the folder that was removed.
        raise OSError(fault.errno, fault.strerror, os.fspath(folder)) from fault
    finally:
        if handle is not None:
            os.close(handle)


def _replace(source: Path, target: Path) -> None:
    """Rename; on Windows a virus scanner may hold the file for a moment."""
    for attempt in range(ATTEMPTS):
        try:
            source.replace(target)
        except PermissionError:
            if attempt == ATTEMPTS - 1:
                raise
            time.sleep(PAUSE_S)
        else:
            return


def flush_folder(folder: Path) -> None:
    """Make a rename survive a power cut, if folders can be opened (not on Windows)."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
