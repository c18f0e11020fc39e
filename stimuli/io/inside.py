"""Names that a file states, and files that are none: nothing is read or written through them.

A list of files, such as a pack's or a backup's, may come from anywhere. A name in it may lead out
of the folder that it belongs to, and a name may mean another place on another system.
"""

import re
import stat
from pathlib import Path
from typing import Final

from stimuli.errors import UserError

LONGEST_SHOWN: Final = 120
RESERVED_ON_WINDOWS: Final = re.compile(
    r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³]) *(\..*)?", re.IGNORECASE
)
# A colon names a drive or a hidden part of a file, a backslash a folder, on Windows alone.
LEADING_OUT: Final = re.compile(r"[\x00-\x1f\x7f:\\]")
ODD: Final = (
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def stays_inside(name: str) -> bool:
    """Return whether a name leads to a place within its folder, on every system.

    Parameters
    ----------
    name
        With ``/`` between folders.
    """
    return not LEADING_OUT.search(name) and all(map(_is_plain, name.split("/")))


def _is_plain(part: str) -> bool:
    # Windows leaves out spaces and dots at the end: ". ." is the folder itself there.
    return bool(part.rstrip(" .")) and not RESERVED_ON_WINDOWS.fullmatch(part)


def inside(folder: Path, name: str) -> Path:
    """Return the place of a name within a folder.

    Parameters
    ----------
    folder
        It may be a link itself.
    name
        As a file states it, with ``/`` between folders.

    Raises
    ------
    UserError
        If the name is absolute, leads out of the folder on some system (``..``, a drive, a
        backslash, a device of Windows), or passes through a link.
    """
    quoted = repr(name[:LONGEST_SHOWN])
    if not stays_inside(name):
        raise UserError(
            f"{folder}: the name {quoted} leads out of this folder on some system; take another "
            "copy of the list that names it, or rename the file"
        )
    path = folder
    for part in name.split("/"):
        path = path / part
        if path.is_symlink():
            raise UserError(f"{path}: is a link, so {quoted} may lead out of {folder}; delete it")
    return path


def odd_kind(path: Path) -> str:
    """Return, in words, what a path is; empty for a file, a folder, or nothing.

    To read a pipe would wait for ever. A link counts as what it leads to.
    """
    try:
        mode = path.stat().st_mode
    except OSError:
        return ""
    return next((words for is_kind, words in ODD if is_kind(mode)), "")


def refuse_odd(path: Path) -> None:
    """Raise UserError if a path is a pipe, a socket or a device."""
    if words := odd_kind(path):
        raise UserError(f"{path}: is {words}, not a file; put a file in its place")
