"""The verb `participants withdraw`: what it shows, asks and says."""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from participants import command_line
from stimuli.console import USER_MISTAKE
from stimuli.errors import UserError
from stimuli.options import Needs, grouped

if TYPE_CHECKING:
    from participants.withdrawal.holdings import Holdings
    from participants.withdrawal.withdraw import PersonData, Withdrawn


@grouped
def withdraw(
    code: Annotated[str, typer.Argument(help="The code of the person to remove.")],
    data: Annotated[
        list[Path] | None,
        typer.Option(metavar="DIR", help="Another data folder to clean. May be repeated."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Remove without asking.")] = False,
    delete_built: Annotated[
        bool,
        typer.Option(
            "--delete-built",
            help="Also delete sealed packs with the person's paintings. By default they are "
            "only listed.",
        ),
    ] = False,
    lab: command_line.Lab = None,
    as_json: Annotated[command_line.Json, Needs("--yes", "nothing is asked")] = False,
) -> None:
    """Remove a person who withdraws: registry, journals, tables, map sets.

    The command shows what it will remove, and asks you to confirm. The code and the date stay as
    a tombstone; tables, map sets, merge and export leave the person out. The command lists packs
    to rebuild and earlier exports. If it is interrupted, the same command finishes.

    Example: python3 lab.py participants withdraw CODE
    """
    from participants.command_line import opened_lab
    from participants.folder import DataFolder
    from participants.registry import check_code
    from participants.withdrawal import withdraw as removal

    code = check_code(code)
    folders = [DataFolder(folder.absolute()) for folder in data or ()]
    for folder in folders:
        if not folder.root.is_dir():
            raise UserError(f"--data {folder.root}: isn't there")
    with opened_lab(lab) as (place, registry):
        person = removal.known_of(place, registry, folders, code)
        if not as_json:
            _show_plan(person, delete_built=delete_built)
        if not yes:
            _ask(code)
        result = removal.withdraw(place, registry, folders, person, delete_built=delete_built)
    if as_json:
        print(json.dumps(_document(person, result)))
    else:
        _show_done(person, result)
    if result.failed:
        print(f"Not all of {code} could be removed; the same command tries again", file=sys.stderr)
        raise typer.Exit(USER_MISTAKE)


def _ask(code: str) -> None:
    if not sys.stdin.isatty():
        raise UserError("nobody can be asked here; say --yes to remove all this")
    if not typer.confirm(f"Remove all this of {code}? It can't be undone"):
        raise UserError(f"nothing was removed; {code} is as it was")


def _show_plan(person: "PersonData", *, delete_built: bool) -> None:
    held = person.holdings
    if person.withdrawn_utc:
        print(f"{person.code} has withdrawn on {person.withdrawn_utc[:10]}. Still there:")
    for table, rows in person.rows.items():
        print(f"registry: {table}, {len(rows)}")
    for part, paths in _parts(held).items():
        goes = "stays, and is named below" if _stays(part, delete_built=delete_built) else part
        for path in _together(paths) if part == "delete file" else paths:
            print(f"{goes}: {path}")
    for path in person.cut_off:
        print(f"delete unfinished export: {path}")
    for rig, sessions in person.elsewhere.items():
        print(f"in no folder that was searched: {sessions} of rig {rig}'s sessions")
    for export in person.exports:
        print(f"handed on: export {export.id}, {export.kind}, {export.place}, {export.made_utc}")


def _parts(held: "Holdings") -> dict[str, list[str]]:
    """Return paths grouped by what is done with them."""
    named = {
        "delete session": held.sessions,
        "leave out of map set": held.map_sets,
        "replace the code in pack copy": held.copies,
        "delete file": held.spare,
        "delete pack": held.packs,
        "other file": held.others,
    }
    paths = {
        what: [str(path) for path in held_paths] for what, held_paths in named.items() if held_paths
    }
    tables = [str(folder.tables) for folder in held.tables]
    return paths | ({"write anew": tables} if tables else {})


def _together(paths: list[str]) -> list[str]:
    """Return a line for each folder: its only file, or the number of its files."""
    folders: dict[Path, list[str]] = {}
    for path in paths:
        folders.setdefault(Path(path).parent, []).append(path)
    return [
        names[0] if len(names) == 1 else f"{len(names)} in {folder}"
        for folder, names in folders.items()
    ]


def _stays(part: str, *, delete_built: bool) -> bool:
    return part == "other file" or (part == "delete pack" and not delete_built)


def _show_done(person: "PersonData", result: "Withdrawn") -> None:
    print(f"{person.code} is removed; the tombstone of {result.withdrawn_utc[:10]} stays.")
    for rig, sessions in person.elsewhere.items():
        print(
            f"Not searched: {sessions} of rig {rig}'s sessions; give the same command on that "
            "PC, or name their data folder with --data"
        )
    for export in person.exports:
        print(
            f"Replace export {export.id} ({export.kind}, {export.place}, {export.made_utc[:10]}): "
            f"it was handed on for {export.purpose}, with this person's data"
        )
    for pack, command in result.build_anew.items():
        print(f"Build anew {pack}, without this person's paintings: {command}")
    for place, removed in result.copies.items():
        print(removed.sentence(place))
    for path in result.left.others:
        print(f"Look at {path}: it names the code")
    for what, reason in result.failed.items():
        print(f"Not removed: {what}: {reason}", file=sys.stderr)


def _document(person: "PersonData", result: "Withdrawn") -> dict:
    return {
        "code": person.code,
        "withdrawn_utc": result.withdrawn_utc,
        "rows": {table: len(rows) for table, rows in person.rows.items()},
        "found": _parts(person.holdings),
        "left": _parts(result.left),
        "elsewhere": dict(person.elsewhere),
        "build_anew": dict(result.build_anew),
        "exports": [asdict(export) for export in person.exports],
        "failed": dict(result.failed),
        "backups": {
            str(place): {
                "reached": copy.reached,
                "removed_from": copy.backups,
                "left": list(copy.left),
            }
            for place, copy in result.copies.items()
        },
    }
