"""Sessions in the registry: which ones are running, may begin, or may go on.

A lease says until when a session is reserved for a PC. A running session renews its lease again and
again. Until the lease ends, the session can't go on anywhere else. Then another PC may take the
session over, with a reason.
"""

import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Exists,
    Row,
    Table,
    Update,
    and_,
    delete,
    exists,
    insert,
    not_,
    select,
    update,
)

from participants.anchor import Anchor
from participants.clock import utc_text
from participants.registry.tables import (
    appointments,
    assignments,
    choices,
    people,
    sessions,
    takeovers,
    withdrawals,
)
from stimuli.errors import UserError
from stimuli.io.canonical import hash_of

# Longer than heartbeats may be missing, in a task without events or without a network.
LEASE_S: Final = 900.0
PC_DIGITS: Final = 12


class TakenOverError(UserError):
    """Another PC took over the session."""


@dataclass(frozen=True, slots=True)
class Here:
    """The place where a session runs.

    Attributes
    ----------
    rig, pc
        The rig's name, and the PC (`this_pc`).
    data_folder
        The data folder (`Registry.folder_id`); None if it isn't known.
    """

    rig: str
    pc: str
    data_folder: str | None = None


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A session that isn't complete.

    Attributes
    ----------
    session
        Its id.
    rig
        Where it ran and goes on, unless it is taken over.
    pack_id
        What it shows.
    trials_done
        Trials that it finished.
    lease_until_utc, lease_pc
        Until when it counts as running, and on which PC; None if it was ended there.
    """

    session: str
    rig: str
    pack_id: str
    trials_done: int
    lease_until_utc: str | None = None
    lease_pc: str | None = None

    def is_elsewhere(self, here: Here) -> bool:
        """Return whether it belongs to another rig, or another PC holds its lease."""
        return self.rig != here.rig or self.lease_pc not in (None, here.pc)

    def require_here(self, code: str, here: Here, now: datetime, reason: str = "") -> None:
        """Raise UserError if it can't be resumed at a place.

        It can always be resumed on the PC that has its lease. There, the journal's lock tells at
        once whether a process still runs it.

        Parameters
        ----------
        code
            Whose it is.
        here
            Where it is to go on.
        now
            The time of day in UTC.
        reason
            Why it is taken over; empty if nobody asked for that.
        """
        if not self.is_elsewhere(here):
            return
        until = self.lease_until_utc
        if until is not None and until > utc_text(now):
            raise UserError(
                f"code {code}: is in a session on rig {self.rig} at this moment, on another PC; go "
                f"on there; if that PC is dead, take the session over after {until[11:16]} UTC: "
                'docs/several_pcs.md, "Take-over"'
            )
        if not reason:
            raise UserError(
                f"code {code}: has an unfinished session on rig {self.rig}; go on there, or take "
                'it over with its journal: docs/several_pcs.md, "Take-over"'
            )


def this_pc() -> str:
    """Return this PC's identifier: a hash of its network name, 12 hexadecimal digits."""
    return hash_of(["pc", platform.node()])[:PC_DIGITS]


def lease(pc: str, now: datetime) -> dict[str, str]:
    """Return the columns of a lease that a PC gets now."""
    return {"lease_until_utc": utc_text(now + timedelta(seconds=LEASE_S)), "lease_pc": pc}


RUNNING: Final = "running"
STOPPED: Final = "stopped"
COMPLETE: Final = "complete"
MAIN: Final = "main"
PILOT: Final = "pilot"
TEST: Final = "test"
LEFT_STUDY: Final = "left_study"
"""Name of the choice by which a person leaves a study; its value says how."""
FOR_GOOD: Final = "for_good"
DECLINED: Final = "declined"
"""The person declined the consent; the experimenter may let them in again."""


