"""The tables that a study's journals and packs become, and what makes their rows.

Here are also the columns that every study's tables have, and the versions of tables.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from stimuli.catalogue import studies_of
from stimuli.errors import UserError
from stimuli.io.tables import Column, Row, TableSchema, concatenate, levels
from stimuli.versions import Schema

if TYPE_CHECKING:
    from participants.folder import DataFolder
    from participants.journal import Journal
    from stimuli.pack import Pack

PURPOSES = levels(
    main="data for the study",
    pilot="data of a pilot",
    test="a test of the set-up",
    robot="answers of a robot",
)

ROBOT: Final = Column("robot", "text", "The robot that answered; empty for people.", optional=True)

PRESENTATION: Final = Column("presentation", "text", "What was shown, as in the pack's items.csv.")
RT_CORRECTED: Final = Column(
    "rt_corrected_s",
    "real",
    "rt_s minus the rig's constant lag; empty without an answer.",
    unit="s",
    optional=True,
)
CHOICE: Final = (
    Column("list", "text", "The person's list of the pack."),
    Column("position", "integer", "Number within the phase, from 1."),
    PRESENTATION,
    Column("decision", "text", "What was chosen; none if the time limit passed."),
    RT_CORRECTED,
)
"""Columns of a timed choice (`participants.dataset.table_files.choice_cells`)."""

OF_THE_SESSION = (
    "participant", "session", "purpose", "rig", "pack_id", "protocol_hash", "list",
)  # fmt: skip
"""Fields that a trial's row takes from the event of its session."""

WHOSE_SESSION: Final = (
    Column("participant", "text", "Pseudonymous code."),
    Column("session", "text", "Session id; its journal is sessions/<session>/journal.jsonl."),
    Column("purpose", "text", "What the session was for.", levels=PURPOSES),
)
"""First columns of the tables of trials and of people."""

EVERY_STUDY = TableSchema(
    "trials",
    "Columns that every study's trial table begins with.",
    (
        *WHOSE_SESSION,
        Column("rig", "text", "The PC and display."),
        Column(
            "trial", "integer", "Number of the trial in the session, from 1, including practice."
        ),
        Column("item", "text", "The stimulus, regardless of what was shown with it."),
        Column("condition", "text", "The study's arm or cell."),
        Column(
            "rt_s",
            "real",
            "Time from onset to the press; empty without a press.",
            unit="s",
            optional=True,
        ),
        Column(
            "onset_s",
            "real",
            "Onset of the critical stimulus, from the start (or resumption) of the session.",
            unit="s",
        ),
        Column(
            "shown_s",
            "real",
            "How long the stimulus was on the screen, from the flip that showed it to the one that "
            "removed it; empty if the journal doesn't have that one.",
            unit="s",
            optional=True,
        ),
        Column(
            "frames_planned",
            "integer",
            "Planned number of frames; empty if the response ends the stimulus.",
            optional=True,
        ),
        Column("frames_dropped", "integer", "Number of dropped frames while it was on screen."),
        Column("pack_id", "text", "The pack that was shown."),
        Column("protocol_hash", "text", "Hash of the protocol under which it was shown."),
        Column(
            "repeat_of",
            "integer",
            "The trial that this one repeats because a frame was dropped; otherwise empty.",
            optional=True,
        ),
        Column(
            "counts",
            "boolean",
            "Whether the row is analysed: of a trial and its repeat, the one without a dropped "
            "frame, or the first if both have one.",
        ),
    ),
)


def trial_table(study: str, own: TableSchema, row: str) -> TableSchema:
    """Return the columns of a study's ``trials.csv``.

    Parameters
    ----------
    study
        The study.
    own
        The study's own columns, which follow those of every study.
    row
        What a row is, such as ``trial``.
    """
    return concatenate((EVERY_STUDY, own), "trials", f"One row for each main {row} of {study}.")


def choice_table(study: str, own: Sequence[Column], row: str = "trial") -> TableSchema:
    """Return the columns of ``trials.csv`` of a study whose trials are timed choices.

    Parameters
    ----------
    study, row
        As in `trial_table`.
    own
        The study's own columns.
    """
    columns = TableSchema("trials", f"Columns of {study}.", (*CHOICE, *own, ROBOT))
    return trial_table(study, columns, row)


LATER: Final[Mapping[str, Schema]] = {}
"""Tables of a later version than 1.0, by name; a step takes ``{"columns": {name: texts}}``."""


def version_of(table: str) -> Schema:
    """Return the version of a table, which stands in its sidecar, by the name of its columns."""
    return LATER.get(table, Schema(table))


@dataclass(frozen=True, slots=True)
class ShownTable:
    """A table whose rows come from the packs that were shown, each row once.

    Attributes
    ----------
    schema
        Its columns.
    rows
        Returns its rows from what `RowMakers.shown` gave of a pack.
    """

    schema: TableSchema
    rows: Callable[[Any], tuple[Row, ...]]


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

    shown: "Callable[[Pack], Any]"
    trials: "Callable[[Journal, Any], list[Row]]"
    person: "Callable[[Journal], Row] | None" = None


@dataclass(frozen=True, slots=True)
class StudyTables:
    """The tables of a study, and how journals and packs become their rows.

    Attributes
    ----------
    role
        The role whose sessions give trials.
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
    also
        Writes what else the study derives from its journals.
    """

    role: str
    trials: TableSchema
    load_makers: Callable[[], RowMakers]
    of_packs: Mapping[str, ShownTable]
    arms: ArmsTable | None = None
    people: TableSchema | None = None
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
