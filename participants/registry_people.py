"""Age and gender that people told the lab's registry, for whoever reads a data folder."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, select

from participants.folder import DataFolder
from participants.registry_anchors import lab_of
from stimuli.errors import UserError


@dataclass(frozen=True, slots=True)
class AboutPerson:
    """What somebody told of themselves; None for what was skipped.

    Attributes
    ----------
    age_band, gender
        As in `participants.session.about_oneself.CHOICES`.
    """

    age_band: str | None
    gender: str | None


def told_by_people(data: DataFolder, lab: Path | None = None) -> Mapping[str, AboutPerson]:
    """Return what people told of themselves, by code; empty where no registry can be read.

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
        with closing(Registry.open(lab_of(data, lab).registry_url)) as registry:
            return registry.transact(work)
    except UserError:
        return {}
