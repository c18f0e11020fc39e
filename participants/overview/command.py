"""The verbs `participants list`, `show`, `counts`, `due`, `reminders`, `note` and `notes`.

`list` shows everybody, or only the people of a study, a role or a state.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from participants import command_line
from participants.command_line import opened_lab
from stimuli.errors import UserError

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from participants.registry import Person

NOT_BEGUN: Final = "not begun"
ASKED: Final[Mapping[bool | None, str]] = {None: "not asked", True: "given", False: "declined"}


@dataclass(frozen=True, slots=True)
class Listed:
    """A person of the list.

    Attributes
    ----------
    person
        As the registry has them.
    study, state
        Of the person's last session: its study, and how it stands; None and ``not begun``
        without one.
    last_utc
        When the last session was last heard of.
    """

    person: "Person"
    study: str | None
    state: str
    last_utc: str | None


SORTS: Final[Mapping[str, Callable[[Listed], Any]]] = {
    "enrolled": lambda entry: (entry.person.enrolled_utc, entry.person.code),
    "code": lambda entry: entry.person.code,
    "role": lambda entry: (entry.person.role, entry.person.enrolled_utc),
    "state": lambda entry: (entry.state, entry.person.enrolled_utc),
    "last": lambda entry: (entry.last_utc or "", entry.person.enrolled_utc),
}


def list_people(
    study: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Only people with a session of this study."),
    ] = None,
    role: Annotated[
        str | None, typer.Option(help="lead, expert or participant: only these people.")
    ] = None,
    state: Annotated[
        str | None,
        typer.Option(
            help="People whose last session is running, unfinished, complete, disqualified, "
            "declined, left for good or withdrawn; or who have not begun."
        ),
    ] = None,
    sort: Annotated[
        str,
        typer.Option(help="enrolled, code, role, state or last (when last heard of)."),
    ] = "enrolled",
    lab: command_line.Lab = None,
    as_json: command_line.Json = False,
) -> None:
    """List people: role, axis, rung, sessions, consent and state; never the assigned order.

    Example: python3 lab.py participants list --study STUDY --state unfinished --sort last
    """
    from participants.clock import utc_text
    from participants.new_person import ROLES
    from participants.registry.states import SESSION_STATES

    _require(role, ROLES, "--role")
    _require(state, (NOT_BEGUN, *SESSION_STATES), "--state")
    _require(sort, tuple(SORTS), "--sort")
    with opened_lab(lab) as (_, registry):
        now_utc = utc_text(registry.now())
        everybody = registry.transact(lambda connection: everybody_of(connection, now_utc, study))
    kept = [
        entry
        for entry in everybody
        if role in (None, entry.person.role) and state in (None, entry.state)
    ]
    kept.sort(key=SORTS[sort])
    if as_json:
        print(json.dumps([_fields(entry) for entry in kept]))
    elif kept:
        _show(kept)
    elif everybody or study:
        print("Nobody fits.")
    else:
        print("Nobody is enrolled yet: python3 lab.py participants enrol --help")


def everybody_of(
    connection: "Connection", now_utc: str, study: str | None = None
) -> tuple[Listed, ...]:
    """Return everybody, or those with a session of a study, in the order of enrolment."""
    from participants.overview.counts import last_sessions
    from participants.registry.people import everybody

    last = last_sessions(connection, now_utc, study)
    return tuple(
        _listed(person, last.get(person.code))
        for person in everybody(connection)
        if study is None or person.code in last
    )


def _listed(person: "Person", last: tuple[str, str, str] | None) -> Listed:
    if last is None:
        return Listed(person, None, "withdrawn" if person.withdrawn else NOT_BEGUN, None)
    return Listed(person, *last)


def _require(value: str | None, choices: Sequence[str], option: str) -> None:
    if value is not None and value not in choices:
        raise UserError(f"{option} {value}: is not one of {', '.join(choices)}")


def _fields(person: Listed) -> dict[str, Any]:
    return {
        **asdict(person.person),
        "study": person.study,
        "state": person.state,
        "last_utc": person.last_utc,
    }


def _show(listed: Sequence[Listed]) -> None:
    from participants.command_line import local_minute, show_columns

    people = [entry.person for entry in listed]
    show_columns(
        {
            "code": [person.code for person in people],
            "role": [person.role for person in people],
            "axis": [person.axis for person in people],
            "rung": [person.rung for person in people],
            "sessions": [person.sessions for person in people],
            "complete": [person.complete for person in people],
            "disqualified": [person.disqualified or None for person in people],
            "consent": [
                "withdrawn" if person.withdrawn else ASKED[person.consent] for person in people
            ],
            "purpose": [person.purpose for person in people],
            "study": [entry.study for entry in listed],
            "state": [entry.state for entry in listed],
            "last": [
                None if entry.last_utc is None else local_minute(entry.last_utc) for entry in listed
            ],
        }
    )


ONLY_IN_JSON: Final = frozenset(
    {"heard_utc", "sha256", "pack_id", "journal_lines", "journal_chain"}
)
TIMES: Final = "Times are those of this PC's clock and time zone; --json has them in UTC."

Code = Annotated[str, typer.Argument(help="The person's code.")]


def show(
    code: Code,
    unblind: Annotated[
        bool, typer.Option("--unblind", help="Show the assigned list, order and side too.")
    ] = False,
    lab: command_line.Lab = None,
    as_json: command_line.Json = False,
) -> None:
    """Show everything recorded about a person: sessions, consents, screenings, choices, notes.

    It shows the arm only with --unblind.

    Example: python3 lab.py participants show CODE
    """
    from participants.overview.details import details_of
    from participants.registry import check_code

    with opened_lab(lab) as (place, registry):
        details = details_of(place, registry, check_code(code), unblind=unblind)
    if as_json:
        print(json.dumps(details))
    else:
        _show_sections(details)


def counts(lab: command_line.Lab = None, as_json: command_line.Json = False) -> None:
    """Count people by role and purpose, sessions by study, role and state, and who was screened.

    A session is running, unfinished, complete, disqualified, declined, left for good or withdrawn.

    Example: python3 lab.py participants counts
    """
    from participants.clock import utc_text
    from participants.overview.counts import count

    with opened_lab(lab) as (_, registry):
        now_utc = utc_text(registry.now())
        numbers = asdict(registry.transact(lambda connection: count(connection, now_utc)))
    if as_json:
        print(json.dumps(numbers))
        return
    withdrawn = numbers.pop("withdrawn")
    _show_sections(numbers)
    print(f"took their data back: {withdrawn}")


def due(lab: command_line.Lab = None, as_json: command_line.Json = False) -> None:
    """List who has to come again: unfinished sessions, with the earliest and the latest time.

    The end of the list names people who withdrew their data and must still be removed.

    Example: python3 lab.py participants due
    """
    from participants.command_line import show_rows
    from participants.overview.due import due as sittings_due
    from participants.overview.due import to_remove

    with opened_lab(lab) as (place, registry):
        rows = [asdict(sitting) for sitting in sittings_due(place, registry)]
        left = to_remove(place, registry)
    if as_json:
        print(json.dumps({"due": rows, "to_remove": left}))
        return
    if rows:
        show_rows([{name: row[name] for name in row if name != "session"} for row in rows])
        print(TIMES)
    else:
        print("Nobody has an unfinished session.")
    for code in left:
        print(f"{code} withdrew; to remove them: python3 lab.py participants withdraw {code}")


def reminders(
    out: Annotated[
        Path, typer.Option(metavar="FILE.ics", help="File for the appointments; it is replaced.")
    ],
    lab: command_line.Lab = None,
) -> None:
    """Write who has to come again as appointments for a calendar program, by code.

    Import the file again after each day: appointments move, and none comes twice. Appointments of
    people who have come stay until you delete them.

    Example: python3 lab.py participants reminders --out due.ics
    """
    from participants.files import write_file
    from participants.overview.due import calendar_of
    from participants.overview.due import due as sittings_due

    with opened_lab(lab) as (place, registry):
        rows, now = sittings_due(place, registry), registry.now()
    write_file(out.expanduser(), calendar_of(rows, now))
    print(f"{len(rows)} {'person is' if len(rows) == 1 else 'people are'} due: {out}")


def note(
    text: Annotated[str, typer.Argument(help="What happened; no names, no contacts, no codes.")],
    code: Annotated[
        str | None, typer.Option(help="The person concerned. Default: the lab as a whole.")
    ] = None,
    kind: Annotated[str, typer.Option(help="incident, compensation or note.")] = "note",
    lab: command_line.Lab = None,
) -> None:
    """Record an incident, a compensation or another note. Don't write names.

    Example: python3 lab.py participants note "paid 20 EUR" --code CODE --kind compensation
    """
    from participants.notes import note as keep
    from participants.registry import check_code

    with opened_lab(lab) as (_, registry):
        keep(registry, kind, text, None if code is None else check_code(code))


def notes(lab: command_line.Lab = None, as_json: command_line.Json = False) -> None:
    """List all notes, oldest first, also those that were written during sessions.

    Example: python3 lab.py participants notes
    """
    from participants.command_line import show_rows
    from participants.notes import notes_of

    with opened_lab(lab) as (place, registry):
        rows = notes_of(registry, place.data)
    if as_json:
        print(json.dumps(rows))
    elif rows:
        show_rows(rows)
        print(TIMES)
    else:
        print("There are no notes yet: python3 lab.py participants note --help")


def _show_sections(sections: "Mapping[str, Sequence[Mapping[str, Any]]]") -> None:
    from participants.command_line import show_rows

    for name, rows in sections.items():
        print(f"\n{name}" if rows else f"\n{name}: none")
        show_rows([_on_screen(row) for row in rows])
    print(f"\n{TIMES}")


def _on_screen(row: "Mapping[str, Any]") -> dict[str, Any]:
    """Return the cells of a row for the screen."""
    return {name: value for name, value in row.items() if name not in ONLY_IN_JSON}
