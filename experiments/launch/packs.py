"""Which sealed packs a session can be started with."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from participants.folder import LabFolder
from stimuli.catalogue import studies_of
from stimuli.errors import UserError
from stimuli.pack import Pack
from stimuli.pack.folder import MANIFEST, read_manifest
from stimuli.pack.model import PackKind


@dataclass(frozen=True, slots=True)
class FoundPack:
    """A pack of the lab.

    Attributes
    ----------
    folder
        Where it is.
    study
        The study, as the catalogue names it; empty if the manifest can't be used.
    kind
        ``solutions`` (for `run`) or ``tasks`` (for `annotate`).
    languages
        Languages that it offers.
    screens
        Whether people can be screened for it.
    refusal
        Why no session can be started with it; empty if one can.
    """

    folder: Path
    study: str = ""
    kind: PackKind = "solutions"
    languages: tuple[str, ...] = ()
    screens: bool = False
    refusal: str = ""


def found_packs(lab: LabFolder, more: Iterable[Path] = ()) -> tuple[FoundPack, ...]:
    """Return the packs in the lab folder and those named beside it.

    Manifests are read; the seal of a pack is checked when somebody chooses it.

    Parameters
    ----------
    lab
        The lab folder, of which ``packs`` is searched as `run STUDY` does.
    more
        Folders of further packs.
    """
    own = [path.parent for path in sorted(lab.packs.glob(f"*/{MANIFEST}"))]
    folders = dict.fromkeys([*(folder.expanduser().absolute() for folder in more), *own])
    found = (_found(folder) for folder in folders)
    return tuple(pack for pack in found if pack is not None)


def _found(folder: Path) -> FoundPack | None:
    """Return what a folder holds; None where no session shows such packs."""
    try:
        manifest = read_manifest(folder)
        protocol = Pack(manifest, lambda path: b"").protocol
        study = protocol.catalogue_name
        if study not in studies_of("experiments"):
            raise UserError(f"{folder}: study {study} is not on this PC")
    except UserError as refusal:
        return FoundPack(folder, refusal=str(refusal))
    kinds = studies_of("experiments")[study].sessions
    if manifest.kind not in kinds:
        return None
    return FoundPack(
        folder,
        study,
        manifest.kind,
        tuple(protocol.languages),
        screens=manifest.kind == "solutions" and "screening" in kinds,
    )
