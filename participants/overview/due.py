"""Who comes again, from when and until when; whose removal isn't finished.

The times can also be written as appointments for a calendar.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlalchemy import Connection, Row, select

from participants.appointments.calendar import calendar, event_of
from participants.clock import utc_text
from participants.folder import LabFolder
from participants.registry import Registry
from participants.registry.states import GOES_ON, session_state
from participants.registry.tables import people, sessions, withdrawals
from participants.tombstones import read_tombstones
from stimuli.errors import UserError

if TYPE_CHECKING:
    from icalendar import Event

    from stimuli.protocol import Protocol


@dataclass(frozen=True, slots=True)
class Due:
    """An unfinished session, and when it goes on.

    Attributes
    ----------
    code, session, study, purpose, rig
        Person, session id, study, purpose, and the rig on which it goes on.
    trials_done
        Trials that are finished.
    last_utc
        When the registry last heard of it, ISO 8601.
    from_utc
        Earliest time at which it may go on: the protocol's least gap after the last time.
    until_utc
        Until when it keeps its place in the design; None if the protocol isn't here.
    when
        ``overdue``, ``now`` or ``later``.
    """

    code: str
    session: str
    study: str
    purpose: str
    rig: str
    trials_done: int
    last_utc: str
    from_utc: str
    until_utc: str | None
    when: str


def due(lab: LabFolder, registry: Registry) -> tuple[Due, ...]:
    """Return all unfinished sessions, in the order in which people come.

    People who declined, were disqualified, withdrew or left the study for good don't come again.
    """
    now = registry.now()
    rows = registry.transact(lambda connection: _unfinished(connection, utc_text(now)))
    protocols = {pack_id: _protocol(lab, pack_id) for pack_id in {row.pack_id for row in rows}}
    sittings = [_due(row, protocols[row.pack_id], now) for row in rows]
    return tuple(sorted(sittings, key=lambda sitting: (sitting.from_utc, sitting.code)))


def to_remove(lab: LabFolder, registry: Registry) -> tuple[str, ...]:
    """Return people who withdrew but still have rows in the registry or sessions here."""

    def work(connection: Connection) -> set[str]:
        both = select(people.c.code).join(withdrawals, withdrawals.c.code == people.c.code)
        return set(connection.scalars(both))

    withdrawn = read_tombstones(lab.data)
    owners = {paths.owner for paths in lab.data.sessions()} if withdrawn else set()
    here = {code for code in withdrawn if any(code in owner for owner in owners)}
    return tuple(sorted(registry.transact(work) | here))


def _unfinished(connection: Connection, now_utc: str) -> list[Row]:
    wanted = select(sessions).where(session_state(now_utc).in_(GOES_ON))
    return list(connection.execute(wanted))


def _due(row: Row, protocol: "Protocol | None", now: datetime) -> Due:
    last = datetime.fromisoformat(row.heard_utc)
    start = last + _least_gap(protocol)
    end = None if protocol is None else last + timedelta(seconds=protocol.assignment.drop_after_s)
    when = "overdue" if end is not None and end < now else "now" if start <= now else "later"
    return Due(
        code=row.code,
        session=row.session,
        study=row.study,
        purpose=row.purpose,
        rig=row.rig,
        trials_done=row.trials_done,
        last_utc=row.heard_utc,
        from_utc=utc_text(start),
        until_utc=None if end is None else utc_text(end),
        when=when,
    )


def _least_gap(protocol: "Protocol | None") -> timedelta:
    """Return the least time between two sittings."""
    return timedelta(hours=0.0 if protocol is None else protocol.least_gap_h)


def _protocol(lab: LabFolder, pack_id: str) -> "Protocol | None":
    """Return the rules of a pack that the lab has, or keeps a copy of."""
    # Only unfinished sessions need them.
    from stimuli.pack import Pack
    from stimuli.pack.folder import read_manifest

    for folder in _places(lab, pack_id):
        try:
            manifest = read_manifest(folder)
            if manifest.pack_id == pack_id:
                return Pack(manifest, lambda name: b"").protocol
        except UserError:
            continue
    return None


def _places(lab: LabFolder, pack_id: str) -> Iterator[Path]:
    from stimuli.pack.folder import MANIFEST

    yield lab.data.pack_copy(pack_id)
    yield from (path.parent for path in sorted(lab.packs.glob(f"*/{MANIFEST}")))


LASTS: Final = timedelta(minutes=30)
WARNED: Final = timedelta(days=2)


def calendar_of(due: Iterable[Due], now: datetime) -> bytes:
    """Return appointments for people who are due, as an iCalendar file (RFC 5545).

    Each unfinished session has one for the earliest time it may go on, and one for the time when
    its place is given to somebody else, with an alarm two days before.

    Parameters
    ----------
    due
        The unfinished sessions.
    now
        The time of day, in UTC.
    """
    events = (event for sitting in due for event in _events(sitting, now))
    return calendar("who comes again", "participants reminders", events)


def _events(sitting: Due, now: datetime) -> "Iterator[Event]":
    from icalendar import Alarm

    description = (
        f"{sitting.trials_done} trials are done. Rig {sitting.rig}, purpose {sitting.purpose}."
    )
    first = f"{sitting.code} may come again: {sitting.study}"
    yield _event(sitting, now, "from", sitting.from_utc, first, description)
    if sitting.until_utc is not None:
        last = f"Last moment for {sitting.code}: {sitting.study}"
        event = _event(
            sitting,
            now,
            "until",
            sitting.until_utc,
            last,
            f"{description} After that the place is free.",
        )
        alarm = Alarm()
        alarm.add("action", "DISPLAY")
        alarm.add("description", last)
        alarm.add("trigger", -WARNED)
        event.add_component(alarm)
        yield event


def _event(
    sitting: Due, now: datetime, kind: str, utc: str, title: str, description: str
) -> "Event":
    revision = int(datetime.fromisoformat(sitting.last_utc).timestamp()) // 60
    event = event_of(f"{sitting.session}-{kind}", revision, now, utc, LASTS, title, description)
    # Nobody is booked by it.
    event.add("transp", "TRANSPARENT")
    return event
