"""Checklists to tick on paper: a day in the lab, and what plates need."""

from collections.abc import Sequence
from datetime import date

from reportlab.platypus import Flowable, PageBreak

from experiments.sheets.paper import PaperText, heading, small, text_of, ticked, written
from participants.appointments.book import Appointment
from participants.folder import LabFolder
from participants.texts import load_checklist
from participants.texts.load import NO_BREAK_SPACE
from participants.texts.rig import RigTables, RigWords

PARTS = ("morning", "person", "evening")
TITLE = "title"
BLANK = "______________"


def checklist_sheet(lab: LabFolder, tables: RigTables, words: RigWords) -> bytes:
    """Return the checklists as PDF.

    The points to check before plates are those that ``run`` asks about; a lab may have its own.
    """
    colours = load_checklist(words.language, lab.texts)
    distance = colours.words["at_some_distance"]
    points = [text.replace("{distance}", distance) for text in colours.items.values()]
    story: list[Flowable] = [
        *text_of(f"# {words['checklist']}"),
        small(words.filled("day", line=BLANK, rig=lab.settings.rig).replace(" ", NO_BREAK_SPACE)),
    ]
    for part in PARTS:
        story += _part(tables.parts[part][TITLE], _points(tables, part))
    story.append(PageBreak())
    story += _part(words["colours"], points)
    return written(story, PaperText(words["checklist"], words))


def day_sheet(booked: Sequence[Appointment], day: date, words: RigWords) -> bytes:
    """Return a day's appointments as PDF, to tick who came; by code alone."""
    rows = [
        [
            "   ".join(
                (
                    appointment.begins.astimezone().strftime("%H:%M"),
                    appointment.rig,
                    appointment.code,
                    appointment.study,
                )
            )
        ]
        for appointment in booked
    ]
    title = words.filled("appointments", day=day.isoformat())
    story = [*text_of(f"# {title}"), small(words["appointments_why"])]
    story += [ticked(rows)] if rows else [small(words["nobody_booked"])]
    return written(story, PaperText(title, words))


def _points(tables: RigTables, part: str) -> list[str]:
    return [text for name, text in tables.parts[part].items() if name != TITLE]


def _part(title: str, points: list[str]) -> list[Flowable]:
    return [heading(title), ticked([[point] for point in points])]
