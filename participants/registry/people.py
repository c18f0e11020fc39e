"""People in the registry: who may be entered, and what is told of them."""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, Row, func, insert, select

from participants.clock import utc_text
from participants.new_person import NewPerson
from participants.registry.codes import new_code
from participants.registry.sessions import COMPLETE
from participants.registry.tables import consents, people, sessions, withdrawals

REHEARSAL: Final = "rehearsal"
"""The purpose of rehearsals, which have a registry of their own; nobody is enrolled for it."""


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


def unused_code(connection: Connection) -> str:
    """Return a new code that nobody has or had."""
    while True:
        code = new_code()
        taken = select(people.c.code).where(people.c.code == code)
        withdrawn = select(withdrawals.c.code).where(withdrawals.c.code == code)
        if connection.scalar(taken) is None and connection.scalar(withdrawn) is None:
            return code


def enter(connection: Connection, new: NewPerson, now: datetime) -> str:
    """Enter a person who was checked, and return the new code."""
    code = unused_code(connection)
    connection.execute(insert(people).values(code=code, enrolled_utc=utc_text(now), **asdict(new)))
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
