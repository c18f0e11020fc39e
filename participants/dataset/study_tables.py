"""What a study's journals and packs become: its tables, and who makes their rows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from stimuli.catalogue import studies_of
from stimuli.errors import UserError
from stimuli.io.tables import Row, TableSchema
from stimuli.versions import Schema

if TYPE_CHECKING:
    from participants.folder import DataFolder
    from participants.journal import Journal
    from stimuli.pack import Pack


@dataclass(frozen=True, slots=True)
class ShownTable:
    """A table that is taken over from the packs that were shown, each row once.

    Attributes
    ----------
    schema
        Its columns.
    rows
        Returns its rows from what `RowMakers.shown` gave of a pack.
    may_lack
        Whether older data folders have no such table.
    """

    schema: TableSchema
    rows: Callable[[Any], tuple[Row, ...]]
    may_lack: bool = False


@dataclass(frozen=True, slots=True)
class ArmsTable:
    """Which table of the packs says who made what each arm shows, and how.

    Attributes
    ----------
    name
        Of the table, as in `StudyTables.of_packs`.
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

    shown: "Callable[[Pack], Any]"
    trials: "Callable[[Journal, Any], list[Row]]"
    person: "Callable[[Journal], Row] | None" = None


@dataclass(frozen=True, slots=True)
class StudyTables:
    """The tables of a study, and how journals and packs become their rows.

    Attributes
    ----------
    role
        Whose sessions give trials.
    trials
        Columns of ``trials.csv``.
    load_makers
        Imports what makes rows, and returns it. Readers of tables don't need it.
    of_packs
        Further tables by name (``items``, ``curves``), from the packs that were shown.
    arms
        Which of these tables says who made what each arm shows; None if none does.
    people
        Columns of ``people.csv``, with a row a session; None where the study has none.
    versions
        Versions of tables that are the study's own, by the table's name.
    also
        Writes what else the study derives from its journals.
    """

    role: str
    trials: TableSchema
    load_makers: Callable[[], RowMakers]
    of_packs: Mapping[str, ShownTable]
    arms: ArmsTable | None = None
    people: TableSchema | None = None
    versions: Mapping[str, Schema] = field(default_factory=dict)
    also: "Callable[[DataFolder], None]" = lambda data: None

    def schema(self, table: str) -> TableSchema:
        """Return a table's columns by its name; KeyError if the study has no such table."""
        return self.schemas()[table]

    def schemas(self) -> dict[str, TableSchema]:
        """Return the columns of all tables by name, those of the trials first."""
        people = {} if self.people is None else {"people": self.people}
        shown = {name: table.schema for name, table in self.of_packs.items()}
        return {"trials": self.trials, **shown, **people}


def study_tables(study: str) -> StudyTables:
    """Return the tables of a study by the name that its journals bear.

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
