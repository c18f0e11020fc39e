"""What a session's journal tells the registry that it doesn't know yet."""

from collections import Counter

from sqlalchemy import Connection, Row, insert, select, update

from participants.anchor import Anchor, refuse_unless_kept
from participants.journal import Event, Journal
from participants.journal.reader import kind_of
from participants.registry.sessions import (
    COMPLETE,
    DECLINED,
    STOPPED,
    NewSession,
    begin,
    disqualify,
    leave,
    take_part,
)
from participants.registry.tables import choices, consents, people, sessions, takeovers, withdrawals
from participants.session.kept_answers import RECORDED_CHOICES
from participants.session.leaving import has_declined, has_left
from participants.session.qualification import disqualification_in
from stimuli.errors import UserError

ANSWER = ("text", "version", "sha256", "language", "agreed")


def apply_journal(
    connection: Connection,
    journal: Journal,
    withdrawal: Event | None,
    data_folder: str | None = None,
) -> None:
    """Bring a session's rows up to date with its journal; doing it again changes nothing.

    Raises
    ------
    UserError
        If the journal's code is not in this registry, or the journal lacks lines that the registry
        knows.
    """
    code = str(journal.header["participant"])
    if connection.scalar(select(people.c.code).where(people.c.code == code)) is None:
        raise UserError(f"code {code}: is not in this registry; see: participants list")
    _learn_session(connection, journal, data_folder)
    _learn_consents(connection, journal, code)
    _learn_choices(connection, journal)
    kind = kind_of(journal.header.fields)
    if kind is not None and kind.learns is not None:
        kind.learns(connection, journal)
    if withdrawal is not None:
        known = select(withdrawals.c.code).where(withdrawals.c.code == code)
        if connection.scalar(known) is None:
            row = {"code": code, "withdrawn_utc": withdrawal.t_utc}
            connection.execute(insert(withdrawals).values(row))


def _learn_session(connection: Connection, journal: Journal, data_folder: str | None) -> None:
    header, last = journal.header, journal.events[-1]
    session, done = str(header["session"]), len(journal.of("trial_end"))
    row = connection.execute(select(sessions).where(sessions.c.session == session)).first()
    if row is None:
        names = ("session", "role", "study", "pack_id", "purpose")
        new = {name: header[name] for name in names} | {"rig": journal.of("session")[-1]["rig"]}
        begin(connection, NewSession(code=header["participant"], **new), header.t_utc)
    elif _went_on_elsewhere(connection, row, journal, done):
        return
    elif row.journal_chain is not None:
        known = Anchor(row.journal_lines, row.journal_chain)
        refuse_unless_kept(journal.links, known, session, "the registry")
    values = {
        "state": COMPLETE if journal.complete else STOPPED,
        "trials_done": done,
        "heard_utc": last.t_utc,
        "ended_utc": last.t_utc,
        "lease_until_utc": None,
        "journal_lines": len(journal.links),
        "journal_chain": journal.chain,
    }
    if data_folder is not None and (row is None or row.data_folder is None):
        values["data_folder"] = data_folder
    connection.execute(update(sessions).where(sessions.c.session == session).values(values))
    if (failed := disqualification_in(journal)) is not None:
        disqualify(connection, session, failed.t_utc)
    if has_left(journal.events):
        leave(connection, session, last.t_utc)
    if has_declined(journal.events):
        leave(connection, session, last.t_utc, DECLINED)
    else:
        take_part(connection, session)


def _went_on_elsewhere(connection: Connection, row: Row, journal: Journal, trials: int) -> bool:
    """Return whether the session went on elsewhere, so that another copy of the journal counts."""
    taken = select(takeovers.c.id).where(takeovers.c.session == row.session)
    moved = row.rig != journal.of("session")[-1]["rig"]
    finished = row.state == COMPLETE and not journal.complete
    return row.trials_done > trials or finished or (moved and connection.scalar(taken) is not None)


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


def _learn_choices(connection: Connection, journal: Journal) -> None:
    """Enter the journal's choices that the registry doesn't know yet."""
    code, session = str(journal.header["participant"]), str(journal.header["session"])
    rows = connection.execute(select(choices).where(choices.c.session == session))
    known = Counter((row.name, row.value) for row in rows)
    for event in journal.of("answer"):
        chosen = (event["question"], event["value"])
        if event["question"] not in RECORDED_CHOICES:
            continue
        if known[chosen]:
            known[chosen] -= 1
            continue
        row = {"name": chosen[0], "value": chosen[1], "chosen_utc": event.t_utc}
        connection.execute(insert(choices).values(code=code, session=session, **row))
