"""What people chose, and what they told of themselves: rows that outlast a session."""

from collections.abc import Mapping

from sqlalchemy import Connection, delete, insert, select

from participants.journal.clock import utc_text
from participants.registry.codes import check_code
from participants.registry.registry import Registry
from participants.registry.sessions import person_row
from participants.registry.tables import choices, demographics
from participants.session.choices import TOLD_RESULT, YES


def record_choice(
    registry: Registry, code: str, name: str, value: str, session: str | None = None
) -> None:
    """Enter a person's choice; the last one of a name counts.

    Raises
    ------
    UserError
        If the code is unknown or withdrawn, or the registry can't be reached.
    """
    row = {"code": check_code(code), "name": name, "value": value, "session": session}

    def work(connection: Connection) -> None:
        person_row(connection, row["code"])
        stamp = utc_text(registry.now())
        connection.execute(insert(choices).values(chosen_utc=stamp, **row))

    registry.transact(work)


def choice_of(registry: Registry, code: str, name: str) -> str | None:
    """Return a person's last choice of a name; None before the first. Errors as `record_choice`."""
    code = check_code(code)
    wanted = (
        select(choices.c.value)
        .where(choices.c.code == code, choices.c.name == name)
        .order_by(choices.c.id.desc())
        .limit(1)
    )

    def work(connection: Connection) -> str | None:
        person_row(connection, code)
        return connection.scalar(wanted)

    return registry.transact(work)


def wants_to_know(registry: Registry, code: str) -> bool | None:
    """Return whether a person wants to be told what a screening finds; None if never asked.

    Who wasn't asked is asked first (`participants.session.choices.told_result`); nobody is told
    what they haven't said yes to. Errors as `record_choice`.
    """
    chosen = choice_of(registry, code, TOLD_RESULT)
    return None if chosen is None else chosen == YES


def record_demographics(registry: Registry, code: str, answers: Mapping[str, str | None]) -> None:
    """Enter what a person told of themselves; answers of before are replaced.

    Parameters
    ----------
    registry, code
        Where, and who.
    answers
        ``age_band``, ``glasses``, ``acuity`` and ``language``; None for what was skipped.

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
