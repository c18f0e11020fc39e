"""The numbers of a day in the lab, from registry and journals; by default none reveals an arm."""

import json
import shutil
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Connection, Row, func, select

from participants.appointments.book import Appointment, DayPlan, appointments_of, days_ahead
from participants.backup.record import Record
from participants.clock import utc_text
from participants.day.disqualified import missed_of
from participants.folder import DataFolder, LabFolder
from participants.notes import notes_of
from participants.overview.counts import Counts, count
from participants.overview.due import Due, due
from participants.payments.ledger import accounts_of
from participants.payments.options import PaymentOptions
from participants.registry import Registry
from participants.registry.assignments import given_places
from participants.registry.sessions import COMPLETE, MAIN, PILOT
from participants.registry.states import session_state
from participants.registry.tables import people, sessions, withdrawals
from stimuli.errors import UserError
from stimuli.io.inside import odd_kind

if TYPE_CHECKING:
    from participants.session.qualification import Missed

PEOPLE: Final = (MAIN, PILOT)
"""Purposes of sessions of people; robots and tests are left out."""
DAYS: Final = 28
REGISTRATION: Final = "preregistration.json"
GIB: Final = 1024**3


@dataclass(frozen=True, slots=True)
class Came:
    """A session last heard of today: the registry's columns, and its state as in `Counts`.

    `missed` says why the person was disqualified; None if they weren't, or it isn't known here.
    """

    code: str
    study: str
    purpose: str
    rig: str
    state: str
    started_utc: str
    heard_utc: str
    missed: "Missed | None" = None


@dataclass(frozen=True, slots=True)
class DayCount:
    """How many sessions began on a day (of this PC's time zone), by rig."""

    day: date
    rigs: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class RigFrames:
    """Frames of the trials that were recorded on one rig, as far as its journals are here.

    Attributes
    ----------
    rig
        Its name.
    trials, with_dropped
        Finished trials, and those of them that dropped a frame.
    frames, dropped
        Frames that were shown, and that were dropped.
    """

    rig: str
    trials: int
    with_dropped: int
    frames: int
    dropped: int


@dataclass(frozen=True, slots=True)
class Sample:
    """How complete a pack's sample is.

    Attributes
    ----------
    study, pack_id
        Which.
    complete
        People of purpose main who completed it and neither withdrew nor were disqualified.
    planned
        How many the preregistration plans; None without one in the lab folder.
    registered
        Whether that preregistration has this pack's protocol; None without one.
    cells
        How many hold each place of the design (list × order), fewest first, without saying which.
    named
        The same by place; empty while the arms are hidden.
    """

    study: str
    pack_id: str
    complete: int
    planned: int | None
    registered: bool | None
    cells: tuple[int, ...]
    named: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Incident:
    """An incident that was noted; code and session are None if it concerns the lab."""

    noted_utc: str
    code: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Unpaid:
    """What is still to be paid: the sum in hundredths, its currency, and to whom how much of it."""

    cents: int
    currency: str
    people: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Upkeep:
    """Disk space and backups.

    Attributes
    ----------
    free_gib
        Free space on the data's disk, GiB; None where it can't be asked.
    backup_utc
        When the last backup was made; None without one.
    backup_failed
        Why the last attempt failed; empty if it didn't.
    """

    free_gib: float | None
    backup_utc: str | None
    backup_failed: str


@dataclass(frozen=True, slots=True)
class Booked:
    """Appointments of people.

    Attributes
    ----------
    today
        Those of today, in the order of their times.
    ahead, missed
        How many people have one ahead, and how many no-shows there were.
    days
        Free places of the next days.
    """

    today: tuple[Appointment, ...]
    ahead: int
    missed: int
    days: tuple[DayPlan, ...]


@dataclass(frozen=True, slots=True)
class Day:
    """All numbers of the day.

    Attributes
    ----------
    now
        The time of day, in UTC.
    rig
        This PC's rig.
    due
        Unfinished sessions of purposes main and pilot: now, later and overdue.
    came
        Sessions of today.
    counts
        People, sessions and screenings.
    withdrew
        People who took their data back; robots and tests aren't among them.
    days
        Sessions by day and rig, the last 28 days with some.
    frames
        Frames by rig.
    samples
        How far each pack's sample is.
    incidents
        All incidents, newest first.
    unpaid
        What is still to be paid; None where nothing is.
    upkeep
        Disk and backup.
    booked
        Appointments.
    """

    now: datetime
    rig: str
    due: tuple[Due, ...]
    came: tuple[Came, ...]
    counts: Counts
    withdrew: int
    days: tuple[DayCount, ...]
    frames: tuple[RigFrames, ...]
    samples: tuple[Sample, ...]
    incidents: tuple[Incident, ...]
    unpaid: Unpaid | None
    upkeep: Upkeep
    booked: Booked

    @property
    def missing(self) -> int:
        """How many people the plans of all samples still lack."""
        plans = (sample for sample in self.samples if sample.registered)
        return sum(max(0, (plan.planned or 0) - plan.complete) for plan in plans)

    @property
    def overdue(self) -> int:
        """How many sittings are overdue."""
        return sum(sitting.when == "overdue" for sitting in self.due)

    def sessions(self, *states: str, purposes: Collection[str] = PEOPLE) -> int:
        """Return how many people's sessions are in some states of `counts`."""
        rows = self.counts.sessions
        return sum(
            row["sessions"] for row in rows if row["purpose"] in purposes and row["state"] in states
        )


