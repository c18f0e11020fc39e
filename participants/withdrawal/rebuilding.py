"""How packs that hold the paintings of somebody who withdrew are built anew, as commands."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from participants.folder import LabFolder
from stimuli.errors import UserError
from stimuli.maps.map_set import MAP_TABLE
from stimuli.pack import Pack
from stimuli.pack.damage import PROVENANCE
from stimuli.pack.folder import MANIFEST, read_manifest

UNKNOWN: Final = "STUDY"


@dataclass(frozen=True, slots=True)
class Origin:
    """What a pack was built from: its study, and its task pack's folder (None without one)."""

    study: str
    tasks: str | None = None

    def command(self, map_sets: Sequence[Path]) -> str:
        """Return the command that builds the pack anew, as far as the pack tells it.

        Parameters
        ----------
        map_sets
            Map sets that the person was left out of; those that are gone aren't named.
        """
        words = [f"python3 lab.py build {self.study}"]
        words += [] if self.tasks is None else [f"--tasks {self.tasks}"]
        there = [str(folder) for folder in map_sets if (folder / MAP_TABLE).is_file()]
        words += [f"--human-maps {folder}" for folder in there or ["DIR"]]
        return " ".join([*words, "--out NEW"])


def origin_of(lab: LabFolder, pack: Path) -> Origin:
    """Return what a pack was built from.

    Parameters
    ----------
    lab
        Where its task pack may lie.
    pack
        The pack; of a damaged one nothing is known.
    """
    try:
        manifest = read_manifest(pack)
        study = Pack(manifest, lambda name: b"").protocol.catalogue_name
    except UserError:
        return Origin(UNKNOWN)
    return Origin(study, _task_pack(lab, pack))


def _task_pack(lab: LabFolder, pack: Path) -> str | None:
    """Return where the task pack lies on which a pack's paintings were made; None without one."""
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