@dataclass(frozen=True, slots=True)
class NewSession:
    """What the registry enters when a session begins.

    Attributes
    ----------
    session
        Its id.
    code, role
        Who, and in which role the study wants them.
    study, pack_id
        What is shown.
    purpose
        main, pilot, test or robot.
    rig, data_folder
        Where, as in `Here`.
    """

    session: str
    code: str
    role: str
    study: str
    pack_id: str
    purpose: str
    rig: str
    data_folder: str | None = None


def person_row(connection: Connection, code: str) -> Row:
    """Return a person's row; UserError for a code that is unknown or withdrawn."""
    if connection.scalar(select(withdrawals.c.code).where(withdrawals.c.code == code)):
        raise UserError(f"code {code}: has withdrawn; no session may use it")
    row = connection.execute(select(people).where(people.c.code == code)).first()
    if row is None:
        raise UserError(f"code {code}: is not in this registry; see: participants list")
    return row


def refuse_unless_free(connection: Connection, new: NewSession, now: datetime) -> None:
    """Raise UserError if a session may not begin: one line that says why."""
    from stimuli.pack.model import is_screening

    person, screening = person_row(connection, new.code), is_screening(new.pack_id)
    if person.role != new.role and not screening:
        raise UserError(
            f"code {new.code}: is enrolled as {person.role}, "
            f"but this session is one of the {new.role}s"
        )
    for other in _sessions_of(connection, new.code):
        same = (other.study, other.purpose) == (new.study, new.purpose)
        if other.state == RUNNING and (other.lease_until_utc or "") > utc_text(now):
            raise UserError(
                f"code {new.code}: is in a session on rig {other.rig} at this moment; if that "
                "one was cut off, start the same study on the same rig: it goes on there"
            )
        if same and new.purpose != TEST and _was_left(connection, other):
            raise UserError(
                f"code {new.code}: has left study {new.study} for good; let somebody else take part"
            )
        if screening or is_screening(other.pack_id):
            # A screening shows nothing that a study shows, and may be repeated.
            continue
        if new.purpose == MAIN and other.purpose == PILOT:
            _refuse_if_seen(connection, new, other)
        if same and new.purpose != TEST and other.state == COMPLETE:
            raise UserError(f"code {new.code}: has finished study {new.study} already")
        if same and new.purpose != TEST and _was_left(connection, other, DECLINED):
            raise UserError(
                f"code {new.code}: declined to take part in study {new.study} on rig {other.rig}; "
                f"enrol a new code, or start pack {other.pack_id[:12]} there with --override REASON"
            )
        if same and new.purpose != TEST and other.state != COMPLETE:
            raise UserError(
                f"code {new.code}: has an unfinished session of {new.study} on rig {other.rig} "
                f"with pack {other.pack_id[:12]}; start that pack there: the session continues"
            )


def _refuse_if_seen(connection: Connection, new: NewSession, pilot: Row) -> None:
    """Refuse a main session if a pilot has shown the person its pack or the study's debrief."""
    seen = ""
    if pilot.pack_id == new.pack_id:
        seen = "has seen this pack"
    elif pilot.study == new.study and (pilot.state == COMPLETE or _was_left(connection, pilot)):
        seen = f"has read the debrief of study {new.study}"
    if seen:
        raise UserError(
            f"code {new.code}: {seen} in a pilot (session {pilot.session}), so the person can't "
            "take part for purpose main; let somebody else take part"
        )


def begin(
    connection: Connection, new: NewSession, stamp: str, held: Mapping[str, str] | None = None
) -> None:
    """Enter a session as running; the stamp comes from `utc_text`, ``held`` from `lease`."""
    row = {name: value for name, value in asdict(new).items() if name != "role"}
    row |= {"state": RUNNING, "trials_done": 0, "started_utc": stamp, "heard_utc": stamp}
    connection.execute(insert(sessions).values({**row, **(held or {})}))


def arrive(connection: Connection, code: str, now: datetime) -> None:
    """Mark a person's appointment of this day (of this PC's time zone) as kept."""
    wanted = select(appointments).where(
        appointments.c.code == code, appointments.c.came_utc.is_(None)
    )
    today = now.astimezone().date()
    for row in connection.execute(wanted).fetchall():
        if datetime.fromisoformat(row.begins_utc).astimezone().date() == today:
            kept = update(appointments).where(appointments.c.id == row.id)
            connection.execute(kept.values(came_utc=utc_text(now)))


