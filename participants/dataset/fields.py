"""Fields of tables: each a column, and where its cells come from.

Most cells are copied. Their columns are described where they come from: in the event of a journal
that records them, or in the table of a pack. `EVERY_TRIAL` and `CHOICE` are the fields that the
trials of several studies share; a study adds its own, and table, rows and sidecar follow.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from inspect import get_annotations
from itertools import chain
from operator import attrgetter
from types import NoneType
from typing import Any, Final, Generic, Protocol, Self, TypeVar, get_args

from participants.journal import Event, Journal
from participants.journal.events import Recorded, Session
from participants.journal.trials import Chosen, FramesShown, OfTrial
from participants.session.qualification import QUALIFICATION
from participants.session.timed_choice import RATINGS, confidence_step, counting_trials
from stimuli.io.tables import Cell, Column, Kind, Row, TableSchema, levels, whole_number
from stimuli.pack import Pack

T = TypeVar("T")
Of = TypeVar("Of", contravariant=True)

KINDS: Final[Mapping[str, Kind]] = {
    "string": "text", "integer": "integer", "number": "real", "boolean": "boolean",
}  # fmt: skip
"""Kinds of columns by the types of JSON."""
OF_TYPES: Final[Mapping[Any, Kind]] = {
    str: "text", int: "integer", float: "real", bool: "boolean",
}  # fmt: skip
"""Kinds of columns by the types of Python."""
UNITS: Final = {"_s": "s", "_px": "px"}
"""Units by what the names of columns end with."""
REMOVED: Final = "_off"
"""Ends the name of a stimulus in the ``flip`` event that removed it."""
STAMP_DECIMALS: Final = 4
"""Onsets and durations are kept to 0.1 ms. Against a photodiode they scatter by 0.06 ms (SD,
``docs/timing.md``): further digits would be noise."""
PURPOSES: Final = levels(
    main="data for the study",
    pilot="data of a pilot",
    test="a test of the set-up",
    robot="answers of a robot",
)


@dataclass(frozen=True, slots=True, eq=False)
class ShownPack:
    """What a study's tables take from a pack.

    Attributes
    ----------
    presentations
        What the pack says of each presentation.
    beside
        Rows of the tables beside the trials, by name.
    """

    presentations: Mapping[str, Row]
    beside: Mapping[str, Sequence[Row]]


def presentations_in(pack: Pack, *schemas: TableSchema) -> dict[str, Row]:
    """Return by presentation what some of a pack's tables say of it; the last counts."""
    presented: dict[str, Row] = {}
    for row in chain.from_iterable(map(pack.table, schemas)):
        presented.setdefault(str(row["presentation"]), {}).update(row)
    return presented


class OfSession(Protocol):
    """Something that belongs to a session."""

    @property
    def header(self) -> Event:
        """The session's event."""


@dataclass(frozen=True)
class TakenSession:
    """A session as its journal has it, from which the row of its person is made."""

    journal: Journal

    @property
    def header(self) -> Event:
        """The event with which it began."""
        return self.journal.header

    @property
    def taken(self) -> Self:
        """The session itself, for fields of trials and of people."""
        return self

    @cached_property
    def answers(self) -> Mapping[str, Any]:
        """The answers to questions, by the step of the plan."""
        return {event["step"]: event["value"] for event in self.journal.of("answer")}

    @cached_property
    def qualification(self) -> Mapping[str, Any]:
        """The fields of the last check whether the person qualified; empty before it."""
        looks = self.journal.of(QUALIFICATION)
        return looks[-1].fields if looks else {}

    def of_trial(self, kind: str, trial: int) -> Mapping[str, Any]:
        """Return the fields of a trial's last event of a kind; empty without such an event."""
        event = self._of_trials.get((kind, trial))
        return {} if event is None else event.fields

    @cached_property
    def _of_trials(self) -> Mapping[tuple[str, int], Event]:
        events = (event for event in self.journal.events if "trial" in event.fields)
        return {(event.event, event["trial"]): event for event in events}

    def ends(self, *phases: str) -> list[Event]:
        """Return the ends of the trials of some phases, in order."""
        return [end for end in self.journal.of("trial_end") if end["phase"] in phases]

    @cached_property
    def counting(self) -> frozenset[int]:
        """Numbers of the main trials that count; see `counting_trials`."""
        return counting_trials(self.ends("main"))


@dataclass(frozen=True, slots=True)
class EndedTrial:
    """A trial that ended, with all that its row is made from.

    Attributes
    ----------
    header
        The ``session`` event of the part of the session in which it was shown.
    end
        Its ``trial_end`` event.
    shown_s
        How long its stimulus was on the screen, in seconds; None if the journal doesn't have the
        flip that removed it.
    item
        What the pack says of what was shown.
    pack
        What the study's tables take from the pack.
    taken
        The session.
    """

    header: Event
    end: Event
    shown_s: float | None
    item: dict[str, Any]
    pack: ShownPack
    taken: Any


