"""What `run` or `annotate` was asked for, and the pack that follows from it."""

import sys
from dataclasses import dataclass, field
from pathlib import Path

from experiments.session.options import PersonOptions, RigOptions, SessionOptions, WindowOptions
from participants.folder import DataFolder, LabFolder
from stimuli.catalogue import studies_of
from stimuli.errors import UserError
from stimuli.pack import Pack, open_pack
from stimuli.pack.folder import MANIFEST, read_manifest, refuse_archive
from stimuli.pack.model import Manifest, PackKind
from stimuli.protocol import catalogue_name


@dataclass(frozen=True, slots=True)
class RunRequest:
    """A request on the command line.

    Attributes
    ----------
    target
        A study's name or a pack's folder.
    pack
        The pack's folder, if the target is a study's name.
    person, window, rig
        Options of the person, the window and the rig.
    kind
        Kind of the pack: experts get tasks, everybody else gets solutions.
    lab, data
        The lab folder, and a data folder to use instead of the lab's.
    """

    target: str
    pack: Path | None = None
    person: PersonOptions = field(default_factory=PersonOptions)
    window: WindowOptions = field(default_factory=WindowOptions)
    rig: RigOptions = field(default_factory=RigOptions)
    kind: PackKind = "solutions"
    lab: Path | None = None
    data: Path | None = None

    @classmethod
    def of(
        cls, options: SessionOptions, target: str, kind: PackKind, pack: Path | None = None
    ) -> "RunRequest":
        """Return a command's request from its options; UserError if nobody could answer."""
        if options.window.display == "virtual" and options.person.robot is None:
            raise UserError("--display virtual: nobody sees it; give --robot NAME, or leave it out")
        return cls(
            target,
            pack,
            options.person,
            options.window,
            options.rig,
            kind,
            options.lab,
            options.data,
        )

    @property
    def has_own_display(self) -> bool:
        """Whether a virtual display is started for the window."""
        if self.window.display != "auto":
            return self.window.display == "virtual"
        return self.person.robot is not None and sys.platform == "linux"

    def data_folder(self, lab: LabFolder) -> DataFolder:
        """Return the folder for the session's data."""
        return DataFolder(self.data.absolute()) if self.data is not None else lab.data

    def find_pack(self, lab: LabFolder) -> Pack:
        """Return the pack to show, and check its seal.

        Raises
        ------
        UserError
            If no pack or several packs fit, or the pack was changed; the message says why.
        """
        if self.target not in studies_of("experiments"):
            if self.pack is not None:
                raise UserError("--pack: the pack is named already; leave one of them out")
            return open_pack(_pack_folder(self.target), self.kind)
        folder = self.pack if self.pack is not None else _only_pack(lab, self.target, self.kind)
        return open_pack(folder, self.kind)


def _pack_folder(target: str) -> Path:
    folder = Path(target).expanduser()
    if not folder.is_dir():
        refuse_archive(folder)
        known = ", ".join(studies_of("experiments"))
        raise UserError(f"{target}: is neither a study ({known}) nor a pack's folder")
    return folder


def _only_pack(lab: LabFolder, study: str, kind: PackKind) -> Path:
    """Return the lab's only pack of a study and kind."""
    folders = [
        path.parent
        for path in sorted(lab.packs.glob(f"*/{MANIFEST}"))
        if _fits(read_manifest(path.parent), study, kind)
    ]
    if not folders:
        raise UserError(
            f"{lab.packs}: contains no {kind} pack of {study}; build one (python3 lab.py build "
            f"{study}), or name one with --pack"
        )
    if len(folders) > 1:
        names = ", ".join(path.name for path in folders)
        raise UserError(
            f"{lab.packs}: contains several {kind} packs of {study} ({names}); choose one"
        )
    return folders[0]


def _fits(manifest: Manifest, study: str, kind: PackKind) -> bool:
    return catalogue_name(manifest.protocol) == study and manifest.kind == kind
