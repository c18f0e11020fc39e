"""Permissions of everything below a folder."""

from pathlib import Path
from stat import S_IMODE


def modes_below(folder: Path) -> dict[str, set[int]]:
    """Return the permissions of a folder with all its folders, and those of their files."""
    found: dict[str, set[int]] = {"folders": set(), "files": set()}
    for path in (folder, *folder.rglob("*")):
        found["folders" if path.is_dir() else "files"].add(S_IMODE(path.stat().st_mode))
    return found
