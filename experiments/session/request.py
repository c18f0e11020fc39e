"""What is asked of `run`, and the pack, person and purpose that follow from it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from participants.folder import DataFolder, LabFolder
from stimuli.catalogue import studies_of
from stimuli.errors import UserError
from stimuli.pack import Pack, open_pack
from stimuli.pack.folder import MANIFEST, read_manifest
from stimuli.pack.model import Manifest, PackKind
from stimuli.protocol import catalogue_name

PURPOSES = ("main", "pilot", "test", "robot")
DisplayChoice = Literal["auto", "existing", "virtual"]


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What was asked for on the command line.

    Attributes
    ----------
    target
        A study's name or a pack's folder.
    pack
        The pack's folder, where the target is a study's name.
    participant, robot
        A code; the kind of robot that answers. A robot without a code is enrolled.
    seed
        Root of a robot's draws.
    purpose
        main, pilot, test or robot; None for what is usual.
    lab, data
        The lab folder, and a data folder instead of the lab's own.
    language
        Of the texts; None for the lab's.
    display
        ``existing`` is the display there is, ``virtual`` a new one; ``auto`` is
        virtual for robots on Linux.
    windowed
        A movable window with a frame.
    size_px
        Size of the window or of the virtual display.
    marker
        Whether to draw the photodiode's patch.
    trigger
        Where triggers go, instead of where the rig's profile says; None for that.
    override
        Why to go on in spite of failed checks.
    checklist
        A file with the colour checklist's answers, or ``confirmed``; None to be asked.
    screenshots
        Where pictures of the screens go.
    kind
        Which kind of pack is shown: experts get tasks, everybody else solutions.
    """

    target: str
    pack: Path | None = None
    participant: str | None = None
    robot: str | None = None
    seed: int = 1
    purpose: str | None = None
    lab: Path | None = None
    data: Path | None = None
    language: str | None = None
    display: DisplayChoice = "auto"
    windowed: bool = False
    size_px: tuple[int, int] | None = None
    marker: bool = False
    trigger: str | None = None
    override: str | None = None
    checklist: str | None = None
    screenshots: Path | None = None
    kind: PackKind = "solutions"

    @property
    def session_purpose(self) -> str:
        """The session's purpose.

        Raises
        ------
        UserError
            If a robot were to give people's data, or a purpose is unknown.
        """
        usual = "robot" if self.robot is not None else "main"
        purpose = self.purpose or usual
        if purpose not in PURPOSES:
            raise UserError(f"purpose {purpose!r}: is not one of {', '.join(PURPOSES)}")
        if (self.robot is not None) != (purpose == "robot"):
            raise UserError("purpose: a robot's sessions are robot, people's are not")
        return purpose

    def data_folder(self, lab: LabFolder) -> DataFolder:
        """Return where the session's data go."""
        return DataFolder(self.data.absolute()) if self.data is not None else lab.data

    def find_pack(self, lab: LabFolder) -> Pack:
        """Return the pack to show, its seal checked.

        Raises
        ------
        UserError
            If none or several fit, or the one that does was changed: which, and why.
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
        known = ", ".join(studies_of("experiments"))
        raise UserError(f"{target}: is neither a study ({known}) nor a pack's folder")
    return folder


def _only_pack(lab: LabFolder, study: str, kind: PackKind) -> Path:
    """Return the lab's only pack of a study and kind."""
    found = [
        path.parent
        for path in sorted(lab.packs.glob(f"*/{MANIFEST}"))
        if _fits(read_manifest(path.parent), study, kind)
    ]
    if not found:
        raise UserError(
            f"{lab.packs}: holds no {kind} pack of {study}; build one (lab.py build "
            f"{study}), or name one with --pack"
        )
    if len(found) > 1:
        names = ", ".join(path.name for path in found)
        raise UserError(f"{lab.packs}: holds several {kind} packs of {study} ({names}); choose one")
    return found[0]


def _fits(manifest: Manifest, study: str, kind: PackKind) -> bool:
    return catalogue_name(manifest.protocol) == study and manifest.kind == kind
