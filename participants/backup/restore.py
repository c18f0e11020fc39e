"""A lab, brought back from a backup: all of it verified, in a folder that wasn't there."""

import os
import re
import shutil
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, select

from participants.backup.make import DATA, LAB, fill_server, journals_in
from participants.backup.record import Place, Record
from participants.backup.store import REGISTRY_COPY, Backup, BackupStore
from participants.clock import utc_text
from participants.files import private_lock, write_file
from participants.folder import LabFolder
from participants.lab_settings import SQLITE, LabSettings, read_settings
from participants.registry import Registry, outbox
from participants.registry.records import tombstones
from participants.registry.sessions import COMPLETE
from participants.registry.states import GOES_ON, UNFINISHED, session_state
from participants.registry.tables import sessions
from participants.tombstones import read_tombstones
from stimuli.catalogue import LAB_FILE
from stimuli.errors import UserError
from stimuli.io.canonical import file_sha256
from stimuli.io.files import flush_folder, make_private_folder, write_private
from stimuli.io.inside import inside, stays_inside

MOST_NAMED: Final = 3
WAITING: Final = "registry-from-backup.sqlite"
"""The registry's copy in a restored lab whose registry is on a server that can't be reached."""


@dataclass(frozen=True, slots=True)
class Restored:
    """A lab that was brought back.

    Attributes
    ----------
    lab
        Its folder.
    backup
        What it was made from.
    damaged
        Files of the backup that aren't whole and were left out.
    unfinished
        Sessions that haven't ended, and whose person comes again.
    moved
        Keys of ``lab.toml`` that were changed, since what they named lies in the lab folder now.
    registry
        Where the registry is, if it isn't in the lab folder: one sentence; else empty.
    """

    lab: LabFolder
    backup: Backup
    damaged: tuple[str, ...]
    unfinished: tuple[str, ...]
    moved: tuple[str, ...]
    registry: str


def restore(
    place: Path,
    root: Path,
    backup_id: str | None = None,
    *,
    despite: bool = False,
    without_registry: bool = False,
) -> Restored:
    """Bring a lab back from a backup.

    The lab folder appears once all of it is there and verified. An interrupted restore leaves a
    hidden folder beside it, which the same command deletes.

    Parameters
    ----------
    place
        The folder of backups.
    root
        The lab folder, which must not be there, or be empty.
    backup_id
        The backup's id; the newest by default.
    despite
        Leave out files that aren't whole instead of refusing.
    without_registry
        Take a backup that has no whole registry, too.

    Raises
    ------
    UserError
        If there is a lab already, the backup isn't whole or has no registry, or the disk refuses.
    """
    store = BackupStore.open(place)
    backup = _chosen(store, backup_id)
    damaged = tuple(store.damaged(backup))
    if damaged and not despite:
        raise UserError(_damage(store, backup, damaged))
    if not without_registry and (REGISTRY_COPY not in backup.files or REGISTRY_COPY in damaged):
        raise UserError(
            f"{store.root}: backup {backup.id} has no registry, so allocation would begin anew; "
            f"{_whole(store)}restore the rest with --without-registry"
        )
    root.parent.mkdir(parents=True, exist_ok=True)
    aside, lock = (root.with_name(f".{root.name}-restoring{end}") for end in ("", ".lock"))
    with private_lock(lock):
        shutil.rmtree(aside, ignore_errors=True)
        try:
            _refuse_if_there(root)
            moved = _fill(store, backup, frozenset(damaged), aside)
            _record(store, backup, LabFolder.open(aside))
            registry = _registry(LabFolder.open(aside), aside)
            unfinished = _note_sessions(LabFolder.open(aside), backup)
            if root.exists():
                root.rmdir()
            aside.replace(root)
            flush_folder(root.parent)
        except OSError as error:
            raise UserError(
                f"{error.filename or root}: {error.strerror}; nothing was restored"
            ) from None
        finally:
            shutil.rmtree(aside, ignore_errors=True)
            # Windows deletes it by itself, and doesn't allow it here.
            with suppress(OSError):
                lock.unlink()
    return Restored(LabFolder.open(root), backup, damaged, unfinished, moved, registry)


def _chosen(store: BackupStore, backup_id: str | None) -> Backup:
    if backup_id is not None:
        return store.backup(backup_id)
    ids = store.ids()
    if not ids:
        raise UserError(f"{store.root}: holds no backup yet")
    try:
        return store.backup(ids[-1])
    except UserError:
        readable, damaged = store.backups()
        older = (
            f"take an older one: --backup {readable[-1].id}" if readable else "no other can be read"
        )
        raise UserError(f"{damaged[ids[-1]].partition(';')[0]}; {older}") from None


def _damage(store: BackupStore, backup: Backup, damaged: tuple[str, ...]) -> str:
    named = ", ".join(damaged[:MOST_NAMED]) + (", …" if len(damaged) > MOST_NAMED else "")
    count = f"{len(damaged)} of {len(backup.files)} files are missing or were changed ({named})"
    return (
        f"{store.root}: backup {backup.id} isn't whole: {count}; {_whole(store)}restore the others "
        "with --despite-damage"
    )


