"""The verbs `participants show`, `counts`, `due`, `reminders`, `note` and `notes`."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from participants import options
from participants.opened import opened_lab

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ONLY_IN_JSON: Final = frozenset(
    {"heard_utc", "sha256", "pack_id", "journal_lines", "journal_chain"}
)
TIMES: Final = "Times are those of this PC's clock and time zone; --json has them in UTC."

Code = Annotated[str, typer.Argument(help="The person's code.")]


def show(
    code: Code,
    unblind: Annotated[
        bool, typer.Option("--unblind", help="Show the assigned list, order and side too.")
    ] = False,
    lab: options.Lab = None,
    as_json: options.Json = False,
) -> None:
    """Show everything recorded about a person: sessions, consents, screenings, choices, notes.

    It shows the arm only with --unblind.

    Example: python3 lab.py participants show CODE
    """
    from participants.overview.details import details_of
    from participants.registry import check_code

    with opened_lab(lab) as (place, registry):
        details = details_of(place, registry, check_code(code), unblind=unblind)
    if as_json:
        print(json.dumps(details))
    else:
        _show_sections(details)


def counts(lab: options.Lab = None, as_json: options.Json = False) -> None:
    """Count people by role and purpose, sessions by study, role and state, and who was screened.

    A session is running, unfinished, complete, disqualified, declined, left for good or withdrawn.

    Example: python3 lab.py participants counts
    """
    from participants.clock import utc_text
    from participants.overview.counts import count

    with opened_lab(lab) as (_, registry):
        now_utc = utc_text(registry.now())
        found = asdict(registry.transact(lambda connection: count(connection, now_utc)))
    if as_json:
        print(json.dumps(found))
        return
    withdrawn = found.pop("withdrawn")
    _show_sections(found)
    print(f"took their data back: {withdrawn}")


def due(lab: options.Lab = None, as_json: options.Json = False) -> None:
    """List who has to come again: unfinished sessions, with the earliest and the latest time.

    The end of the list names people who withdrew their data and must still be removed.

    Example: python3 lab.py participants due
    """
    from participants.listing import show_rows
    from participants.overview.due import due as found
    from participants.overview.due import to_remove

    with opened_lab(lab) as (place, registry):
        rows = [asdict(one) for one in found(place, registry)]
        left = to_remove(place, registry)
    if as_json:
        print(json.dumps({"due": rows, "to_remove": left}))
        return
    if rows:
        show_rows([{name: row[name] for name in row if name != "session"} for row in rows])
        print(TIMES)
    else:
        print("Nobody has an unfinished session.")
    for code in left:
        print(f"{code} withdrew; to remove them: python3 lab.py participants withdraw {code}")


def reminders(
    out: Annotated[
        Path, typer.Option(metavar="FILE.ics", help="File for the appointments; it is replaced.")
    ],
    lab: options.Lab = None,
) -> None:
    """Write who has to come again as appointments for a calendar program, by code.

    Import the file again after each day: appointments move, and none comes twice. Appointments of
    people who have come stay until you delete them.

    Example: python3 lab.py participants reminders --out due.ics
    """
    from participants.files import write_file
    from participants.overview.due import due as found
    from participants.overview.reminders import calendar_of

    with opened_lab(lab) as (place, registry):
        rows, now = found(place, registry), registry.now()
    write_file(out.expanduser(), calendar_of(rows, now))
    print(f"{len(rows)} {'person is' if len(rows) == 1 else 'people are'} due: {out}")


def note(
    text: Annotated[str, typer.Argument(help="What happened; no names, no contacts, no codes.")],
    code: Annotated[
        str | None, typer.Option(help="The person concerned. Default: the lab as a whole.")
    ] = None,
    kind: Annotated[str, typer.Option(help="incident, compensation or note.")] = "note",
    lab: options.Lab = None,
) -> None:
    """Record an incident, a compensation or another note. Don't write names.

    Example: python3 lab.py participants note "paid 20 EUR" --code CODE --kind compensation
    """
    from participants.overview.notes import note as keep
    from participants.registry import check_code

    with opened_lab(lab) as (_, registry):
        keep(registry, kind, text, None if code is None else check_code(code))


def notes(lab: options.Lab = None, as_json: options.Json = False) -> None:
    """List all notes, oldest first, also those that were written during sessions.

    Example: python3 lab.py participants notes
    """
    from participants.listing import show_rows
    from participants.overview.notes import notes_of

    with opened_lab(lab) as (place, registry):
        rows = notes_of(registry, place.data)
    if as_json:
        print(json.dumps(rows))
    elif rows:
        show_rows(rows)
        print(TIMES)
    else:
        print("There are no notes yet: python3 lab.py participants note --help")


def _show_sections(sections: "Mapping[str, Sequence[Mapping[str, Any]]]") -> None:
    from participants.listing import show_rows

    for name, rows in sections.items():
        print(f"\n{name}" if rows else f"\n{name}: none")
        show_rows([_shown(row) for row in rows])
    print(f"\n{TIMES}")


def _shown(row: "Mapping[str, Any]") -> dict[str, Any]:
    """Return what a screen shows of a row."""
    return {name: value for name, value in row.items() if name not in ONLY_IN_JSON}
