"""The verbs `backup` and `restore`, and the backup that follows a session."""

import json
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from participants import command_line
from stimuli.console import USER_MISTAKE
from stimuli.errors import UserError

if TYPE_CHECKING:
    from participants.backup.make import NewBackup
    from participants.backup.restore import Restored
    from participants.backup.store import BackupStore
    from participants.folder import LabFolder
    from participants.withdrawal.copies import Removed

MIB: Final = 1024**2

Places = Annotated[
    list[Path] | None,
    typer.Option(
        "--to",
        metavar="DIR",
        help="Where to; may be repeated. Default: backup in lab.toml.",
    ),
]
ShowList = Annotated[bool, typer.Option("--list", help="List the backups that are there.")]


def backup(
    to: Places = None,
    show_list: ShowList = False,
    lab: command_line.Lab = None,
    as_json: command_line.Json = False,
) -> None:
    """Back up the lab in a second place: registry, journals, tables, packs, texts, settings.

    A file that didn't change is kept once. All files of the backup are read back and compared with
    the lab's. People who withdrew are removed from older backups. All backups of 7 days are kept,
    then one a week for 8 weeks, then one a month. Records that can't be trusted are named; the exit
    status is then 3.

    Example: python3 lab.py backup --to /media/usb/plainsight
    """
    from participants.backup.make import back_up
    from participants.backup.store import BackupStore
    from participants.dataset.custody import tell
    from participants.folder import LabFolder

    place = LabFolder.open(lab)
    places = tuple(path.expanduser().absolute() for path in to or ()) or place.backup_places
    if not places:
        raise UserError(
            "no second place is named: write it into lab.toml (backup), or name it with --to DIR"
        )
    if show_list:
        _show_backups([BackupStore.open(path) for path in places], as_json=as_json)
        return
    made: list[NewBackup] = []
    failed: list[str] = []
    for path in places:
        try:
            made.append(back_up(place, path, datetime.now(UTC), thorough=True))
        except UserError as error:
            failed.append(str(error))
    removed = _carry_out(place, failed)
    if as_json:
        print(json.dumps(_document(made, failed, removed)))
    else:
        for result in made:
            print(_made_line(result))
        for root, gone in removed.items():
            if not gone.failed:
                print(gone.sentence(root))
    failed += [f"{result.place}: {line}" for result in made for line in _missing(result)]
    for line in failed:
        print(line, file=sys.stderr)
    status = tell(_suspect(place)) if made else 0
    if failed or status:
        raise typer.Exit(USER_MISTAKE if failed else status)


def _suspect(lab: "LabFolder") -> tuple[str, ...]:
    """Return why records of a lab can't be trusted, one line each."""
    from participants.dataset.custody import Roll
    from participants.dataset.journals import suspect_in

    try:
        roll = Roll.at_hand(lab.data, lab.root)
    except UserError as error:
        # Tombstones that can't be read are copied as they are, so that nothing else is lost.
        return (str(error),)
    for note in roll.notes():
        print(f"Note: {note}", file=sys.stderr)
    return suspect_in(roll)


def restore(
    place: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the backups.")],
    annotated: Annotated[
        str | None, typer.Option("--backup", metavar="ID", help="Which; by default the newest.")
    ] = None,
    show_list: ShowList = False,
    despite: Annotated[
        bool,
        typer.Option("--despite-damage", help="Leave out files that aren't whole, and name them."),
    ] = False,
    without_registry: Annotated[
        bool,
        typer.Option(
            "--without-registry",
            help="Take a backup that has no registry, too; then type participants rebuild.",
        ),
    ] = False,
    lab: command_line.Lab = None,
    as_json: command_line.Json = False,
) -> None:
    """Bring a lab folder back from a backup, on this PC or a new one.

    The lab folder of --lab, or the usual one, must not be there yet. Every file is verified. If the
    command is interrupted, type it again. Records that can't be trusted are named; the exit status
    is then 3.

    Example: python3 lab.py restore /media/usb/plainsight --lab lab
    """
    from participants.backup.restore import restore as bring_back
    from participants.backup.store import BackupStore
    from participants.dataset.custody import tell
    from participants.withdrawal.holdings import studies_of, tables_anew
    from stimuli.places import lab_root

    source = place.expanduser().absolute()
    if show_list:
        _show_backups([BackupStore.open(source)], as_json=as_json)
        return
    root = (lab or lab_root()).expanduser().absolute()
    done = bring_back(source, root, annotated, despite=despite, without_registry=without_registry)
    failed: Mapping[str, str] = {}
    if not done.lab.data.tables.exists():
        # A withdrawal took them out of the backup.
        failed = tables_anew(done.lab.data, studies_of(done.lab.data))
    if as_json:
        known = {"lab": str(root), "backup": done.backup.id, "files": len(done.backup.files)}
        more = {"damaged": done.damaged, "unfinished": done.unfinished, "moved": done.moved}
        print(json.dumps({**known, **more, "registry": done.registry}))
    else:
        _show_restored(done)
    for path, reason in [*done.backup.left_out.items(), *failed.items()]:
        print(f"Not in the backup: {path}: {reason}", file=sys.stderr)
    status = tell(_suspect(done.lab))
    if done.damaged or status:
        raise typer.Exit(USER_MISTAKE if done.damaged else status)


