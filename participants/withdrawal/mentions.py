"""Which files of some folders name a code, in their bytes or in their paths."""

import mmap
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from stimuli.errors import UserError


def mentioning(folders: Iterable[Path], code: str) -> Iterator[Path]:
    """Yield every file below some folders that names a code, each once, in order.

    Compressed archives aren't opened.

    Parameters
    ----------
    folders
        Where to look; one may lie within another.
    code
        As it is stored, seven capital signs.

    Raises
    ------
    UserError
        If a file can't be read: what can't be searched can't be cleaned.
    """
    roots: list[Path] = []
    for folder in sorted({folder.absolute() for folder in folders}):
        if not any(folder.is_relative_to(root) for root in roots):
            roots.append(folder)
    for root in roots:
        for path in _files(root):
            if code in str(path.relative_to(root)) or _holds(path, code.encode("ascii")):
                yield path


def _files(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        folders.sort()
        yield from (Path(folder) / name for name in sorted(names))


def _holds(path: Path, wanted: bytes) -> bool:
    try:
        with path.open("rb") as stream:
            if not path.stat().st_size:
                return False
            with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as content:
                return content.find(wanted) >= 0
    except FileNotFoundError:
        # Another process put a new file in its place; or a link leads nowhere.
        return False
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: can't be searched ({error}); make it readable") from None
