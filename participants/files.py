"""Files, folders and locks: written whole or not at all, private, with names for every system.

Only their owner may open lock files, as with the data that they guard.
"""

import os
import re
import unicodedata
from pathlib import Path
from typing import Any, Final

from filelock import FileLock, Timeout

from stimuli.errors import UserError
from stimuli.io.files import OWNER_ONLY_FILE, make_private_folder, write_whole
from stimuli.io.inside import stays_inside

LONGEST_NAME: Final = 120
UNSAFE_SIGNS: Final = re.compile(r'[\x00-\x1f<>:"/\\|?*]')


def write_file(path: Path, data: bytes) -> None:
    """Write a file so that a reader sees the old content or the new, never a part.

    Raises
    ------
    UserError
        If the folder can't be written or the file stays in use.
    """
    try:
        write_whole(path, data)
    except OSError as error:
        raise UserError(
            f"{path}: can't be written ({error.strerror}); close programs that have it open, "
            "and see that the disk has space"
        ) from None


def safe_name(name: str) -> str:
    """Return a name in NFC if it can be a file's or folder's name on every system.

    Raises
    ------
    UserError
        If it is empty, longer than 120 signs, reserved, or has a sign that some
        system refuses.
    """
    name = unicodedata.normalize("NFC", name)
    refused = (
        not name
        or len(name) > LONGEST_NAME
        or len(os.fsencode(name)) > 2 * LONGEST_NAME
        or UNSAFE_SIGNS.search(name)
        or not stays_inside(name)
        or name[0] == "."
        or name[-1] in ". "
    )
    if refused:
        raise UserError(f"{name[:LONGEST_NAME]!r} can't be the name of a file; choose another")
    return name


def make_private(folder: Path) -> None:
    """Make a folder that only its owner may open (`make_private_folder`).

    Raises
    ------
    UserError
        If it can't be made.
    """
    try:
        make_private_folder(folder)
    except OSError as error:
        raise UserError(
            f"{folder}: can't be made ({error.strerror}); choose another place or make it writable"
        ) from None


def private_lock(path: Path, **settings: Any) -> FileLock:
    """Return a lock on a file, which is created when the lock is first taken.

    Parameters
    ----------
    path
        The file.
    settings
        Of `filelock.FileLock`.
    """
    return FileLock(path, mode=OWNER_ONLY_FILE, **settings)


def is_locked(path: Path) -> bool:
    """Return whether a process (including this one) holds the lock on a file.

    It is the operating system's lock, so it ends with the process that holds it. If files can't be
    locked, nobody holds one.
    """
    try:
        private_lock(path, timeout=0, fallback_to_soft=False).acquire().lock.release()
    except Timeout:
        return True
    except (OSError, NotImplementedError):
        return False
    return False
