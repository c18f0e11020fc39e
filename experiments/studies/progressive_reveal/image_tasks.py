"""Labelled images as a task pack of the lab's, to be marked by bubbles."""

import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from participants.folder import LabFolder
from participants.studies.progressive_reveal.plan import STUDY
from stimuli.names import read_names
from stimuli.pack import open_pack, write_pack
from stimuli.pack.folder import MANIFEST
from stimuli.pack.model import pack_in_memory
from stimuli.protocol import load_protocol, protocol_hash
from stimuli.studies.progressive_reveal.protocol import ProgressiveReveal
from stimuli.studies.progressive_reveal.tasks import compose_tasks, pictures_of

ID_DIGITS: Final = 12


def task_pack_of(
    source: Path, lab: LabFolder, protocol: Path | None = None, names: Path | None = None
) -> Path:
    """Return the lab's task pack of a set of images; made where it isn't there yet.

    The same images, names and protocol are the same pack, so that a session can go on.

    Parameters
    ----------
    source
        A folder with one sub-folder a class, or a CSV of images and labels.
    lab
        Where it is kept.
    protocol
        Protocol file; the study's own if None.
    names
        What classes are called (see ``build progressive_reveal --names``).

    Raises
    ------
    UserError
        If the images, the names or the protocol can't be read.
    """
    loaded = load_protocol(STUDY, protocol)
    assert isinstance(loaded, ProgressiveReveal)
    words = {} if names is None else read_names(names)
    files = compose_tasks(pictures_of(source, loaded), words)
    known = pack_in_memory(loaded, protocol_hash(loaded), "tasks", files).pack_id
    folder = lab.packs / f"bubbling-{known.rpartition('-')[2][:ID_DIGITS]}"
    if (folder / MANIFEST).exists():
        open_pack(folder, "tasks")
    else:
        made = {"made": datetime.now(UTC).isoformat(), "source": source.name}
        write_pack(folder, loaded, "tasks", files, {**made, "python": platform.python_version()})
    return folder