def day_of(lab: LabFolder, registry: Registry, *, unblind: bool = False) -> Day:
    """Return the numbers of the day.

    Parameters
    ----------
    lab, registry
        The lab.
    unblind
        Name the places of the design.

    Raises
    ------
    UserError
        If the registry can't be reached.
    """
    now = registry.now()
    rows = registry.transact(lambda connection: _people_sessions(connection, utc_text(now)))
    counts = registry.transact(lambda connection: count(connection, utc_text(now)))
    samples = registry.transact(lambda connection: _samples(lab, connection, now))
    return Day(
        now=now,
        rig=lab.settings.rig,
        due=tuple(sitting for sitting in due(lab, registry) if sitting.purpose in PEOPLE),
        came=tuple(_came(row, lab.data) for row in rows if _day(row.heard_utc) == _local(now)),
        counts=counts,
        withdrew=registry.transact(_withdrew),
        days=tuple(_days(rows, now)),
        frames=tuple(_frames(lab.data, {row.session for row in rows})),
        samples=tuple(sample if unblind else _hidden(sample) for sample in samples),
        incidents=tuple(_incidents(registry, lab.data)),
        unpaid=_unpaid(lab, registry),
        upkeep=_upkeep(lab),
        booked=_booked(lab, registry, _local(now)),
    )


def _booked(lab: LabFolder, registry: Registry, today: date) -> Booked:
    every, rules = appointments_of(registry), lab.settings.appointments
    counted = Counter(appointment.state for appointment in every)
    return Booked(
        today=tuple(appointment for appointment in every if appointment.day == today),
        ahead=counted["ahead"],
        missed=counted["missed"],
        days=tuple(days_ahead(every, rules, lab.settings.rig, today, rules.days_ahead)),
    )


def _people_sessions(connection: Connection, now_utc: str) -> Sequence[Row]:
    """Return sessions of people who didn't withdraw, in the order in which they began."""
    withdrawn = select(withdrawals.c.code)
    columns = [column for column in sessions.c if column is not sessions.c.state]
    wanted = select(*columns, session_state(now_utc)).where(
        sessions.c.purpose.in_(PEOPLE), sessions.c.code.not_in(withdrawn)
    )
    return connection.execute(wanted.order_by(sessions.c.started_utc)).fetchall()


def _withdrew(connection: Connection) -> int:
    # Somebody who was removed isn't among the people any more.
    others = select(people.c.code).where(people.c.purpose.not_in(PEOPLE))
    wanted = select(func.count()).where(withdrawals.c.code.not_in(others))
    return connection.scalar(wanted.select_from(withdrawals)) or 0


def _came(row: Row, data: DataFolder) -> Came:
    columns = [name for name in Came.__dataclass_fields__ if name != "missed"]
    missed = missed_of(data, row.session) if row.state == "disqualified" else None
    return Came(**{name: getattr(row, name) for name in columns}, missed=missed)


def _local(moment: datetime) -> date:
    return moment.astimezone().date()


def _day(utc: str) -> date:
    return _local(datetime.fromisoformat(utc))


def _days(rows: Sequence[Row], now: datetime) -> Iterator[DayCount]:
    counted = Counter((_day(row.started_utc), row.rig) for row in rows)
    first = _local(now) - timedelta(days=DAYS - 1)
    for day in sorted({day for day, _ in counted if day >= first}):
        yield DayCount(day, {rig: n for (when, rig), n in sorted(counted.items()) if when == day})


def _frames(data: DataFolder, sessions: set[str]) -> Iterator[RigFrames]:
    trials = [
        trial
        for paths in data.sessions()
        if paths.session in sessions
        for trial in _trials(paths.journal)
    ]
    for rig in sorted({rig for rig, _ in trials}):
        of_rig = [event for where, event in trials if where == rig]
        dropped = [int(event.get("frames_dropped") or 0) for event in of_rig]
        frames = sum(int(event.get("frames_shown") or 0) for event in of_rig)
        yield RigFrames(rig, len(of_rig), sum(map(bool, dropped)), frames, sum(dropped))


