"""What a study declares to this room, and which study a pack or a journal belongs to.

Readers of journals import this module, so it imports heavier ones for their types only.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from participants.lists import ListOffer, lists_of
from stimuli.catalogue import studies_of
from stimuli.places import home_of

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from participants.dataset.map_sets import MarkingSession
    from participants.dataset.study_tables import StudyTables
    from participants.folder import DataFolder
    from participants.journal import Journal
    from participants.journal.events import Recorded
    from participants.lists import Assignment
    from participants.registry import Role
    from participants.session import SessionPlan
    from stimuli.io.tables import TableSchema
    from stimuli.pack import Pack

    Markings = tuple[Sequence[MarkingSession], dict[str, str]]

Place = tuple[str | None, int | None]
"""A person's confusion axis and rung of its ladder; None if lists are for anybody."""
ANYWHERE: Final[Place] = (None, None)
SIDES: Final = ("left", "right")
"""Sides on which a choice such as acceptance may lie, balanced over people."""


@dataclass(frozen=True, slots=True)
class Attendance:
    """How far a simulated person takes part, and when they stop for the day.

    Attributes
    ----------
    is_over
        Returns whether a journal holds all that the person ever does.
    stops_at
        Breaks at which the person stops for the day, by the ids of their steps.
    habits
        What else the study's simulated presenter needs to know about the person.
    """

    is_over: "Callable[[Journal], bool]"
    stops_at: frozenset[str] = frozenset()
    habits: Any = None


def to_the_end(plan: "SessionPlan", seed: int, participant: str) -> Attendance:
    """Return the attendance of somebody who never leaves."""
    return Attendance(lambda journal: journal.complete)


@dataclass(frozen=True, slots=True)
class Robots:
    """What a kind of session needs if robots take part.

    Attributes
    ----------
    make
        ``make(pack, language)`` returns ``robot(name, participant, seed)``, which raises
        UserError if no robot of that name fits the pack.
    place
        The place that a robot is enrolled with.
    simulated
        ``simulated(robot, habits, clock, recorder)`` returns the presenter of tasks of a
        simulated session; None where there is no simulation.
    sketch
        Makes a pack in memory from a protocol, which simulations show where none is named.
    attendance
        How far a simulated person takes part, and when they stop for the day.
    """

    make: "Callable[[Pack, str], Callable[[str, str, int], Any]]"
    place: "Callable[[Pack], Place]" = lambda pack: ANYWHERE
    simulated: Callable[..., Any] | None = None
    sketch: "Callable[[Any], Pack] | None" = None
    attendance: "Callable[[SessionPlan, int, str], Attendance]" = to_the_end


@dataclass(frozen=True, slots=True)
class SessionKind:
    """One kind of session of a study: what people do with packs of one kind.

    Attributes
    ----------
    role
        The participants' role, as in journals.
    plan
        ``plan(pack, assignment, language, code)`` returns a person's plan; ``assignment`` is None
        where everybody is shown the same.
    events
        Returns the kinds of event, by name, that a journal holds beside those of every session.
    robot_names
        Kinds of robots that can take part, the usual one first.
    load_robots
        Imports the robots, and returns them. Only sessions in which they take part need them.
    orders
        Returns the orders that a protocol assigns people to; None where everybody is shown the
        same.
    sides
        Sides that are balanced over people, such as where acceptance lies; may be empty.
    offers
        Returns the lists of a pack, and whom each is for.
    markings
        Reads back a data folder's sessions whose strokes become map sets, with the reasons why
        others can't be read; None where nothing is painted or marked.
    learns
        ``learns(connection, journal)`` enters what the registry keeps of such a journal beside
        sessions, consents and choices; again it changes nothing. None where it keeps no more.
    takes
        Roles of the registry that may take part, if they aren't only `role`.
    """

    role: str
    plan: "Callable[[Pack, Assignment | None, str, str], SessionPlan]"
    events: "Callable[[], Mapping[str, type[Recorded]]]"
    robot_names: tuple[str, ...]
    load_robots: Callable[[], Robots]
    orders: Callable[[Any], tuple[str, ...]] | None = None
    sides: tuple[str, ...] = ()
    offers: "Callable[[Pack], tuple[ListOffer, ...]]" = lists_of
    markings: "Callable[[DataFolder], Markings] | None" = None
    takes: "tuple[Role, ...]" = ()
    learns: "Callable[[Connection, Journal], None] | None" = None

    @property
    def roles(self) -> tuple[str, ...]:
        """Roles of the registry that may take part, the usual one first."""
        return self.takes or (self.role,)


@dataclass(frozen=True, slots=True)
class Dictionary:
    """What a study adds to the data dictionary.

    Attributes
    ----------
    journal
        What to know about its journals, in Markdown.
    pack
        Tables of a pack, by a heading such as ``items.csv``.
    task_pack
        Tables of a task pack, likewise.
    tables
        Further tables of the data folder, likewise.
    """

    journal: str = ""
    pack: "Mapping[str, TableSchema]" = field(default_factory=dict)
    task_pack: "Mapping[str, TableSchema]" = field(default_factory=dict)
    tables: "Mapping[str, TableSchema]" = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Study:
    """What a study declares of its people and their records.

    Attributes
    ----------
    package
        The package that holds ``texts/LANGUAGE``, what people read; a folder if the study is no
        package.
    sessions
        Its kinds of session, by the kind of pack (``tasks``, ``solutions``).
    load_tables
        Imports its tables, and returns them; None where they are those of the study that its
        journals name.
    outside
        Columns that a trial table from elsewhere must have to be analysed.
    dictionary
        Returns what it adds to the data dictionary.
    stimulus_file
        Column of a pack's ``items.csv`` that names the file of what is shown; empty where nothing
        that is shown is a file.
    """

    package: str | Path
    sessions: Mapping[str, SessionKind]
    load_tables: "Callable[[], StudyTables | None]"
    outside: tuple[str, ...] = ()
    dictionary: Callable[[], Dictionary] = Dictionary
    stimulus_file: str = ""

    @property
    def tables(self) -> "StudyTables | None":
        """Its tables."""
        return self.load_tables()

    @property
    def texts(self) -> Traversable:
        """The folder of its texts."""
        return home_of(self.package).joinpath("texts")


def study_of(pack: "Pack") -> Study:
    """Return the study of a pack."""
    return studies_of("participants")[pack.protocol.catalogue_name]


def session_kind_of(pack: "Pack") -> SessionKind:
    """Return what people do with a pack."""
    return study_of(pack).sessions[pack.manifest.kind]
