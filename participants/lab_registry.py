"""The lab of a data folder, and people's age and gender as they stated them there."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from participants.folder import DataFolder, LabFolder
from stimuli.errors import UserError

if TYPE_CHECKING:
    from sqlalchemy import Connection


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
    from sqlalchemy import select

    from participants.registry import Registry
    from participants.registry.tables import demographics

    def work(connection: "Connection") -> dict[str, AboutPerson]:
        rows = connection.execute(select(demographics))
        return {row.code: AboutPerson(row.age_band, row.gender) for row in rows}

    try:
        with closing(Registry.of(lab_of(data, lab))) as registry:
            return registry.transact(work)
    except UserError:
        return {}
