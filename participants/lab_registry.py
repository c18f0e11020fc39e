"""What the lab's registry knows, for code that reads a data folder.

This is which lines of journals it knows, and people's age and gender as they stated them.
"""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from sqlalchemy import Connection, select

from participants.anchor import Anchor
from participants.folder import DataFolder, LabFolder
from stimuli.errors import UserError

if TYPE_CHECKING:
    from participants.registry import Registry

UNNOTICED: Final = "a journal that was cut together with the files beside it isn't noticed"
NO_LAB: Final = "there is no lab folder here"
UNREADABLE: Final = "the lab's registry can't be read; python3 lab.py doctor says why"
NONE_OF_THEM: Final = "the lab's registry has none of their sessions"


@dataclass(frozen=True, slots=True)
class RegistryAnchors:
    """What a registry knows of the journals of a data folder.

    Attributes
    ----------
    known
        The anchors of the folder's sessions, by session; without those of sessions that were
        taken over, which have an older journal on the PC that they left.
    sentence
        What readers of the data should know if the registry doesn't confirm all journals; else
        empty.
    """

    known: Mapping[str, Anchor] = field(default_factory=dict)
    sentence: str = ""

    @classmethod
    def none(cls, why: str) -> Self:
        """Return anchors of no session, with the reason why no registry confirms the journals."""
        return cls(sentence=f"No registry confirms the journals ({why}), so {UNNOTICED}.")


def anchors_of(data: DataFolder, lab: Path | None = None) -> RegistryAnchors:
    """Return the anchors that the lab's registry has for a data folder's journals.

    Parameters
    ----------
    data
        The data folder; it needn't be the lab's own.
    lab
        The lab folder; None for the one in which the data folder lies, else the usual one.

    Raises
    ------
    UserError
        If the data folder is the lab's own, and the lab's registry was lost.
    """
    from participants.registry import Registry
    from participants.registry.database import LostRegistryError

    try:
        folder = lab_of(data, lab)
    except UserError:
        return RegistryAnchors.none(NO_LAB)
    try:
        with closing(Registry.of(folder)) as registry:
            return anchors_in(registry, data)
    except UserError as error:
        own = folder.data.root.resolve() == data.root.resolve()
        if own and isinstance(error, LostRegistryError):
            raise
        return RegistryAnchors.none(UNREADABLE)


def anchors_in(registry: "Registry", data: DataFolder) -> RegistryAnchors:
    """Return the anchors that an open registry has for a data folder's journals."""
    try:
        anchors = registry.anchors()
    except UserError:
        return RegistryAnchors.none(UNREADABLE)
    here = {paths.session for paths in data.session_folders()}
    known = {session: kept for session, kept in anchors.items() if session in here}
    journals = {paths.session for paths in data.sessions()}
    if journals and not known:
        return RegistryAnchors.none(NONE_OF_THEM)
    if others := len(journals - known.keys()):
        said = f"The lab's registry doesn't know {others} of {len(journals)} journals; of these, "
        return RegistryAnchors(known, f"{said}{UNNOTICED}.")
    return RegistryAnchors(known)


def lab_of(data: DataFolder, lab: Path | None) -> LabFolder:
    """Return the lab folder in which a data folder lies, else the usual one.

    Raises
    ------
    UserError
        If there is none.
    """
    if lab is not None:
        return LabFolder.open(lab)
    try:
        around = LabFolder.open(data.root.absolute().parent)
        if around.data.root.resolve() == data.root.resolve():
            return around
    except UserError:
        pass
    return LabFolder.open()


@dataclass(frozen=True, slots=True)
class AboutPerson:
    """What somebody stated about themselves; None for a skipped question.

    Attributes
    ----------
    age_band, gender
        As in `participants.session.kept_answers.FORM_CHOICES`.
    """

    age_band: str | None
    gender: str | None


def told_by_people(data: DataFolder, lab: Path | None = None) -> Mapping[str, AboutPerson]:
    """Return what people stated about themselves, by code; empty if no registry can be read.

    Parameters
    ----------
    data
        The data folder; it needn't be the lab's own.
    lab
        The lab folder; None for the one in which the data folder lies, else the usual one.
    """
    from participants.registry import Registry
    from participants.registry.tables import demographics

    def work(connection: Connection) -> dict[str, AboutPerson]:
        rows = connection.execute(select(demographics))
        return {row.code: AboutPerson(row.age_band, row.gender) for row in rows}

    try:
        with closing(Registry.of(lab_of(data, lab))) as registry:
            return registry.transact(work)
    except UserError:
        return {}