@dataclass(frozen=True, slots=True)
class Field(Generic[Of]):
    """A column, and what returns its cell from what a row is made of.

    Attributes
    ----------
    column
        Its name, kind and meaning.
    of
        Returns the cell from a `TakenSession` (a row of people) or an `EndedTrial` (of trials).
    """

    column: Column
    of: Callable[[Of], Cell]


def derived(**more: Any) -> Callable[[Callable[[T], Cell]], Field[T]]:
    """Return a decorator that makes a field of a function that returns its cell.

    The column's name is the function's, its meaning the docstring, and its kind what the function
    returns; cells may be empty if that may be None.

    Parameters
    ----------
    more
        What else a `Column` states, such as ``levels``.
    """

    def field_of(function: Callable[[T], Cell]) -> Field[T]:
        returned = get_annotations(function)["return"]
        types = get_args(returned) or (returned,)
        name = getattr(function, "__name__", "")
        column = Column(
            name,
            next(OF_TYPES[kind] for kind in types if kind in OF_TYPES),
            " ".join((function.__doc__ or "").split()),
            unit=_unit(name),
            optional=NoneType in types,
        )
        return Field(replace(column, **more), function)

    return field_of


def cells(fields: Sequence[Field[T]], of: T) -> Row:
    """Return a row of a table."""
    return {field.column.name: field.of(of) for field in fields}


def table_of(name: str, description: str, fields: Sequence[Field[Any]]) -> TableSchema:
    """Return the table whose rows `cells` returns."""
    return TableSchema(name, description, tuple(field.column for field in fields))


def recorded(
    event: type[Recorded], *names: str, of: Callable[[T], Event], **changes: Any
) -> tuple[Field[T], ...]:
    """Return fields whose cells and descriptions are those of an event.

    Parameters
    ----------
    event
        The kind of event.
    names
        Of its fields.
    of
        Returns the event.
    changes
        What the columns have otherwise than the event says, such as ``levels``.
    """
    return tuple(
        Field(
            replace(column_of(event, name), **changes), lambda source, name=name: of(source)[name]
        )
        for name in names
    )


def ended(event: type[Recorded], *names: str, **changes: Any) -> tuple[Field[Any], ...]:
    """Return fields that are those of a trial's end."""
    return recorded(event, *names, of=attrgetter("end"), **changes)


def of_session(*names: str, **changes: Any) -> tuple[Field[Any], ...]:
    """Return fields that are those of a ``session`` event."""
    return recorded(Session, *names, of=attrgetter("header"), **changes)


def in_pack(
    table: TableSchema,
    *names: str,
    of: Callable[[Any], Row] = attrgetter("item"),
    **changes: Any,
) -> tuple[Field[Any], ...]:
    """Return fields whose cells and descriptions are those of a pack's table.

    Parameters
    ----------
    table, names
        The table, and which of its columns.
    of
        Returns what has the cells.
    changes
        As in `recorded`.
    """
    return tuple(
        Field(replace(table.column(name), **changes), lambda source, name=name: of(source)[name])
        for name in names
    )


def column_of(event: type[Recorded], name: str) -> Column:
    """Return the column of an event's field: null in a journal is an empty cell in a table."""
    described = _schema(event)["properties"][name]
    parts = described.get("anyOf", [described])
    kinds = [KINDS[part["type"]] for part in parts if part["type"] != "null"]
    known = parts[0].get("enum")
    return Column(
        name,
        kinds[0],
        described["description"].replace("null", "empty"),
        unit=_unit(name),
        levels=None if known is None else levels(*known),
        optional=len(kinds) < len(parts),
    )


def _unit(name: str) -> str:
    return next((unit for end, unit in UNITS.items() if name.endswith(end)), "")


@cache
def _schema(event: type[Recorded]) -> Mapping[str, Any]:
    return event.model_json_schema(by_alias=True)


WHOSE_SESSION: Final = (
    *of_session("participant"),
    *of_session(
        "session", description="Session id; its journal is sessions/<session>/journal.jsonl."
    ),
    *of_session("purpose", levels=PURPOSES),
)
"""First fields of the tables of trials and of people."""
LIST: Final = of_session("list", description="The person's list of the pack.")


def stamped(time_s: float) -> float:
    """Return an onset or a duration in seconds as tables and exports give it."""
    return round(time_s, STAMP_DECIMALS)


@derived()
def robot(session: OfSession) -> str | None:
    """The robot that answered; empty for people."""
    return session.header["robot"] or None


@derived()
def item(trial: EndedTrial) -> str:
    """The stimulus, regardless of what was shown with it."""
    return trial.item["item"]


