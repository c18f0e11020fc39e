"""One backup: what changed is copied, all is listed, and old backups are thinned."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from participants.backup.contents import files_of, registry_copy
from participants.backup.record import Record, note_failure
from participants.backup.store import (
    MARKER,
    REGISTRY_COPY,
    Backup,
    BackupStore,
    Entry,
    kept_backups,
)
from participants.clock import utc_text
from participants.folder import LabFolder
from participants.locks import private_lock
from participants.tombstones import read_tombstones
from stimuli.errors import UserError


@dataclass(frozen=True, slots=True)
class Made:
    """A backup that was made.

    Attributes
    ----------
    place
        Where.
    backup
        The backup.
    copied
        How many of its files aren't in the backup before it.
    thinned
        How many older backups were deleted.
    """

    place: Path
    backup: Backup
    copied: int
    thinned: int


def place_of(lab: LabFolder, root: Path) -> Path:
    """Return a place for backups; UserError if it lies in the lab, where it is no second place."""
    for own in (lab.root, lab.data.root):
        if root.resolve().is_relative_to(own.resolve()):
            raise UserError(f"{root}: lies in the lab itself; name a folder on another disk")
    return root


def back_up(lab: LabFolder, root: Path, now: datetime, *, thorough: bool) -> Made:
    """Make a backup of a lab in a place.

    One that is interrupted leaves nothing but contents that the next one uses or sweeps away:
    the backup is there when its list is.

    Parameters
    ----------
    lab
        The lab folder.
    root
        The place. It is made if there never was a backup in it.
    now
        The time of day.
    thorough
        Read all of the lab's files, and read back all of the backup. Otherwise a file that has
        the size and the time of the last backup's counts as unchanged.

    Raises
    ------
    UserError
        If it can't be made: one line, which is also noted in the lab folder.
    """
    with private_lock(lab.root / ".backup.lock"):
        try:
            store = _store(lab, place_of(lab, root))
            made = _new_backup(lab, store, now, thorough=thorough)
        except (OSError, UserError) as error:
            reason = str(error) if isinstance(error, UserError) else _plain(error, root)
            note_failure(lab, root, reason, now)
            raise UserError(reason) from None
        record = Record.of(lab)
        done = replace(record.place(root), made_utc=utc_text(now), failed_utc=None, reason="")
        record.noting(root, done).write(lab)
    return made


def _plain(error: OSError, root: Path) -> str:
    return f"{error.filename or root}: {error.strerror}; the backup wasn't made"


def _store(lab: LabFolder, root: Path) -> BackupStore:
    record = Record.of(lab)
    if record.place(root).made_utc is not None:
        # Where the disk isn't mounted, an empty folder on the lab's own disk may have its name.
        return BackupStore.open(root, record.lab)
    # The id is on disk before a store has it. A store that is there may have people who withdrew
    # since, on a PC that this one replaces.
    to_remove = read_tombstones(lab.data) if (root / MARKER).exists() else {}
    record.noting(root, replace(record.place(root), to_remove=to_remove)).write(lab)
    return BackupStore.make(root, record.lab)


def _new_backup(lab: LabFolder, store: BackupStore, now: datetime, *, thorough: bool) -> Made:
    last = _last_files(store)
    known = {} if thorough else last
    files: dict[str, Entry] = {}
    left_out: dict[str, str] = {}
    # The registry first: what it knows of journals is then in the journals' copies, too.
    try:
        files[REGISTRY_COPY] = store.keep(registry_copy(lab.registry_url))
    except UserError as error:
        left_out[REGISTRY_COPY] = str(error)
    for path, source in files_of(lab, left_out).items():
        try:
            entry = _unchanged(store, source, known.get(path))
            files[path] = entry or store.keep_file(source, thorough=thorough)
        except FileNotFoundError:
            # It was deleted meanwhile, or another one took its place.
            continue
        except PermissionError as error:
            if error.filename != os.fspath(source):
                raise
            left_out[path] = str(error.strerror)
    backup = Backup(store.new_id(now), utc_text(now), lab.settings.rig, files, left_out)
    store.write(backup)
    thinned = 0 if left_out else _thin(store, now)
    old = {entry.sha256 for entry in last.values()}
    copied = sum(entry.sha256 not in old for entry in files.values())
    return Made(store.root, backup, copied, thinned)


def _last_files(store: BackupStore) -> Mapping[str, Entry]:
    """Return the files of the newest backup that can be read."""
    for one in reversed(store.ids()):
        try:
            return store.backup(one).files
        except UserError:
            continue
    return {}


def _unchanged(store: BackupStore, source: Path, known: Entry | None) -> Entry | None:
    """Return the entry of a file that has the size and the time that the last backup noted."""
    if known is None:
        return None
    now = source.stat()
    same = (now.st_size, now.st_mtime_ns) == (known.size, known.mtime_ns)
    return known if same and store.holds(known) else None


def _thin(store: BackupStore, now: datetime) -> int:
    """Delete backups that `kept_backups` doesn't keep; nothing where one can't be read."""
    found, damaged = store.backups()
    if damaged:
        return 0
    made = {one.id: datetime.fromisoformat(one.made_utc) for one in found}
    spare = made.keys() - kept_backups(made, now)
    store.delete(spare)
    store.sweep()
    return len(spare)
