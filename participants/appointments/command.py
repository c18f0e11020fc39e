"""The verbs `participants book`, `move`, `cancel` and `appointments`."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from participants import command_line
from participants.command_line import local_minute, opened_lab

if TYPE_CHECKING:
    from participants.appointments.book import Appointment

Code = Annotated[str, typer.Argument(help="The person's code.")]
At = Annotated[str, typer.Option("--at", metavar="TIME", help="When, such as '2026-12-03 10:00'.")]
Rig = Annotated[str, typer.Option(metavar="NAME", help="On which PC. Default: this one.")]
Minutes = Annotated[
    int | None, typer.Option(min=5, max=600, help="How long. Default: as lab.toml says.")
]


def book(
    code: Code,
    at: At,
    rig: Rig = "",
    minutes: Minutes = None,
    study: Annotated[str, typer.Option(metavar="NAME", help="For which study.")] = "",
    lab: command_line.Lab = None,
    as_json: command_line.Json = False,
) -> None:
    """Book when somebody comes, and on which PC. No name is stored.

    Example: python3 lab.py participants book CODE --at "2026-12-03 10:00"
    """
    from participants.appointments import book as appointing

    with opened_lab(lab) as (place, registry):
        made = appointing.book(
            registry,
            code,
            appointing.read_moment("--at", at),
            rig or place.settings.rig,
            minutes or place.settings.appointments.minutes,
            study,
        )
    _tell("booked", made, as_json=as_json)


def move(
    code: Code,
    at: At,
    rig: Annotated[str, typer.Option(metavar="NAME", help="On which PC. Default: the same.")] = "",
    minutes: Annotated[
        int | None, typer.Option(min=5, max=600, help="How long. Default: as long as before.")
    ] = None,
    lab: command_line.Lab = None,
    as_json: command_line.Json = False,
) -> None:
    """Move somebody's appointment to another time or PC.

    Example: python3 lab.py participants move CODE --at "2026-12-04 09:00"
    """
    from participants.appointments import book as appointing

    with opened_lab(lab) as (_, registry):
        begins = appointing.read_moment("--at", at)
        moved = appointing.move(registry, code, begins, rig, minutes)
    _tell("moved", moved, as_json=as_json)


def cancel(code: Code, lab: command_line.Lab = None, as_json: command_line.Json = False) -> None:
    """Cancel somebody's appointment.

    Example: python3 lab.py participants cancel CODE
    """
    from participants.appointments.book import cancel as delete

    with opened_lab(lab) as (_, registry):
        gone = delete(registry, code)
    _tell("cancelled", gone, as_json=as_json)


def appointments(
    day: Annotated[
        str | None, typer.Option(metavar="DATE", help="Only this day, such as 2026-12-03.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE.ics", help="Write those ahead for a calendar program."),
    ] = None,
    lab: command_line.Lab = None,
    as_json: command_line.Json = False,
) -> None:
    """List who comes when and on which PC, by code; who came, and who didn't.

    Import the calendar file again after changes: appointments move, and none comes twice. Delete
    those that were cancelled.

    Example: python3 lab.py participants appointments --out appointments.ics
    """
    from participants.appointments.book import appointments_of, days_ahead
    from participants.appointments.calendar import appointments_calendar
    from participants.files import write_file
    from participants.payments.options import parse_day

    only = None if day is None else parse_day("--day", day)
    with opened_lab(lab) as (place, registry):
        every, now = appointments_of(registry), registry.now()
    listed = [appointment for appointment in every if only in (None, appointment.day)]
    rules, rig = place.settings.appointments, place.settings.rig
    today = only or now.astimezone().date()
    plans = list(days_ahead(every, rules, rig, today, 1 if only else rules.days_ahead))
    if out is not None:
        write_file(out.expanduser(), appointments_calendar(listed, now))
    if as_json:
        free = [{"day": str(plan.day), "booked": plan.booked, "free": plan.free} for plan in plans]
        print(
            json.dumps(
                {"appointments": [asdict(appointment) for appointment in listed], "days": free}
            )
        )
        return
    _show(listed, [(plan.day, plan.booked, plan.free) for plan in plans])


def _show(listed: "Sequence[Appointment]", days: Sequence[tuple[date, int, int]]) -> None:
    from participants.command_line import show_columns

    if listed:
        names = ("code", "study", "rig", "minutes", "state")
        columns = {
            name: [getattr(appointment, name) or None for appointment in listed] for name in names
        }
        show_columns(
            {"begins": [local_minute(appointment.begins_utc) for appointment in listed], **columns}
        )
    else:
        print("There are no appointments: python3 lab.py participants book --help")
    for day, booked, free in days:
        print(f"{day:%a %Y-%m-%d}: {booked} booked, {free} free")
    missed = sum(appointment.state == "missed" for appointment in listed)
    print(f"No-shows: {missed}")


def _tell(verb: str, appointment: "Appointment", *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(asdict(appointment)))
    else:
        begins = local_minute(appointment.begins_utc)
        print(f"{verb}: {appointment.code}, {begins}, {appointment.minutes} min, {appointment.rig}")
