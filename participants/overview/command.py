"""The verbs `participants show`, `counts`, `due`, `note` and `notes`."""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from participants import options
from participants.opened import opened_lab

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ONLY_IN_JSON: Final = frozenset({"heard_utc", "sha256", "pack_id"})

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
    """Count people by role and purpose, sessions by study and state, and who was screened.

    Example: python3 lab.py participants counts
    """
    from participants.overview.counts import count

    with opened_lab(lab) as (_, registry):
        found = asdict(registry.transact(count))
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
        show_rows([_in_minutes(row) for row in rows])
    else:
        print("Nobody has an unfinished session.")
    for code in left:
        print(f"{code} withdrew; to remove them: lab.py participants withdraw {code}")


def note(
    text: Annotated[str, typer.Argument(help="What happened; no names, no contacts.")],
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
    """List all notes, oldest first.

    Example: python3 lab.py participants notes
    """
    from participants.listing import show_rows
    from participants.overview.notes import notes_of

    with opened_lab(lab) as (_, registry):
        rows = registry.transact(notes_of)
    if as_json:
        print(json.dumps(rows))
    elif rows:
        show_rows([_in_minutes(row) for row in rows])
    else:
        print("There are no notes yet: lab.py participants note --help")


def _show_sections(sections: "Mapping[str, Sequence[Mapping[str, Any]]]") -> None:
    from participants.listing import show_rows

    for name, rows in sections.items():
        print(f"\n{name}" if rows else f"\n{name}: none")
        show_rows([_in_minutes(row) for row in rows])


def _in_minutes(row: "Mapping[str, Any]") -> dict[str, Any]:
    """Return a row for a screen: times to the minute, no hashes."""
    told = {}
    for name, value in row.items():
        if name in ONLY_IN_JSON:
            continue
        if name.endswith("_utc") and value:
            told[name] = value[:16].replace("T", " ")
        elif isinstance(value, bool):
            told[name] = "yes" if value else "no"
        elif isinstance(value, dict | list):
            told[name] = json.dumps(value)
        else:
            told[name] = value
    return told
