"""What people chose, and what they told of themselves: rows that outlast a session."""

from collections.abc import Mapping

from sqlalchemy import Connection, delete, insert

from participants.clock import utc_text
from participants.registry.codes import check_code
from participants.registry.registry import Registry
from participants.registry.sessions import person_row
from participants.registry.tables import choices, demographics


def record_choice(
    registry: Registry, code: str, name: str, value: str, session: str | None = None
) -> None:
    """Enter a person's choice; the last one of a name counts.

    Raises
    ------
    UserError
        If the code is unknown or withdrawn, or the registry can't be reached.
    """
    known = check_code(code)
    row = {"code": known, "name": name, "value": value, "session": session}

    def work(connection: Connection) -> None:
        person_row(connection, known)
        stamp = utc_text(registry.now())
        connection.execute(insert(choices).values(chosen_utc=stamp, **row))

    registry.transact(work)


def record_demographics(registry: Registry, code: str, answers: Mapping[str, str | None]) -> None:
    """Enter what a person told of themselves; answers of before are replaced.

    Parameters
    ----------
    registry, code
        Where, and who.
    answers
        ``age_band``, ``gender``, ``glasses``, ``acuity`` and ``language``; None for what was
        skipped.

    Raises
    ------
    UserError
        As `record_choice`.
    """
    code = check_code(code)

    def work(connection: Connection) -> None:
        person_row(connection, code)
        connection.execute(delete(demographics).where(demographics.c.code == code))
        row = {"code": code, "answered_utc": utc_text(registry.now()), **answers}
        connection.execute(insert(demographics).values(row))

    registry.transact(work)