@derived()
def condition(trial: EndedTrial) -> str:
    """The study's arm or cell."""
    return trial.header["order"]


@derived()
def onset_s(trial: EndedTrial) -> float:
    """Onset of the critical stimulus, from the start (or resumption) of the session."""
    return stamped(trial.end["onset_t_monotonic_s"] - trial.header.t_monotonic_s)


@derived()
def shown_s(trial: EndedTrial) -> float | None:
    """How long the stimulus was on the screen, from its onset to the flip that removed it.

    Empty if the journal doesn't have that flip.
    """
    return None if trial.shown_s is None else stamped(trial.shown_s)


@derived()
def repeat_of(trial: EndedTrial) -> int | None:
    """The trial that this one repeats because a frame was dropped; otherwise empty."""
    return trial.end.fields.get("repeat_of")


@derived()
def counts(trial: EndedTrial) -> bool:
    """Whether the row is analysed.

    Of a trial and its repeat, it is the one without a dropped frame, or the first if both have one.
    """
    return True


def sureness(trial: EndedTrial) -> int | None:
    """Return how sure the person was of a choice, 1 (a guess) to 4; None if not asked."""
    sure = trial.taken.answers.get(confidence_step(trial.end["trial"]))
    return None if sure is None else RATINGS.index(sure) + 1


@derived()
def complete(session: TakenSession) -> bool:
    """Whether the session was finished."""
    return session.journal.complete


def answer_fields(meanings: Mapping[str, str]) -> tuple[Field[TakenSession | EndedTrial], ...]:
    """Return fields of questions that are asked once, by the step of each."""
    return tuple(
        Field(
            Column(
                name, "text", f"Answer at the end: {meaning} Empty if not asked.", optional=True
            ),
            lambda answered, name=name: answered.taken.answers.get(name),
        )
        for name, meaning in meanings.items()
    )


EVERY_TRIAL: Final[tuple[Field[EndedTrial], ...]] = (
    *WHOSE_SESSION,
    *of_session("rig"),
    *ended(OfTrial, "trial"),
    item,
    condition,
    *ended(Chosen, "rt_s"),
    onset_s,
    shown_s,
    *ended(FramesShown, "frames_planned", "frames_dropped"),
    *of_session("pack_id", "protocol_hash"),
    repeat_of,
    counts,
)
"""Fields that every study's trials begin with."""
CHOICE: Final[tuple[Field[EndedTrial], ...]] = (
    *LIST,
    *ended(OfTrial, "position", "presentation"),
    *ended(Chosen, "decision", "rt_corrected_s"),
)
"""Fields of a timed choice."""


def trial_fields(
    *of_study: Field[EndedTrial], **otherwise: Callable[[EndedTrial], Cell]
) -> tuple[Field[EndedTrial], ...]:
    """Return the fields of a study's trials: those of every trial, then its own.

    Parameters
    ----------
    of_study
        The study's own fields.
    otherwise
        What returns the cells of fields of every trial, where they come from elsewhere.
    """
    every = (replace(field, of=otherwise.get(field.column.name, field.of)) for field in EVERY_TRIAL)
    return (*every, *of_study)


def trial_rows(
    fields: Sequence[Field[EndedTrial]],
    session: TakenSession,
    content: ShownPack,
    phases: Collection[str] = ("main",),
) -> list[Row]:
    """Return a session's rows of ``trials.csv``, in order of the trials.

    Parameters
    ----------
    fields
        Of the study's trials.
    session
        The session.
    content
        What its pack says.
    phases
        Phases whose trials have rows.
    """
    presented, rows = content.presentations, []
    for part, end, shown_s in main_trials(session.journal, phases):
        trial = EndedTrial(part, end, shown_s, presented[end["presentation"]], content, session)
        rows.append(cells(fields, trial))
    return sorted(rows, key=lambda row: whole_number(row["trial"]))


def main_trials(
    journal: Journal, phases: Collection[str] = ("main",)
) -> Iterator[tuple[Event, Event, float | None]]:
    """Yield the end of each trial of some phases, in order.

    Each comes after its part's ``session`` event, and before how long its stimulus was on the
    screen, in seconds; None if the flip that removed it isn't recorded. A session that was resumed
    has several parts, and stamps compare within a part only.
    """
    part, off_s = journal.header, dict[int, float]()
    for event in journal.of("session", "flip", "trial_end"):
        if event.event == "session":
            part, off_s = event, {}
        elif event.event == "flip":
            if event["what"].endswith(REMOVED):
                off_s[event["trial"]] = event.t_monotonic_s
        elif event["phase"] in phases:
            onset_s, ended_s = event["onset_t_monotonic_s"], off_s.get(event["trial"])
            shown_s = None if ended_s is None or ended_s <= onset_s else ended_s - onset_s
            yield part, event, shown_s
