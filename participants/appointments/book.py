"""Appointments in the registry: booked, moved, cancelled, and kept or missed.

Somebody has at most one appointment ahead. It is kept if a session of the person begins, or goes
on, on that day; then the registry marks it. One that has passed without that is a no-show.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Final, Literal

from sqlalchemy import Connection, Row, delete, insert, select, update

from participants.clock import utc_text
from participants.command_line import local_minute
from participants.lab_settings import AppointmentRules
from participants.registry import Registry, check_code
from participants.registry.sessions import person_row
from participants.registry.tables import appointments
from stimuli.errors import UserError

State = Literal["ahead", "came", "missed"]
WEEKEND: Final = 5
"""First day of the week, from 0, on which nobody is asked to come."""


@dataclass(frozen=True, slots=True)
class Appointment:
    """When somebody comes.

    Attributes
    ----------
    id
        Its number in the registry.
    code, study, rig
        Who comes, for which study (empty for any), and on which PC.
    begins_utc, minutes
        When, ISO 8601, and for how long.
    revision
        How often it was moved.
    state
        ``ahead``; ``came``, if a session took place that day; ``missed``, if it passed without one.
    """

    id: int
    code: str
    study: str
    rig: str
    begins_utc: str
    minutes: int
    revision: int
    state: State

    @property
    def begins(self) -> datetime:
        """When it begins, in UTC."""
        return datetime.fromisoformat(self.begins_utc)

    @property
    def ends(self) -> datetime:
        """When it ends, in UTC."""
        return self.begins + timedelta(minutes=self.minutes)

    @property
    def day(self) -> date:
        """Its day, by this PC's clock."""
        return self.begins.astimezone().date()


def read_moment(option: str, text: str) -> datetime:
    """Return a moment of this PC's time zone, written as 2026-12-03 10:00; option may be empty."""
    typed = f"{option} {text}".strip()
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise UserError(f"{typed}: must be a time such as 2026-12-03 10:00") from None
    if moment.time() == time.min and ":" not in text:
        raise UserError(f"{typed}: lacks the time of day, such as 2026-12-03 10:00")
    return moment.astimezone()


def book(
    registry: Registry, code: str, begins: datetime, rig: str, minutes: int, study: str = ""
) -> Appointment:
    """Enter an appointment.

    Parameters
    ----------
    registry
        The lab's.
    code
        Who comes.
    begins, minutes
        When, and for how long.
    rig
        On which PC.
    study
        For which study; empty for any.

    Raises
    ------
    UserError
        If the code is unknown or withdrawn or has an appointment ahead, the time has passed, or the
        PC is taken then; the message is one line.
    """
    code = check_code(code)

    def work(connection: Connection) -> Appointment:
        person_row(connection, code)
        ahead = _ahead_of(connection, code, registry.now())
        if ahead is not None:
            raise UserError(
                f"code {code}: comes on {local_minute(ahead.begins_utc)} already; move that "
                "appointment, or cancel it"
            )
        row = _row(connection, registry.now(), begins, rig, minutes)
        made = connection.execute(insert(appointments).values(code=code, study=study, **row))
        key = made.inserted_primary_key
        assert key is not None
        return _by_number(connection, key[0], registry.now())

    return registry.transact(work)


def move(
    registry: Registry, code: str, begins: datetime, rig: str = "", minutes: int | None = None
) -> Appointment:
    """Move somebody's appointment; where nothing is given, PC and length stay.

    Errors as `book`; also if there is none ahead.
    """
    code = check_code(code)

    def work(connection: Connection) -> Appointment:
        ahead = _require_ahead(connection, code, registry.now())
        row = _row(
            connection, registry.now(), begins, rig or ahead.rig, minutes or ahead.minutes, ahead.id
        )
        changed = update(appointments).where(appointments.c.id == ahead.id)
        connection.execute(changed.values(revision=ahead.revision + 1, **row))
        return _by_number(connection, ahead.id, registry.now())

    return registry.transact(work)