def unfinished_of(
    connection: Connection, code: str, study: str, pack_id: str, purpose: str
) -> Unfinished | None:
    """Return a person's newest unfinished session of a pack, if there is one."""
    wanted = and_(
        sessions.c.code == code,
        sessions.c.study == study,
        sessions.c.pack_id == pack_id,
        sessions.c.purpose == purpose,
        sessions.c.state != COMPLETE,
        not_(was_left(FOR_GOOD)),
    )
    query = select(sessions).where(wanted).order_by(sessions.c.started_utc.desc())
    row = connection.execute(query).first()
    return row and _unfinished(row)


def go_on(
    connection: Connection, session: str, here: Here, now: datetime, reason: str = ""
) -> None:
    """Enter an unfinished session as running again; UserError if it may not go on here.

    With a reason, a session of another PC is taken over once its lease has run out.
    """
    row = session_row(connection, session)
    person_row(connection, row.code)
    if _was_left(connection, row):
        raise UserError(f"session {session}: its person has left the study for good")
    if row.state == COMPLETE:
        raise UserError(f"session {session}: is complete; there is nothing to resume")
    left, stamp = _unfinished(row), utc_text(now)
    left.require_here(row.code, here, now, reason)
    arrive(connection, row.code, now)
    if left.is_elsewhere(here):
        taken = {"session": session, "from_rig": left.rig, "to_rig": here.rig, "reason": reason}
        connection.execute(insert(takeovers).values(taken_utc=stamp, **taken))
    running = {"state": RUNNING, "rig": here.rig, "heard_utc": stamp, "ended_utc": None}
    running["data_folder"] = here.data_folder or row.data_folder
    connection.execute(_update_of(session).values({**running, **lease(here.pc, now)}))


def hear(
    connection: Connection, session: str, trials_done: int | None, pc: str, now: datetime
) -> None:
    """Note a running session's heartbeat and its progress, and renew its lease."""
    _require_own(session_row(connection, session), pc)
    values: dict[str, str | int] = {"heard_utc": utc_text(now), **lease(pc, now)}
    if trials_done is not None:
        values["trials_done"] = trials_done
    connection.execute(_update_of(session).values(values))


def end(connection: Connection, session: str, *, complete: bool, pc: str, now: datetime) -> None:
    """Enter a session as complete, or as stopped before its end; its lease ends."""
    _require_own(session_row(connection, session), pc)
    stamp = utc_text(now)
    ended = {"heard_utc": stamp, "ended_utc": stamp, "lease_until_utc": None}
    state = COMPLETE if complete else STOPPED
    connection.execute(_update_of(session).values(state=state, **ended))


def disqualify(connection: Connection, session: str, stamp: str) -> None:
    """Note that a session's person was disqualified; the stamp comes from `utc_text`.

    The first time stays, since a journal may be read again.
    """
    session_row(connection, session)
    unknown = _update_of(session).where(sessions.c.disqualified_utc.is_(None))
    connection.execute(unknown.values(disqualified_utc=stamp))


def leave(connection: Connection, session: str, stamp: str, how: str = FOR_GOOD) -> None:
    """Note that a session's person has left the study; repeating it changes nothing."""
    row = session_row(connection, session)
    if not _was_left(connection, row, how):
        choice = {"code": row.code, "session": session, "name": LEFT_STUDY, "value": how}
        connection.execute(insert(choices).values(chosen_utc=stamp, **choice))


def take_part(connection: Connection, session: str) -> None:
    """Note that a session's person takes part, even if they declined before."""
    declined = (choices.c.name == LEFT_STUDY, choices.c.value == DECLINED)
    connection.execute(delete(choices).where(choices.c.session == session, *declined))


