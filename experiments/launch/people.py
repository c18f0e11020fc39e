"""What the start window does with people at any time: it calls what the commands call."""

from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal, TypeVar

from experiments.launch.starting import ProcessOutput, door_command, ran
from participants.appointments import book as appointing
from participants.appointments.book import Appointment
from participants.clock import utc_text
from participants.command_line import opened_lab
from participants.day.person import PersonPage
from participants.files import make_private
from participants.folder import LabFolder
from participants.overview.command import Listed, everybody_of
from participants.payments.ledger import mark_paid
from participants.payments.options import PaymentOptions
from participants.registry import Registry
from stimuli.errors import UserError

Sheet = Literal[
    "cards", "receipts", "day", "calendar", "labels", "checklist", "consent", "debrief", "keys"
]
FOLDER: Final = "sheets"
"""Folder of the lab in which the window writes sheets."""
Made = TypeVar("Made")


def everybody(lab: LabFolder) -> tuple[Listed, ...]:
    """Return everybody, as `participants list`."""

    def work(_: LabFolder, registry: Registry) -> tuple[Listed, ...]:
        now_utc = utc_text(registry.now())
        return registry.transact(lambda connection: everybody_of(connection, now_utc))

    return _in(lab, work)


def person_page(lab: LabFolder, code: str) -> PersonPage:
    """Return a person's page, as `participants show` and `payments`."""
    return _in(lab, lambda place, registry: PersonPage.of(place, registry, code))


def pay(lab: LabFolder, code: str) -> None:
    """Record that what is due to a person was paid, as `participants payments --mark-paid`."""
    _in(lab, lambda place, registry: mark_paid(place, registry, PaymentOptions(code=code)))


def appoint(lab: LabFolder, code: str, at: str, rig: str, *, ahead: bool) -> Appointment:
    """Book a person, or move the appointment that is ahead, to a time such as 2026-12-03 10:00."""

    def work(place: LabFolder, registry: Registry) -> Appointment:
        begins = appointing.read_moment("", at)
        if ahead:
            return appointing.move(registry, code, begins, rig)
        minutes = place.settings.appointments.minutes
        return appointing.book(registry, code, begins, rig, minutes)

    return _in(lab, work)


def cancel(lab: LabFolder, code: str) -> Appointment:
    """Cancel a person's appointment."""
    return _in(lab, lambda _, registry: appointing.cancel(registry, code))


def write_sheet(lab: LabFolder, sheet: Sheet, language: str, of: str = "") -> Path:
    """Write a sheet, or the calendar file, into the lab folder; return its path.

    Parameters
    ----------
    lab
        The lab folder.
    sheet, language
        Which sheet, and its language.
    of
        Whose: a code, or a pack's folder; empty for the lab's.

    Raises
    ------
    UserError
        With what the command says, if it refuses.
    """
    folder = lab.root / FOLDER
    make_private(folder)
    name = f"{sheet}-{Path(of).name}" if of else sheet
    if sheet == "calendar":
        out = folder / f"{name}.ics"
        words = ["participants", "appointments", "--out", str(out)]
    else:
        out = folder / f"{name}.pdf"
        words = ["sheets", sheet, *([of] if of else ()), "--out", str(out)]
        words += [] if sheet == "labels" else ["--language", language]
    _require(ran(door_command(*words, "--lab", str(lab.root))))
    return out


def back_up_now(lab: LabFolder) -> str:
    """Run `backup`, and return its last line; UserError with what it says if it fails."""
    return _require(ran(door_command("backup", "--lab", str(lab.root))))


def _require(output: ProcessOutput) -> str:
    if output.status:
        raise UserError(output.lines[-1] if output.lines else f"ended with status {output.status}")
    lines = output.out.strip().splitlines()
    return lines[-1] if lines else ""


def _in(lab: LabFolder, work: Callable[[LabFolder, Registry], Made]) -> Made:
    """Do work with the lab's settings as they are now, and its registry."""
    with opened_lab(lab.root) as (place, registry):
        return work(place, registry)
