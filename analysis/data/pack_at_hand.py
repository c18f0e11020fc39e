"""The pack that people were shown, with its pictures, where it is at hand."""

from pathlib import Path

from analysis.data.tables import Dataset
from participants.folder import DataFolder
from stimuli.errors import UserError
from stimuli.pack import Pack, open_pack

ASSETS = "assets"


def pack_at_hand(dataset: Dataset, given: Path | None) -> Pack | None:
    """Return a pack that people in a dataset were shown, with its pictures; None if none is there.

    Parameters
    ----------
    dataset
        Whose trials; a dataset folder keeps its packs' tables, and the pictures too where
        somebody put the whole pack there.
    given
        The pack's folder, as the user named it.

    Raises
    ------
    UserError
        If the given folder is no intact pack, or nobody in the data was shown it.
    """
    trials = dataset.trials
    shown = list(trials["pack_id"].value_counts().index) if "pack_id" in trials else []
    if given is not None:
        pack = open_pack(given, "solutions")
        if shown and pack.pack_id not in shown:
            raise UserError(
                f"--pack {given}: is pack {pack.pack_id}; the data are of pack {shown[0]}"
            )
        return pack
    return next((pack for pack in dataset.copies.values() if _has_pictures(dataset, pack)), None)


def _has_pictures(dataset: Dataset, pack: Pack) -> bool:
    assert dataset.folder is not None
    return (DataFolder(dataset.folder).pack_copy(pack.pack_id) / ASSETS).is_dir()
