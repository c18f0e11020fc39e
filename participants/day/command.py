"""The verb `status`: the day in the terminal, or as a page that keeps up."""

import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from participants import command_line
from participants.command_line import opened_lab
from stimuli.options import Needs, grouped

if TYPE_CHECKING:
    from participants.day.figures import Day
    from participants.folder import LabFolder

RELOADS_S: Final = 60
LEAST_S: Final = 5


@grouped
def status(
    page: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a local HTML page instead.")
    ] = None,
    every: Annotated[
        int | None,
        typer.Option(
            metavar="S",
            min=LEAST_S,
            help="Write the page again every S seconds, until Ctrl+C; the browser reloads it.",
        ),
        Needs("--page"),
    ] = None,
    unblind: Annotated[
        str | None,
        typer.Option(
            metavar="REASON",
            help="Name the places of the design, too. The reason is recorded in the registry.",
        ),
    ] = None,
    lab: command_line.Lab = None,
    as_json: command_line.Json = False,
) -> None:
    """Show the lab's day: who is due, who came, how far each study is, what needs attention.

    It shows no arm and no result. With --unblind it says how many people hold each place (list and
    order), never a result.

    Example: python3 lab.py status --page day.html --every 60
    """
    from participants.day.figures import day_of
    from participants.notes import note
    from stimuli.errors import UserError

    with opened_lab(lab) as (place, registry):
        if unblind is not None:
            if not unblind.strip():
                raise UserError("--unblind needs a reason, which is recorded")
            note(registry, "note", f"Unblinded the places of the design: {unblind.strip()}")
        while True:
            day = day_of(place, registry, unblind=unblind is not None)
            if page is None:
                print(json.dumps(asdict(day), default=str)) if as_json else _show(day)
            else:
                _write(place, day, page.expanduser(), every)
            if every is None:
                return
            time.sleep(every)


def _write(lab: "LabFolder", day: "Day", path: Path, every: int | None) -> None:
    from participants.day.sections import load_day_words, page_of
    from participants.files import write_file

    words = load_day_words(lab.settings.language, lab.texts)
    write_file(path, page_of(day, every or RELOADS_S, words).encode("utf-8"))
    if every is None:
        print(path)


def _show(day: "Day") -> None:
    from rich.markup import escape

    from participants.command_line import show_columns
    from participants.day.sections import (
        clock_time,
        figures_of,
        heading,
        load_day_words,
        sections_of,
    )
    from stimuli.languages import ENGLISH
    from stimuli.rich_terminal import Console

    console = Console(highlight=False)
    words = load_day_words(ENGLISH)
    when = clock_time(day.now, words)
    console.print(f"[bold]{words['title']}[/]  {when}, {escape(day.rig)}", soft_wrap=True)
    show_columns({figure.name: [figure.value] for figure in figures_of(day, words)})
    for section in sections_of(day, words):
        style = "bold red" if section.alarm else "bold"
        console.print(f"\n[{style}]{escape(section.title)}[/]")
        if section.rows:
            show_columns(
                {
                    heading(name, words): [row[name] for row in section.rows]
                    for name in section.rows[0]
                }
            )
        for line in section.lines:
            console.print(escape(line))
