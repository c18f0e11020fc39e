"""A pack that was made in memory, as a sealed folder."""

from pathlib import Path

from stimuli.pack import Pack, write_pack


def files_of(pack: Pack) -> dict[str, bytes]:
    """Return the content of a pack's files by path."""
    return {path: pack.asset(path) for path in pack.manifest.files}


def sealed(pack: Pack, folder: Path, kind: str = "solutions") -> Path:
    """Write a pack into a new folder, and return the folder."""
    write_pack(folder, pack.protocol, kind, files_of(pack), {"made": "sketch"})
    return folder
