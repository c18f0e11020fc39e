"""What a screening found, to and from the registry.

Who is to be screened is enrolled with the role participant. A lead is somebody with a verified
rung; who is found to be neither stays a participant. ``enrol --axis --rung`` states both by hand,
and the registry keeps that they were stated.
"""

from dataclasses import dataclass
from typing import Any, Final, Literal

from pydantic import TypeAdapter
from sqlalchemy import Connection, func, insert, select, update

from participants.clock import utc_text
from participants.new_person import NewPerson
from participants.registry import Registry
from participants.registry.people import check_code
from participants.registry.sessions import person_row
from participants.registry.tables import assignments, people, screenings
from participants.screening.titration import TitrationResult
from participants.screening.trivector import TrivectorResult
from participants.screening.verdict import IshiharaScore, Verdict
from stimuli.colour.spaces import Axis
from stimuli.errors import UserError
from stimuli.screening.d15 import D15Score

Procedure = Literal["trivector", "d15", "ishihara", "titration", "decision", "by_hand"]


@dataclass(frozen=True, slots=True)
class ByHand:
    """An axis and a rung that were stated, not found by a screening."""

    axis: str
    rung: int


@dataclass(frozen=True, slots=True)
class Decision:
    """What followed from a screening.

    Attributes
    ----------
    verdict
        The verdict of the rules on thresholds and scores.
    role
        The role that the registry has from now on: lead, expert or participant.
    axis, rung
        A lead's.
    """

    verdict: Verdict
    role: str
    axis: Axis | None
    rung: int | None


TYPES: Final[dict[Procedure, type[Any]]] = {
    "trivector": TrivectorResult,
    "d15": D15Score,
    "ishihara": IshiharaScore,
    "titration": TitrationResult,
    "decision": Decision,
    "by_hand": ByHand,
}


@dataclass(frozen=True, slots=True)
class Screened:
    """One row of the registry.

    Attributes
    ----------
    procedure
        What was done.
    result
        Of the type of its procedure (`TYPES`).
    session
        The session in which it was done; None outside one.
    screened_utc
        When, ISO 8601.
    """

    procedure: Procedure
    result: Any
    session: str | None
    screened_utc: str


def record(
    registry: Registry, code: str, procedure: Procedure, result: Any, session: str | None = None
) -> None:
    """Enter a procedure's result; the last row of a procedure counts.

    Parameters
    ----------
    registry, code
        Whose.
    procedure, result
        A result of the procedure's type (`TYPES`).
    session
        During which session.

    Raises
    ------
    UserError
        If the code isn't in the registry.
    """
    code, stamp = check_code(code), utc_text(registry.now())
    registry.transact(lambda rows: enter(rows, code, procedure, result, session, stamp))


def enrol_by_hand(registry: Registry, new: NewPerson, count: int = 1) -> tuple[str, ...]:
    """Enrol people, and return their codes.

    A lead's axis and rung are recorded as stated, not found by a screening.
    """
    codes = registry.enrol_several(count, new)
    if new.axis is not None and new.rung is not None:
        for code in codes:
            record(registry, code, "by_hand", ByHand(new.axis, new.rung))
    return codes


def screened(registry: Registry, code: str) -> tuple[Screened, ...]:
    """Return all screening results of a person, in order."""
    wanted = select(screenings).where(screenings.c.code == check_code(code))
    rows = registry.transact(
        lambda connection: connection.execute(wanted.order_by(screenings.c.id)).all()
    )
    return tuple(
        Screened(row.procedure, read(row.procedure, row.result), row.session, row.screened_utc)
        for row in rows
    )


def attempt(registry: Registry, code: str) -> int:
    """Return the number of a person's next titration, from 1; each uses different plates."""
    return 1 + sum(row.procedure == "titration" for row in screened(registry, code))


def check_may_be_screened(registry: Registry, code: str) -> None:
    """Refuse a person whose role a screening can no longer change.

    Raises
    ------
    UserError
        If the person has begun a study, or isn't in the registry.
    """
    code = check_code(code)

    def work(connection: Connection) -> bool:
        person_row(connection, code)
        return _has_begun(connection, code)

    if registry.transact(work):
        raise UserError(
            f"{code} has begun a study already, so that a screening can't change role, axis and "
            "rung any more; enrol the person again for another study"
        )


def enter_decision(
    connection: Connection, code: str, decision: Decision, session: str | None, stamp: str
) -> Decision:
    """Enter a screening's decision, and give the person the role that follows.

    Returns
    -------
    Decision
        A person who has begun a study keeps role, axis and rung.
    """
    person = person_row(connection, code)
    if _has_begun(connection, code):
        decision = Decision(decision.verdict, person.role, person.axis, person.rung)
    values = {"role": decision.role, "axis": decision.axis, "rung": decision.rung}
    connection.execute(update(people).where(people.c.code == code).values(values))
    enter(connection, code, "decision", decision, session, stamp)
    return decision


def decided(verdict: Verdict, titration: TitrationResult | None) -> Decision:
    """Return the role, axis and rung that follow from a verdict and a titration."""
    if verdict.role == "expert":
        return Decision(verdict, "expert", None, None)
    if verdict.role == "lead" and titration is not None and titration.rung is not None:
        return Decision(verdict, "lead", verdict.axis, titration.rung)
    return Decision(verdict, "participant", None, None)


def enter(
    connection: Connection,
    code: str,
    procedure: Procedure,
    result: Any,
    session: str | None,
    stamp: str,
) -> None:
    """Do as `record` within a transaction."""
    person_row(connection, code)
    text = TypeAdapter(TYPES[procedure]).dump_json(result).decode()
    connection.execute(
        insert(screenings).values(
            code=code, procedure=procedure, result=text, session=session, screened_utc=stamp
        )
    )


def read(procedure: Procedure, text: str) -> Any:
    """Return a result in its type, from a row's text."""
    return TypeAdapter(TYPES[procedure]).validate_json(text)


def _has_begun(connection: Connection, code: str) -> bool:
    wanted = select(func.count()).select_from(assignments).where(assignments.c.code == code)
    return bool(connection.scalar(wanted))
