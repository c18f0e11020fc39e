"""How packs that hold the paintings of somebody who withdrew are built anew, as commands."""

import json
from pathlib import Path

from participants.folder import LabFolder
from stimuli.errors import UserError
from stimuli.maps.map_set import MAP_TABLE
from stimuli.pack import Pack
from stimuli.pack.damage import PROVENANCE
from stimuli.pack.folder import MANIFEST, read_manifest


def build_command(lab: LabFolder, pack: Path, map_sets: tuple[Path, ...]) -> str:
    """Return the command that builds a pack anew, as far as the pack tells it.

    Parameters
    ----------
    lab
        Where its task pack may lie.
    pack
        The pack.
    map_sets
        Map sets that the person was left out of.
    """
    try:
        manifest = read_manifest(pack)
        study = Pack(manifest, lambda name: b"").protocol.catalogue_name
    except UserError:
        return "python3 lab.py build STUDY --human-maps DIR --out NEW"
    tasks = _task_pack(lab, pack)
    words = [f"python3 lab.py build {study}"]
    words += [] if tasks is None else [f"--tasks {tasks}"]
    there = [str(folder) for folder in map_sets if (folder / MAP_TABLE).is_file()]
    words += [f"--human-maps {folder}" for folder in there or ["DIR"]]
    return " ".join([*words, "--out NEW"])


def _task_pack(lab: LabFolder, pack: Path) -> str | None:
    """Return where the task pack lies on which a pack's paintings were made; None if unknown."""
    try:
        wanted = json.loads((pack / PROVENANCE).read_text(encoding="utf-8")).get("tasks")
    except (OSError, ValueError, AttributeError):
        return None
    if wanted is None:
        return None
    for path in sorted(lab.packs.glob(f"*/{MANIFEST}")):
        try:
            if read_manifest(path.parent).pack_id == wanted:
                return str(path.parent)
        except UserError:
            continue
    return "TASKS"
