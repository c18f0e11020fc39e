"""The packs that people in a dataset were shown: copies of their tables, and their rules."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from participants.dataset.pack_copy import open_pack_copy
from participants.folder import DataFolder
from stimuli.errors import UserError
from stimuli.pack import Pack
from stimuli.protocol import Protocol, load_protocol


def open_copies(trials: pd.DataFrame, folder: Path) -> dict[str, Pack]:
    """Return a dataset folder's copies of packs by their ids, that with most trials first.

    Raises
    ------
    UserError
        If a copy isn't as it was built: which file.
    """
    data, shown = DataFolder(folder), trials["pack_id"].value_counts().index
    return {
        pack_id: open_pack_copy(data, pack_id)
        for pack_id in shown
        if data.pack_copy(pack_id).is_dir()
    }


def protocol_of(
    study: str, trials: pd.DataFrame, copies: Mapping[str, Pack], folder: Path
) -> tuple[Protocol, str, tuple[str, ...]]:
    """Return the protocol of the pack with most trials, where it is from, and remarks.

    Parameters
    ----------
    study
        As the catalogue names it.
    trials
        The study's trials.
    copies
        The packs, from `open_copies`.
    folder
        The dataset, for messages.

    Raises
    ------
    UserError
        If the pack is of another study.
    """
    notes = [
        f"Pack {pack_id} is not in the dataset; its protocol is not known."
        for pack_id in trials["pack_id"].value_counts().index
        if pack_id not in copies
    ]
    if not copies:
        unknown = "the published defaults (the dataset holds no pack)"
        return load_protocol(study), unknown, tuple(notes)
    protocols = [pack.protocol for pack in copies.values()]
    pack_id, protocol = next(iter(copies)), protocols[0]
    if protocol.catalogue_name != study:
        other = protocol.catalogue_name
        raise UserError(
            f"{folder}: pack {pack_id} is of {other}, not of {study}; "
            f"python3 lab.py analyse {other}"
        )
    if any(other != protocol for other in protocols[1:]):
        notes.append(
            f"The packs were built under {len({one.name for one in protocols})} protocol names and "
            f"differ; the analysis follows that of pack {pack_id}, which has most trials."
        )
    return protocol, f"pack {pack_id}", tuple(notes)