def back_up_after_session(lab: "LabFolder") -> tuple[str, ...]:
    """Back up a lab to the places in its settings; return one line for each failure.

    It raises nothing: the session's data are safe in the lab folder, whatever a disk does.
    """
    from participants.backup.make import back_up

    failed: list[str] = []
    for place in lab.backup_places:
        try:
            made = back_up(lab, place, datetime.now(UTC), thorough=False)
            failed += [f"The backup in {place} isn't whole: {line}" for line in _missing(made)]
        except UserError as error:
            failed.append(f"No backup in {place}: {error}. The session's data are in the lab.")
    if lab.backup_places:
        _carry_out(lab, failed)
    return tuple(failed)


def _carry_out(lab: "LabFolder", failed: list[str]) -> "Mapping[Path, Removed]":
    """Remove people who withdrew from backups that can be reached now."""
    from participants.withdrawal.copies import carry_out

    try:
        removed = carry_out(lab, datetime.now(UTC))
    except (OSError, UserError) as error:
        failed.append(str(error))
        return {}
    failed += [gone.sentence(path) for path, gone in removed.items() if gone.failed]
    return removed


def _missing(result: "NewBackup") -> list[str]:
    """Return what couldn't be backed up, one line each."""
    return [f"{path} isn't in it: {reason}" for path, reason in result.backup.left_out.items()]


def _made_line(result: "NewBackup") -> str:
    size = f"{result.backup.size / MIB:.1f} MiB"
    thinned = f"; {result.thinned} older backups deleted" if result.thinned else ""
    return (
        f"{result.place}: backup {result.backup.id}, {len(result.backup.files)} files ({size}), "
        f"all verified; new or changed: {result.copied}{thinned}"
    )


def _document(
    results: "list[NewBackup]", failed: list[str], removed: "Mapping[Path, Removed]"
) -> dict[str, object]:
    return {
        "made": [
            {
                "place": str(result.place),
                "backup": result.backup.id,
                "files": len(result.backup.files),
            }
            | {
                "changed": result.copied,
                "thinned": result.thinned,
                "left_out": result.backup.left_out,
            }
            for result in results
        ],
        "failed": failed,
        "removed": {
            str(place): {"backups": left.backups, "left": left.left, "failed": left.failed}
            for place, left in removed.items()
        },
    }


def _show_backups(stores: "list[BackupStore]", *, as_json: bool) -> None:
    from participants.command_line import show_rows

    rows, damaged = [], []
    for store in stores:
        backups, bad = store.backups()
        damaged += list(bad.values())
        rows += [
            {
                "backup": entry.id,
                "made_utc": entry.made_utc,
                "rig": entry.rig,
                "files": len(entry.files),
            }
            | {"mib": round(entry.size / MIB, 1), "place": str(store.root)}
            for entry in backups
        ]
    if as_json:
        print(json.dumps(rows))
    elif rows:
        show_rows(rows)
    else:
        print("There are no backups yet.")
    for line in damaged:
        print(line, file=sys.stderr)


def _show_restored(result: "Restored") -> None:
    print(
        f"{result.lab.root}: {len(result.backup.files) - len(result.damaged)} files of backup "
        f"{result.backup.id}, all verified"
    )
    for path in result.damaged:
        print(f"Left out, since it isn't whole: {path}")
    if result.moved:
        keys = " and ".join(result.moved)
        print(f"lab.toml: {keys} lay elsewhere, and lie in the lab folder now")
    if result.registry:
        print(result.registry)
    if result.unfinished:
        print(
            f"Unfinished: {', '.join(result.unfinished)}. Go on with one only if it had no trial "
            'after the backup: docs/lab_pc.md, "When a PC dies"'
        )
