"""How many people and sessions there are, and how many were screened for each lead."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, func, select

from participants.registry.states import session_state
from participants.registry.tables import people, screenings, sessions, withdrawals

STATED: Final = "by_hand"
"""The procedure of a lead who was enrolled with an axis and a rung instead of being screened."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts of a lab; robots are counted too, under their purpose.

    Attributes
    ----------
    people
        By role, purpose, axis and rung: how many, and how many have begun a session.
    sessions
        By study, role, purpose and state: how many, and when one was last heard of. States are
        running, unfinished, complete, disqualified, declined, left for good and withdrawn.
    screened
        By purpose: people who were screened, leads among them, and people screened for each
        lead (None without leads). People whose axis and rung were stated by hand don't count.
    withdrawn
        People who took their data back.
    """

    people: tuple[Mapping[str, Any], ...]
    sessions: tuple[Mapping[str, Any], ...]
    screened: tuple[Mapping[str, Any], ...]
    withdrawn: int


def count(connection: Connection, now_utc: str) -> Counts:
    """Return the counts of a registry; the time of day is written by `utc_text`."""
    return Counts(
        people=_people(connection),
        sessions=_sessions(connection, now_utc),
        screened=_screened(connection),
        withdrawn=connection.scalar(select(func.count()).select_from(withdrawals)) or 0,
    )


def last_sessions(
    connection: Connection, now_utc: str, study: str | None = None
) -> dict[str, tuple[str, str, str]]:
    """Return the study, state and last recorded time of each person's last session, by code.

    Parameters
    ----------
    connection
        A connection within a transaction.
    now_utc
        The time of day, written by `utc_text`.
    study
        Sessions of this study alone; None for all.
    """
    wanted = select(sessions.c.code, sessions.c.study, session_state(now_utc), sessions.c.heard_utc)
    if study is not None:
        wanted = wanted.where(sessions.c.study == study)
    rows = connection.execute(wanted.order_by(sessions.c.started_utc, sessions.c.session))
    return {row.code: (row.study, row.state, row.heard_utc) for row in rows}


def _people(connection: Connection) -> tuple[Mapping[str, Any], ...]:
    kinds = (people.c.role, people.c.purpose, people.c.axis, people.c.rung)
    begun = select(sessions.c.code).where(sessions.c.code == people.c.code).exists()
    wanted = select(
        *kinds,
        func.count().label("people"),
        func.count().filter(begun).label("begun"),
    )
    rows = connection.execute(wanted.group_by(*kinds).order_by(*kinds))
    return tuple(dict(row._mapping) for row in rows)


def _sessions(connection: Connection, now_utc: str) -> tuple[Mapping[str, Any], ...]:
    states = select(
        sessions.c.study,
        people.c.role,
        sessions.c.purpose,
        session_state(now_utc),
        sessions.c.heard_utc,
    )
    joined = states.join(people, people.c.code == sessions.c.code).subquery()
    kinds = (joined.c.study, joined.c.role, joined.c.purpose, joined.c.state)
    wanted = select(
        *kinds,
        func.count().label("sessions"),
        func.max(joined.c.heard_utc).label("last_utc"),
    )
    rows = connection.execute(wanted.group_by(*kinds).order_by(*kinds))
    return tuple(dict(row._mapping) for row in rows)


def _screened(connection: Connection) -> tuple[Mapping[str, Any], ...]:
    of_person = screenings.c.code == people.c.code
    was = select(screenings.c.code).where(of_person, screenings.c.procedure != STATED).exists()
    wanted = select(
        people.c.purpose,
        func.count().label("screened"),
        func.count().filter(people.c.role == "lead").label("leads"),
    )
    counted = wanted.where(was).group_by(people.c.purpose).order_by(people.c.purpose)
    return tuple(
        {**row._mapping, "screened_per_lead": _ratio(row.screened, row.leads)}
        for row in connection.execute(counted)
    )


def _ratio(screened: int, leads: int) -> float | None:
    return round(screened / leads, 2) if leads else None