def _trials(journal: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield finished trials with their rig; it is doctor that checks whether journals are whole."""
    rig = ""
    if odd_kind(journal):
        return
    try:
        content = journal.read_bytes()
    except OSError:
        return
    for line in content.splitlines():
        if b'"event":"session"' not in line and b'"event":"trial_end"' not in line:
            continue
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if event.get("event") == "session":
            rig = str(event.get("rig", ""))
        elif event.get("event") == "trial_end":
            yield rig, event


def samples_of(lab: LabFolder, registry: Registry) -> tuple[Sample, ...]:
    """Return how far each pack's sample is, without naming an arm."""
    now = registry.now()
    samples = registry.transact(lambda connection: _samples(lab, connection, now))
    return tuple(map(_hidden, samples))


def planned_people(lab: LabFolder, rules: str) -> int | None:
    """Return how many people are planned under a protocol, by its hash; None without a plan."""
    plans = (plan for plan in _registrations(lab) if plan["protocol_hash"] == rules)
    return next((int(plan["participants"]) for plan in plans), None)


def _samples(lab: LabFolder, connection: Connection, now: datetime) -> list[Sample]:
    rows = [row for row in _people_sessions(connection, utc_text(now)) if row.purpose == MAIN]
    planned = _registrations(lab)
    samples = []
    for study, pack_id in sorted({(row.study, row.pack_id) for row in rows}):
        of_pack = [row for row in rows if row.pack_id == pack_id]
        counted = {row.code for row in of_pack if row.state == COMPLETE}
        places, rules = _places(lab, connection, pack_id, now)
        if not places:
            # A screening has no places, and no sample.
            continue
        plan = next(
            (registration for registration in planned if registration["protocol_hash"] == rules),
            None,
        )
        other = plan or next(
            (registration for registration in planned if registration["study"] == study), None
        )
        samples.append(
            Sample(
                study=study,
                pack_id=pack_id,
                complete=len(counted),
                planned=None if other is None else int(other["participants"]),
                registered=None if other is None else plan is not None,
                cells=tuple(sorted(places.values())),
                named=dict(sorted(places.items())),
            )
        )
    return samples


def _hidden(sample: Sample) -> Sample:
    return Sample(
        sample.study, sample.pack_id, sample.complete, sample.planned, sample.registered,
        sample.cells, {},
    )  # fmt: skip


def _places(
    lab: LabFolder, connection: Connection, pack_id: str, now: datetime
) -> tuple[dict[str, int], str]:
    """Return who holds each place of a pack's design, and the hash of its protocol."""
    # Only labs with people's sessions need these, and they take longer than all the rest.
    from participants.dataset.journals import open_pack_copy
    from participants.study import session_kind_of
    from stimuli.protocol import protocol_hash

    places: dict[str, int] = {}
    rules, drop_s = "", 0.0
    try:
        pack = open_pack_copy(lab.data, pack_id)
        kind = session_kind_of(pack)
        rules, drop_s = protocol_hash(pack.protocol), pack.protocol.assignment.drop_after_s
        if kind.offers is not None and kind.orders is not None:
            orders = kind.orders(pack.protocol)
            places = {f"{cell.list}, {order}": 0 for cell in kind.offers(pack) for order in orders}
    except UserError:
        # If the pack's copy isn't here, only the places that were given are known.
        pass
    since = utc_text(now - timedelta(seconds=drop_s))
    for held in given_places(connection, pack_id, MAIN, since):
        name = f"{held.cell.list}, {held.cell.order}"
        places[name] = places.get(name, 0) + (not held.freed)
    return places, rules


def _registrations(lab: LabFolder) -> list[Mapping[str, Any]]:
    """Return the preregistrations that lie in the lab folder, one folder each."""
    registrations = []
    for path in sorted(
        [*lab.root.glob(f"*/{REGISTRATION}"), *lab.root.glob(f"*/*/{REGISTRATION}")]
    ):
        try:
            stated = json.loads(path.read_bytes())
        except (OSError, ValueError):
            continue
        if isinstance(stated, Mapping) and {"study", "participants", "protocol_hash"} <= set(
            stated
        ):
            registrations.append(stated)
    return registrations


def _incidents(registry: Registry, data: DataFolder) -> Iterator[Incident]:
    for row in reversed(notes_of(registry, data)):
        if row["kind"] == "incident":
            yield Incident(str(row["noted_utc"]), row["code"], str(row["text"]))


def _unpaid(lab: LabFolder, registry: Registry) -> Unpaid | None:
    owed = [
        account for account in accounts_of(lab, registry, PaymentOptions()) if account.due_cents
    ]
    if not owed:
        return None
    people: Counter[str] = Counter()
    for account in owed:
        people[account.code] += account.due_cents
    return Unpaid(people.total(), owed[0].currency, dict(people))


def _upkeep(lab: LabFolder) -> Upkeep:
    try:
        free: float | None = shutil.disk_usage(lab.root).free / GIB
    except OSError:
        free = None
    try:
        places = Record.of(lab).places.values()
    except UserError as error:
        return Upkeep(free, None, str(error))
    made = max((place.made_utc for place in places if place.made_utc), default=None)
    return Upkeep(free, made, next((place.reason for place in places if place.reason), ""))
