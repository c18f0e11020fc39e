"""Sketched packs as folders, which analyses take pictures from."""

from pathlib import Path

from stimuli.pack import Pack, open_pack, write_pack


def written(pack: Pack, folder: Path) -> Pack:
    """Write a pack that lies in memory to a folder, and return it as it is read from there."""
    files = {path: pack.asset(path) for path in pack.manifest.files}
    write_pack(folder, pack.protocol, pack.manifest.kind, files, {"made": "sketch"})
    return open_pack(folder, pack.manifest.kind)
