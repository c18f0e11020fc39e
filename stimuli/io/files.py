"""Files that appear whole or not at all, whenever the machine stops; private folders."""

import errno
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ATTEMPTS = 20
PAUSE_S = 0.1
OWNER_ONLY_FOLDER = 0o700
OWNER_ONLY_FILE = 0o600
PART = ".part"


def write_whole(path: Path, data: bytes) -> None:
    """Write a file beside its place, flush it to the disk, then rename it there.

    A reader sees the old content or the new, never a part. On Windows a file that
    another program has open can't be replaced: it is tried again for two seconds.

    Raises
    ------
    OSError
        If it can't be written; it names the file.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with naming(path):
        _write_whole(path, data)


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


def _write_whole(path: Path, data: bytes) -> None:
    handle, aside = tempfile.mkstemp(prefix=f".{path.name[:40]}-", suffix=PART, dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        _replace(Path(aside), path)
    except BaseException:
        Path(aside).unlink(missing_ok=True)
        raise
    flush_folder(path.parent)


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
    aside = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        yield aside
        if folder.exists():
            folder.rmdir()
        aside.replace(folder)
    except OSError as fault:
        if fault.errno != errno.ENOSPC:
            raise
        # The system names no file, or one in the folder that is being removed.
        raise OSError(fault.errno, fault.strerror, os.fspath(folder)) from fault
    finally:
        shutil.rmtree(aside, ignore_errors=True)


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
