"""The tables that a study's journals and packs become, and what makes their rows.

Here are also the versions of tables.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from participants.dataset.fields import (
    EndedTrial,
    Field,
    ShownPack,
    TakenSession,
    cells,
    table_of,
    trial_rows,
)
from stimuli.catalogue import studies_of
from stimuli.errors import UserError
from stimuli.io.tables import Row, TableSchema
from stimuli.versions import Schema

if TYPE_CHECKING:
    from participants.folder import DataFolder
    from participants.journal import Journal
    from stimuli.pack import Pack


LATER: Final[Mapping[str, Schema]] = {}
"""Tables of a later version than 1.0, by name; a step takes ``{"columns": {name: texts}}``."""


def version_of(table: str) -> Schema:
    """Return the version of a table, which stands in its sidecar, by the name of its columns."""
    return LATER.get(table, Schema(table))


@dataclass(frozen=True, slots=True)
class ArmsTable:
    """The table of the packs that says who made what each arm shows, and how.

    Attributes
    ----------
    name
        The table's name, as in `StudyTables.of_packs`.
    arm
        Columns that name an arm.
    origin
        The first column of the origin (`stimuli.maps.origin.origin_columns`).
    """

    name: str
    arm: tuple[str, ...]
    origin: str


@dataclass(frozen=True, slots=True)
class StudyTables:
    """The tables of a study, and how journals and packs become their rows.

    Attributes
    ----------
    study
        The study by its name in journals.
    role
        The role whose sessions give trials.
    read_pack
        Returns what the tables take from a pack.
    trial, person
        Fields of ``trials.csv`` (`participants.dataset.fields.trial_fields`) and of ``people.csv``,
        with a row a session; none where the study has no such table.
    of_packs
        Further tables by name (``items``, ``curves``), whose rows come from the packs that were
        shown (`ShownPack.beside`), each row once.
    row
        What a row of ``trials.csv`` is, such as ``trial``.
    phases
        Phases whose trials have rows.
    taken
        Makes of a journal what the fields of its session are read from.
    people_schema
        Name of the version of ``people.csv``.
    arms
        Which table of the packs says who made what each arm shows; None if none does.
    also
        Writes what else the study derives from its journals.
    """

    study: str
    role: str
    read_pack: "Callable[[Pack], ShownPack]"
    trial: Sequence[Field[EndedTrial]]
    of_packs: Mapping[str, TableSchema]
    person: Sequence[Field[Any]] = ()
    row: str = "trial"
    phases: Collection[str] = ("main",)
    taken: "Callable[[Journal], TakenSession]" = TakenSession
    people_schema: str = "people"
    arms: ArmsTable | None = None
    also: "Callable[[DataFolder], None]" = lambda data: None

    @property
    def trials(self) -> TableSchema:
        """Columns of ``trials.csv``."""
        return table_of("trials", f"One row for each main {self.row} of {self.study}.", self.trial)

    @property
    def people(self) -> TableSchema | None:
        """Columns of ``people.csv``; None where the study has none."""
        described = "One row for each person's session, finished or not."
        return table_of(self.people_schema, described, self.person) if self.person else None

    def trial_rows(self, journal: "Journal", content: ShownPack) -> list[Row]:
        """Return a session's rows of ``trials.csv``, given what the tables take from its pack."""
        return trial_rows(self.trial, self.taken(journal), content, self.phases)

    def people_rows(self, journal: "Journal") -> list[Row]:
        """Return a session's rows of ``people.csv``; none where the study has no such table."""
        return [cells(self.person, self.taken(journal))] if self.person else []

    def schema(self, table: str) -> TableSchema:
        """Return a table's columns by its name; KeyError if the study has no such table."""
        return self.schemas()[table]

    def schemas(self) -> dict[str, TableSchema]:
        """Return the columns of all tables by name, those of the trials first."""
        people = {} if self.people is None else {"people": self.people}
        return {"trials": self.trials, **self.of_packs, **people}


def study_tables(study: str) -> StudyTables:
    """Return the tables of a study by its name in journals.

    Raises
    ------
    UserError
        If no study of that name has tables.
    """
    # Only this study is read: another one of the lab may be half-written.
    declared = studies_of("participants")
    tables = declared[study].tables if study in declared else None
    if tables is None:
        raise UserError(f"no study {study!r}; take one of {', '.join(sorted(declared))}")
    return tables