def cancel(registry: Registry, code: str) -> Appointment:
    """Delete somebody's appointment, and return it; UserError if there is none ahead."""
    code = check_code(code)

    def work(connection: Connection) -> Appointment:
        ahead = _require_ahead(connection, code, registry.now())
        connection.execute(delete(appointments).where(appointments.c.id == ahead.id))
        return ahead

    return registry.transact(work)


def appointments_of(registry: Registry, code: str | None = None) -> tuple[Appointment, ...]:
    """Return all appointments, or those of a person, in the order of their times."""
    return registry.transact(lambda connection: appointments_in(connection, registry.now(), code))


def appointments_in(
    connection: Connection, now: datetime, code: str | None = None
) -> tuple[Appointment, ...]:
    """Return appointments as `appointments_of` does, within a transaction."""
    wanted = select(appointments).order_by(appointments.c.begins_utc, appointments.c.id)
    if code is not None:
        wanted = wanted.where(appointments.c.code == code)
    return tuple(_appointment(row, now) for row in connection.execute(wanted))


@dataclass(frozen=True, slots=True)
class DayPlan:
    """A day's places.

    Attributes
    ----------
    day
        The day.
    booked, places
        Appointments, and how many the lab's PCs have room for.
    """

    day: date
    booked: int
    places: int

    @property
    def free(self) -> int:
        """Number of free places."""
        return max(0, self.places - self.booked)


def days_ahead(
    booked: Sequence[Appointment], rules: AppointmentRules, rig: str, today: date, days: int
) -> Iterator[DayPlan]:
    """Yield the places of the next working days, from today on.

    Parameters
    ----------
    booked
        All appointments.
    rules
        The lab's: hours, length, PCs.
    rig
        This PC, if the rules name no PCs.
    today, days
        The first day, and how many working days to look ahead.
    """
    rigs = rules.rigs or [rig]
    day, left = today, days
    while left:
        if day.weekday() < WEEKEND:
            taken = sum(
                appointment.day == day and appointment.rig in rigs for appointment in booked
            )
            yield DayPlan(day, taken, len(rigs) * rules.places_a_day)
            left -= 1
        day += timedelta(days=1)


def _row(
    connection: Connection,
    now: datetime,
    begins: datetime,
    rig: str,
    minutes: int,
    moved: int | None = None,
) -> dict[str, str | int]:
    """Return the columns of a time that is free; UserError for any other.

    The appointment with the number ``moved`` may overlap it.
    """
    if begins <= now:
        raise UserError(f"{local_minute(utc_text(begins))}: has passed; name a time ahead")
    ends = begins + timedelta(minutes=minutes)
    for other in appointments_in(connection, now):
        if other.id != moved and other.rig == rig and other.begins < ends and begins < other.ends:
            raise UserError(
                f"{local_minute(utc_text(begins))}: {other.code} comes to {rig} at "
                f"{local_minute(other.begins_utc)}; name another time or PC"
            )
    return {"begins_utc": utc_text(begins), "rig": rig, "minutes": minutes}


def _ahead_of(connection: Connection, code: str, now: datetime) -> Appointment | None:
    of_person = appointments_in(connection, now, code)
    return next((appointment for appointment in of_person if appointment.state == "ahead"), None)


def _require_ahead(connection: Connection, code: str, now: datetime) -> Appointment:
    ahead = _ahead_of(connection, code, now)
    if ahead is None:
        raise UserError(f"code {code}: has no appointment ahead; book one")
    return ahead


def _by_number(connection: Connection, number: int, now: datetime) -> Appointment:
    row = connection.execute(select(appointments).where(appointments.c.id == number)).one()
    return _appointment(row, now)


def _appointment(row: Row, now: datetime) -> Appointment:
    begins = datetime.fromisoformat(row.begins_utc)
    over = begins + timedelta(minutes=row.minutes) <= now
    state: State = "came" if row.came_utc else "missed" if over else "ahead"
    return Appointment(
        row.id, row.code, row.study, row.rig, row.begins_utc, row.minutes, row.revision, state
    )
