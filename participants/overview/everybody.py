"""The verb `participants list`: everybody, or those of a study, a role or a state."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from participants import options
from participants.opened import opened_lab
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
    "enrolled": lambda one: (one.person.enrolled_utc, one.person.code),
    "code": lambda one: one.person.code,
    "role": lambda one: (one.person.role, one.person.enrolled_utc),
    "state": lambda one: (one.state, one.person.enrolled_utc),
    "last": lambda one: (one.last_utc or "", one.person.enrolled_utc),
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
    lab: options.Lab = None,
    as_json: options.Json = False,
) -> None:
    """List people: role, axis, rung, sessions, consent and state; never the assigned order.

    Example: python3 lab.py participants list --study STUDY --state unfinished --sort last
    """
    from participants.clock import utc_text
    from participants.new_person import ROLES
    from participants.overview.counts import SESSION_STATES

    _require(role, ROLES, "--role")
    _require(state, (NOT_BEGUN, *SESSION_STATES), "--state")
    _require(sort, tuple(SORTS), "--sort")
    with opened_lab(lab) as (_, registry):
        now_utc = utc_text(registry.now())
        found = registry.transact(lambda connection: everybody_of(connection, now_utc, study))
    kept = [one for one in found if role in (None, one.person.role) and state in (None, one.state)]
    kept.sort(key=SORTS[sort])
    if as_json:
        print(json.dumps([_fields(one) for one in kept]))
    elif kept:
        _show(kept)
    elif found or study:
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


def _require(asked: str | None, known: Sequence[str], option: str) -> None:
    if asked is not None and asked not in known:
        raise UserError(f"{option} {asked}: is not one of {', '.join(known)}")


def _fields(one: Listed) -> dict[str, Any]:
    return {
        **asdict(one.person),
        "study": one.study,
        "state": one.state,
        "last_utc": one.last_utc,
    }


def _show(listed: Sequence[Listed]) -> None:
    from participants.listing import local_minute, show_columns

    people = [one.person for one in listed]
    show_columns(
        {
            "code": [person.code for person in people],
            "role": [person.role for person in people],
            "axis": [person.axis for person in people],
            "rung": [person.rung for person in people],
            "sessions": [person.sessions for person in people],
            "complete": [person.complete for person in people],
            "disqualified": [person.disqualified or None for person in people],
            "consent": ["withdrawn" if one.withdrawn else ASKED[one.consent] for one in people],
            "purpose": [person.purpose for person in people],
            "study": [one.study for one in listed],
            "state": [one.state for one in listed],
            "last": [
                None if one.last_utc is None else local_minute(one.last_utc) for one in listed
            ],
        }
    )
