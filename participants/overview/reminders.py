"""When people come again, as a calendar's appointments."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

from icalendar import Alarm, Calendar, Event

from participants.overview.due import Due

PRODUCT: Final = "-//Plainsight//participants reminders//EN"
LASTS: Final = timedelta(minutes=30)
WARNED: Final = timedelta(days=2)


def calendar_of(due: Iterable[Due], now: datetime) -> bytes:
    """Return appointments of who is due, as an iCalendar file (RFC 5545).

    Each unfinished session has one from when on it may go on, and one when its place is given
    to somebody else, with an alarm two days before. An appointment keeps its identity over
    exports, so that importing a file again moves it instead of adding one. People appear by
    code alone.

    Parameters
    ----------
    due
        Who is due.
    now
        The time of day, in UTC.
    """
    calendar = Calendar()
    calendar.add("prodid", PRODUCT)
    calendar.add("version", "2.0")
    calendar.add("method", "PUBLISH")
    calendar.add("x-wr-calname", "Plainsight: who comes again")
    for one in due:
        for event in _events(one, now):
            calendar.add_component(event)
    return calendar.to_ical()


def _events(one: Due, now: datetime) -> Iterator[Event]:
    told = f"{one.trials_done} trials are done. Rig {one.rig}, purpose {one.purpose}."
    yield _event(one, now, "from", one.from_utc, f"{one.code} may come again: {one.study}", told)
    if one.until_utc is not None:
        last = f"Last moment for {one.code}: {one.study}"
        event = _event(
            one, now, "until", one.until_utc, last, f"{told} After that the place is free."
        )
        alarm = Alarm()
        alarm.add("action", "DISPLAY")
        alarm.add("description", last)
        alarm.add("trigger", -WARNED)
        event.add_component(alarm)
        yield event


def _event(one: Due, now: datetime, what: str, utc: str, title: str, told: str) -> Event:
    begins = datetime.fromisoformat(utc).astimezone(UTC).replace(microsecond=0)
    event = Event()
    event.add("uid", f"{one.session}-{what}@plainsight")
    event.add("dtstamp", now.astimezone(UTC).replace(microsecond=0))
    # A calendar takes what it knows already only in a later edition.
    event.add("sequence", int(datetime.fromisoformat(one.last_utc).timestamp()) // 60)
    event.add("dtstart", begins)
    event.add("dtend", begins + LASTS)
    event.add("summary", title)
    event.add("description", told)
    event.add("transp", "TRANSPARENT")
    return event