def _whole(store: BackupStore) -> str:
    """Say which backup to take instead: the newest one that has all of its files and a registry."""
    for backup in reversed(store.backups()[0]):
        if REGISTRY_COPY in backup.files and not any(store.damaged(backup)):
            return f"take {backup.id}, which is whole (--backup {backup.id}), or "
    return ""


def _refuse_if_there(root: Path) -> None:
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise UserError(
            f"{root}: is there already, and restore overwrites nothing; name another folder with "
            "--lab, or rename this one"
        )


def _fill(
    store: BackupStore, backup: Backup, damaged: frozenset[str], aside: Path
) -> tuple[str, ...]:
    """Write a backup's files to a folder, and return which keys of lab.toml were changed."""
    make_private_folder(aside)
    settings = f"{LAB}/{LAB_FILE}"
    if settings not in backup.files or settings in damaged:
        raise UserError(f"{store.root}: backup {backup.id} has no whole {LAB_FILE}")
    moved = _settle(store.read(backup.files[settings]), aside / LAB_FILE)
    lab = LabFolder(aside, read_settings(aside / LAB_FILE))
    url = lab.registry_url
    file = Path(url.removeprefix(SQLITE)) if url.startswith(SQLITE) else aside / WAITING
    places: Mapping[str, Path] = {LAB: aside, DATA: lab.data.root}
    for path, entry in backup.files.items():
        if path in damaged or path == settings:
            continue
        head, _, rest = path.partition("/")
        target = file if path == REGISTRY_COPY else inside(places[head], rest)
        write_private(target, store.read(entry))
        with target.open("rb") as stream:
            os.fsync(stream.fileno())
        if file_sha256(target) != entry.sha256:
            raise UserError(f"{target}: reads back otherwise than it was written; use another disk")
    return moved


def _settle(text: bytes, path: Path) -> tuple[str, ...]:
    """Write a lab's settings; data or a registry outside the lab folder now lie within it."""
    make_private_folder(path.parent)
    write_file(path, text)
    lines, moved = text.decode("utf-8"), _outside(read_settings(path))
    for key, value in moved.items():
        line = re.compile(rf"^{key}\s*=.*$", re.MULTILINE)
        lines = line.sub(f'{key} = "{value}"', lines, count=1)
    if moved:
        write_file(path, lines.encode("utf-8"))
    if left := _outside(read_settings(path)):
        raise UserError(f"{LAB_FILE} in the backup: {next(iter(left))} leads out of the lab folder")
    return tuple(moved)


def _outside(settings: LabSettings) -> dict[str, str]:
    """Return the keys whose paths lie outside of the lab folder, with paths inside of it."""
    paths = {"data": settings.data}
    if settings.registry.startswith(SQLITE):
        paths["registry"] = settings.registry.removeprefix(SQLITE)
    inner = {"data": DATA, "registry": f"{SQLITE}{REGISTRY_COPY}"}
    return {
        key: inner[key]
        for key, path in paths.items()
        if path.startswith("~") or not stays_inside(Path(path).as_posix())
    }


def _record(store: BackupStore, backup: Backup, lab: LabFolder) -> None:
    """Note in the restored lab where its backups are."""
    place = Place(made_utc=backup.made_utc, to_remove=_withdrawn(lab))
    Record(store.owner(), {str(store.root): place}).write(lab)


def _withdrawn(lab: LabFolder) -> Mapping[str, str]:
    """Return who withdrew; if the file of tombstones can't be read, as the registry knows it."""
    with suppress(UserError):
        return read_tombstones(lab.data)
    with suppress(UserError), closing(Registry.of(lab)) as registry:
        return registry.transact(tombstones)
    return {}


def _registry(lab: LabFolder, aside: Path) -> str:
    """Restore a registry to a server whose database is empty; return what was done, in words."""
    copy = aside / WAITING
    if not copy.exists():
        return ""
    try:
        filled = fill_server(lab.registry_url, copy)
    except UserError as error:
        return (
            f"{str(error).partition(';')[0]}: its copy is {WAITING} in the lab folder. For this PC "
            f'alone write registry = "{SQLITE}{WAITING}" into {LAB_FILE}.'
        )
    copy.unlink()
    if filled:
        return "The registry's server had none of the people: they were brought back there, too."
    return "The registry's server has people in it: it stays as it is."


def _note_sessions(lab: LabFolder, backup: Backup) -> tuple[str, ...]:
    """Note sessions that aren't complete, so that the registry catches up at the next command.

    The copy of a session that was running is newer than the registry's.

    Returns
    -------
    tuple
        Those that the registry doesn't know, and those whose person comes again.
    """

    def states(connection: Connection, now_utc: str) -> Mapping[str, str]:
        rows = connection.execute(select(sessions.c.session, session_state(now_utc)))
        return {row.session: row.state for row in rows}

    known: Mapping[str, str] = {}
    with suppress(UserError), closing(Registry.of(lab)) as registry:
        known = registry.transact(partial(states, now_utc=utc_text(registry.now())))
    here = journals_in(iter(backup.files))
    left = sorted(session for session in set(here) if known.get(session) != COMPLETE)
    for session in left:
        outbox.note(lab.data, session)
    return tuple(session for session in left if known.get(session, UNFINISHED) in GOES_ON)
