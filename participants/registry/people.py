"""People in the registry and their pseudonymous codes: who may be entered, what is shown of them.

Codes are random, without order, and have a check against typing errors. A code has seven signs, six
random ones and a check sign, from 23 signs no two of which look alike. Each sign is a number modulo
the prime 23, weighted by its place (1 to 7). The weighted sum of a valid code is 0. Changing one
sign changes the sum by weight × difference. Swapping two signs changes it by difference of weights
× difference of signs. 23 divides neither product. So every single wrong sign and every swap of two
different signs, neighbours or not, is caught. (Weighted modulus as in ISBN-10; ISO/IEC 7064 names
the same family.)
"""

import re
import secrets
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, Row, func, insert, select

from participants.clock import utc_text
from participants.new_person import NewPerson
from participants.registry.sessions import COMPLETE
from participants.registry.tables import consents, people, sessions, withdrawals
from stimuli.errors import UserError

# No vowels, so no words; none of 0/O/D, 1/I/L, 2/Z, 5/S, 6/G, 8/B, U/V twice.
LETTERS: Final = "CDFHJKMNPQRSTWXYZ"
SIGNS: Final = "346789" + LETTERS
LENGTH: Final = 7


def new_code() -> str:
    """Return a random code: seven characters, the last of which is the check character.

    The first is a letter, so that no spreadsheet takes a code for a number. There are
    109 million codes.
    """
    body = secrets.choice(LETTERS) + "".join(secrets.choice(SIGNS) for _ in range(LENGTH - 2))
    return body + check_sign(body)


def check_sign(body: str) -> str:
    """Return the check character for a code's first six characters."""
    # The last weight is 7; its inverse modulo 23 is 10, since 7 · 10 = 3 · 23 + 1.
    return SIGNS[-_weighted_sum(body) * 10 % len(SIGNS)]


def check_code(typed: str) -> str:
    """Return a code as it is stored, from what somebody typed.

    Lower case, spaces and hyphens are accepted.

    Raises
    ------
    UserError
        If it can't be a code: a character is wrong, or two were swapped.
    """
    code = "".join(typed.split()).replace("-", "").upper()
    well_formed = len(code) == LENGTH and set(code) <= set(SIGNS)
    if not well_formed or _weighted_sum(code) % len(SIGNS) != 0:
        raise UserError(f"{typed!r} is not a participant code; check it for typing errors")
    return code


def as_people_write(code: str) -> re.Pattern[str]:
    """Return a pattern that finds a code in a text, also in lower case or with gaps in it.

    Such a spelling isn't looked for within words, since a hash may contain it by chance.
    """
    spelling = r"[\s-]{0,3}".join(code)
    return re.compile(rf"{code}|(?<![^\W_])(?i:{spelling})(?![^\W_])")


def _weighted_sum(signs: str) -> int:
    return sum(weight * SIGNS.index(sign) for weight, sign in enumerate(signs, start=1))


@dataclass(frozen=True, slots=True)
class ConsentAnswer:
    """The answer to a consent text: the text as shown, and whether somebody agreed."""

    text: str
    version: str
    sha256: str
    language: str
    agreed: bool


@dataclass(frozen=True, slots=True)
class Person:
    """A person in the registry, without arm, list and order.

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
        Number of sessions begun, and of complete ones.
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
    """Enter a person who passed `NewPerson.check`, and return the new code."""
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
