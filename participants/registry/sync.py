"""What a session's journal tells the registry that it doesn't know yet."""

from collections import Counter

from sqlalchemy import Connection, insert, select, update

from participants.journal import Event, Journal
from participants.journal.vocabulary import kind_of
from participants.registry.choices import learn_choices
from participants.registry.sessions import (
    COMPLETE,
    STOPPED,
    NewSession,
    begin,
    disqualify,
    leave,
)
from participants.registry.tables import consents, people, sessions, withdrawals
from participants.session.leaving import has_left
from participants.session.qualification import disqualification_in
from stimuli.errors import UserError

ANSWER = ("text", "version", "sha256", "language", "agreed")


def apply_journal(connection: Connection, journal: Journal, withdrawal: Event | None) -> None:
    """Bring a session's rows up to date with its journal; doing it again changes nothing.

    Raises
    ------
    UserError
        If the journal's code is not in this registry.
    """
    code = str(journal.header["participant"])
    if connection.scalar(select(people.c.code).where(people.c.code == code)) is None:
        raise UserError(f"code {code}: is not in this registry; see: participants list")
    _learn_session(connection, journal)
    _learn_consents(connection, journal, code)
    kind = kind_of(journal.header.fields)
    if kind is not None and kind.learns is not None:
        kind.learns(connection, journal)
    learn_choices(connection, journal)
    if withdrawal is not None:
        known = select(withdrawals.c.code).where(withdrawals.c.code == code)
        if connection.scalar(known) is None:
            row = {"code": code, "withdrawn_utc": withdrawal.t_utc}
            connection.execute(insert(withdrawals).values(row))


def _learn_session(connection: Connection, journal: Journal) -> None:
    header, last = journal.header, journal.events[-1]
    session = str(header["session"])
    if connection.scalar(select(sessions.c.state).where(sessions.c.session == session)) is None:
        names = ("session", "role", "study", "pack_id", "purpose", "rig")
        new = NewSession(code=header["participant"], **{name: header[name] for name in names})
        begin(connection, new, header.t_utc)
    values = {
        "state": COMPLETE if journal.complete else STOPPED,
        "trials_done": len(journal.of("trial_end")),
        "heard_utc": last.t_utc,
        "ended_utc": last.t_utc,
    }
    connection.execute(update(sessions).where(sessions.c.session == session).values(values))
    if (failed := disqualification_in(journal)) is not None:
        disqualify(connection, session, failed.t_utc)
    if has_left(journal.events):
        leave(connection, session, last.t_utc)


def _learn_consents(connection: Connection, journal: Journal, code: str) -> None:
    session = str(journal.header["session"])
    rows = connection.execute(select(consents).where(consents.c.session == session))
    known = Counter(tuple(getattr(row, name) for name in ANSWER) for row in rows)
    for event in journal.of("consent"):
        answer = {name: event[name] for name in ANSWER}
        if known[tuple(answer.values())]:
            known[tuple(answer.values())] -= 1
            continue
        row = {"code": code, "session": session, "answered_utc": event.t_utc, **answer}
        connection.execute(insert(consents).values(row))