def was_left(*how: str) -> Exists:
    """Return the SQL condition that the session's person left the study in one of these ways.

    Without arguments, any way counts.
    """
    left = exists().where(choices.c.session == sessions.c.session, choices.c.name == LEFT_STUDY)
    return left.where(choices.c.value.in_(how)) if how else left


def _was_left(connection: Connection, session: Row, how: str = FOR_GOOD) -> bool:
    wanted = select(sessions.c.session).where(sessions.c.session == session.session, was_left(how))
    return connection.execute(wanted).first() is not None


def abandon(connection: Connection, session: str) -> None:
    """Delete a session that came to nothing, with the place that was given for it.

    The place stays if another session of the person needs it.
    """
    row = session_row(connection, session)
    connection.execute(delete(takeovers).where(takeovers.c.session == session))
    connection.execute(delete(sessions).where(sessions.c.session == session))
    if connection.execute(select(sessions).where(_alike(sessions, row))).first() is None:
        connection.execute(delete(assignments).where(_alike(assignments, row)))


def anchor(connection: Connection, session: str, end: Anchor) -> None:
    """Note how long a session's journal is, and its last link."""
    connection.execute(_update_of(session).values(journal_lines=end.lines, journal_chain=end.chain))


@dataclass(frozen=True, slots=True)
class KnownSession:
    """What the registry knows of a session and its journal.

    Attributes
    ----------
    session, code, study
        Its id, and whose it is, of which study.
    place
        Where its journal is: the data folder's id, else the rig's name (`place_of`).
    started_utc
        When it began.
    anchor
        The journal's anchor; None before the session ended for the first time.
    taken_over
        Whether it was taken over: the place that it left has an older copy of the journal.
    begun, complete
        Whether it must have a journal, since it finished a trial or ended once; and whether it came
        to its end.
    """

    session: str
    code: str
    study: str
    place: str
    started_utc: str
    anchor: Anchor | None
    taken_over: bool
    begun: bool
    complete: bool


def place_of(rig: str, data_folder: str | None) -> str:
    """Return where a session is recorded; its rig stands for a data folder that isn't known."""
    return data_folder or f"rig {rig}"


def known_sessions(connection: Connection) -> tuple[KnownSession, ...]:
    """Return all sessions."""
    taken = set(connection.scalars(select(takeovers.c.session)))
    return tuple(
        KnownSession(
            row.session,
            row.code,
            row.study,
            place_of(row.rig, row.data_folder),
            row.started_utc,
            None if row.journal_chain is None else Anchor(row.journal_lines, row.journal_chain),
            row.session in taken,
            row.journal_chain is not None or row.trials_done > 0,
            row.state == COMPLETE,
        )
        for row in connection.execute(select(sessions))
    )


def session_row(connection: Connection, session: str) -> Row:
    """Return a session's row; UserError if the registry has none."""
    row = connection.execute(select(sessions).where(sessions.c.session == session)).first()
    if row is None:
        raise UserError(f"session {session}: is not in this registry")
    return row


def _alike(table: Table, row: Row) -> ColumnElement[bool]:
    """Return the SQL condition that rows are of the same person, pack and purpose."""
    return and_(*(table.c[name] == getattr(row, name) for name in ("code", "pack_id", "purpose")))


def _unfinished(row: Row) -> Unfinished:
    left = Unfinished(row.session, row.rig, row.pack_id, row.trials_done)
    if row.state != RUNNING:
        return left
    return replace(left, lease_until_utc=row.lease_until_utc, lease_pc=row.lease_pc)


def _require_own(row: Row, pc: str) -> None:
    if row.state == RUNNING and row.lease_pc not in (None, pc):
        raise TakenOverError(
            f"session {row.session}: was taken over on rig {row.rig}; end it here, it goes on there"
        )


def _update_of(session: str) -> Update:
    return update(sessions).where(sessions.c.session == session)


def _sessions_of(connection: Connection, code: str) -> list[Row]:
    return list(connection.execute(select(sessions).where(sessions.c.code == code)))
