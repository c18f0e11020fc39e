"""Events of calendar files (RFC 5545), by code alone.

An event keeps its identity over files, so that importing one again moves events instead of adding
them.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from participants.appointments.book import Appointment

if TYPE_CHECKING:
    from icalendar import Event


def calendar(name: str, made_by: str, events: "Iterable[Event]") -> bytes:
    """Return a calendar file.

    Parameters
    ----------
    name
        What a calendar program calls it.
    made_by
        The command that makes it.
    events
        Its events.
    """
    from icalendar import Calendar

    whole = Calendar()
    whole.add("prodid", f"-//Plainsight//{made_by}//EN")
    whole.add("version", "2.0")
    whole.add("method", "PUBLISH")
    whole.add("x-wr-calname", f"Plainsight: {name}")
    for event in events:
        whole.add_component(event)
    return whole.to_ical()


def event_of(
    identity: str, revision: int, now: datetime, begins_utc: str, lasts: timedelta, title: str,
    description: str,
) -> "Event":  # fmt: skip
    """Return an event.

    Parameters
    ----------
    identity
        The same in every file.
    revision
        A later one replaces the event in a calendar that knows it.
    now
        The time of day, in UTC.
    begins_utc, lasts
        When, ISO 8601, and for how long.
    title, description
        Its heading, and its description.
    """
    from icalendar import Event

    begins = datetime.fromisoformat(begins_utc).astimezone(UTC).replace(microsecond=0)
    event = Event()
    event.add("uid", f"{identity}@plainsight")
    event.add("dtstamp", now.astimezone(UTC).replace(microsecond=0))
    event.add("sequence", revision)
    event.add("dtstart", begins)
    event.add("dtend", begins + lasts)
    event.add("summary", title)
    event.add("description", description)
    return event


def appointments_calendar(appointments: Iterable[Appointment], now: datetime) -> bytes:
    """Return appointments ahead as a calendar file."""
    events = (
        event_of(
            f"appointment-{appointment.id}", appointment.revision, now, appointment.begins_utc,
            timedelta(minutes=appointment.minutes), f"{appointment.code}, {appointment.rig}",
            appointment.study,
        )
        for appointment in appointments
        if appointment.state == "ahead"
    )  # fmt: skip
    return calendar("appointments", "participants appointments", events)
