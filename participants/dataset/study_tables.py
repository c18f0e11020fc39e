"""The tables that a study's journals and packs become, and what makes their rows.

Here are also the versions of tables.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from participants.dataset.fields import (
    Ended,
    Field,
    ShownPack,
    Taken,
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


def trial_table(study: str, fields: Sequence[Field[Ended]], row: str = "trial") -> TableSchema:
    """Return the columns of a study's ``trials.csv``.

    Parameters
    ----------
    study
        The study.
    fields
        Of its trials (`participants.dataset.fields.trial_fields`).
    row
        What a row is, such as ``trial``.
    """
    return table_of("trials", f"One row for each main {row} of {study}.", fields)


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
class RowMakers:
    """How packs and journals become rows.

    Attributes
    ----------
    shown
        Returns what a pack says of what it shows.
    trials
        Returns a session's rows of ``trials.csv``, from its journal and that.
    person
        Returns its row of ``people.csv``; None where the study has no such table.
    """

    shown: "Callable[[Pack], ShownPack]"
    trials: "Callable[[Journal, ShownPack], list[Row]]"
    person: "Callable[[Journal], Row] | None" = None


def row_makers(
    shown: "Callable[[Pack], ShownPack]",
    trial: Sequence[Field[Ended]],
    person: Sequence[Field[Any]] = (),
    phases: Collection[str] = ("main",),
    taken: "Callable[[Journal], Taken]" = Taken,
) -> RowMakers:
    """Return what makes the rows of a study whose trials and people are declared as fields.

    Parameters
    ----------
    shown
        As in `RowMakers`.
    trial, person
        Fields of ``trials.csv`` and of ``people.csv``; none where the study has no such table.
    phases
        Phases whose trials have rows.
    taken
        Makes of a journal what the fields of the session are read from.
    """
    return RowMakers(
        shown,
        lambda journal, of_pack: trial_rows(trial, taken(journal), of_pack, phases),
        (lambda journal: cells(person, taken(journal))) if person else None,
    )


@dataclass(frozen=True, slots=True)
class StudyTables:
    """The tables of a study, and how journals and packs become their rows.

    Attributes
    ----------
    role
        The role whose sessions give trials.
    trials
        Columns of ``trials.csv``.
    makers
        What makes rows.
    of_packs
        Further tables by name (``items``, ``curves``), whose rows come from the packs that were
        shown (`ShownPack.beside`), each row once.
    arms
        Which of these tables says who made what each arm shows; None if none does.
    people
        Columns of ``people.csv``, with a row a session; None where the study has none.
    also
        Writes what else the study derives from its journals.
    """

    role: str
    trials: TableSchema
    makers: RowMakers
    of_packs: Mapping[str, TableSchema]
    arms: ArmsTable | None = None
    people: TableSchema | None = None
    also: "Callable[[DataFolder], None]" = lambda data: None

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
    there = {name: one.tables for name, one in studies_of("participants").items()}
    known = {name: tables for name, tables in there.items() if tables is not None}
    if study not in known:
        raise UserError(f"no study {study!r}; take one of {', '.join(sorted(known))}")
    return known[study]
