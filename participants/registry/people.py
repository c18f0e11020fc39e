"""People in the registry: who may be entered, and what is told of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from sqlalchemy import Connection, Row, func, insert, select

from participants.clock import utc_text
from participants.registry.codes import new_code
from participants.registry.sessions import COMPLETE
from participants.registry.tables import consents, people, sessions, withdrawals
from stimuli.errors import UserError

Role = Literal["lead", "expert", "participant"]
ROLES: Final = ("lead", "expert", "participant")
PURPOSES: Final = ("main", "pilot", "test", "robot")
REHEARSAL: Final = "rehearsal"
"""The purpose of rehearsals, which have a registry of their own; nobody is enrolled for it."""
AXES: Final = ("deutan", "protan")
HIGHEST_RUNG: Final = 1000


@dataclass(frozen=True, slots=True)
class ConsentAnswer:
    """The answer to a consent text: which text, as shown, and whether somebody agreed."""

    text: str
    version: str
    sha256: str
    language: str
    agreed: bool


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody in the registry; arm, list and order are not told.

    Attributes
    ----------
    code
        Pseudonymous code.
    role
        lead, expert or participant.
    purpose
        What the person was enrolled for.
    axis, rung
        A lead's confusion axis and rung of the ladder; None until known.
    enrolled_utc
        When, ISO 8601.
    sessions, complete
        Number of sessions begun, and of those that came to their end.
    consent
        The last answer to a consent text; None before the first.
    withdrawn
        Whether the person has withdrawn.
    disqualified
        Number of sessions in which the person didn't qualify.
    """

    code: str
    role: str
    purpose: str
    axis: str | None
    rung: int | None
    enrolled_utc: str
    sessions: int
    complete: int
    consent: bool | None
    withdrawn: bool
    disqualified: int = 0


def check_person(role: str, axis: str | None, rung: int | None, purpose: str) -> None:
    """Raise UserError if role, axis, rung and purpose don't go together."""
    if role not in ROLES:
        raise UserError(f"no role {role!r}; take one of {', '.join(ROLES)}")
    if purpose not in PURPOSES:
        raise UserError(f"no purpose {purpose!r}; take one of {', '.join(PURPOSES)}")
    if (axis is None) != (rung is None):
        raise UserError("axis and rung go together; give both or neither")
    if axis is not None and role != "lead":
        raise UserError(f"axis and rung belong to leads, not to a person of role {role}")
    if axis is not None and axis not in AXES:
        raise UserError(f"no axis {axis!r}; take one of {', '.join(AXES)}")
    if rung is not None and not 1 <= rung <= HIGHEST_RUNG:
        raise UserError(
            f"rung is {rung}; rungs count from 1, the lowest contrast, to {HIGHEST_RUNG} at most"
        )


def unused_code(connection: Connection) -> str:
    """Return a new code that nobody has or had."""
    while True:
        code = new_code()
        taken = select(people.c.code).where(people.c.code == code)
        gone = select(withdrawals.c.code).where(withdrawals.c.code == code)
        if connection.scalar(taken) is None and connection.scalar(gone) is None:
            return code


def enter(connection: Connection, person: Mapping[str, str | int | None], now: datetime) -> str:
    """Enter a person who was checked (`check_person`), and return the new code."""
    code = unused_code(connection)
    connection.execute(insert(people).values(code=code, enrolled_utc=utc_text(now), **person))
    return code


def everybody(connection: Connection) -> tuple[Person, ...]:
    """Return everybody, in the order of enrolment."""
    begun, complete, disqualified, consent = _counted()
    wanted = (
        select(people, begun, complete, disqualified, consent, withdrawals.c.withdrawn_utc)
        .outerjoin(withdrawals, withdrawals.c.code == people.c.code)
        .order_by(people.c.enrolled_utc, people.c.code)
    )
    return tuple(_person(row) for row in connection.execute(wanted))


def _counted() -> tuple:
    mine = sessions.c.code == people.c.code
    begun = select(func.count()).select_from(sessions).where(mine)
    complete = begun.where(sessions.c.state == COMPLETE)
    disqualified = begun.where(sessions.c.disqualified_utc.is_not(None))
    last = (
        select(consents.c.agreed)
        .where(consents.c.code == people.c.code)
        .order_by(consents.c.id.desc())
        .limit(1)
    )
    return (
        begun.scalar_subquery().label("begun"),
        complete.scalar_subquery().label("complete"),
        disqualified.scalar_subquery().label("disqualified"),
        last.scalar_subquery().label("consent"),
    )


def _person(row: Row) -> Person:
    return Person(
        code=row.code,
        role=row.role,
        purpose=row.purpose,
        axis=row.axis,
        rung=row.rung,
        enrolled_utc=row.enrolled_utc,
        sessions=row.begun,
        complete=row.complete,
        consent=row.consent,
        withdrawn=row.withdrawn_utc is not None,
        disqualified=row.disqualified,
    )
