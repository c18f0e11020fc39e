"""Make a backup: what it lists of a lab, what it copies, and which old backups are deleted.

A backup lists everything, and copies what changed. The order of copying makes a backup consistent
even while a session runs. Sessions are listed before the copies of their packs, and journals are
read last. So the copy of the registry and the sidecars never know more lines of a journal than the
backup has.
"""

import os
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Final

from sqlalchemy import Connection, StaticPool, create_engine, func, insert, select, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError

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
from participants.files import private_lock
from participants.folder import LabFolder, SessionPaths
from participants.lab_settings import SQLITE
from participants.registry import Registry
from participants.registry.database import LostRegistryError
from participants.registry.tables import meta, metadata, people
from participants.registry.waiting import BUSY_TIMEOUT_S
from participants.tombstones import read_tombstones
from stimuli.errors import UserError
from stimuli.io.files import is_left_over
from stimuli.io.inside import odd_kind, stays_inside
from stimuli.terminal import is_utf8, printable

WORK: Final = ".backing-up"
"""The folder of a lab folder in which withdrawals from backups are prepared."""
LAB: Final = "lab"
DATA: Final = "data"
OF_SQLITE: Final = ("-journal", "-wal", "-shm")
REPLACEABLE: Final = frozenset({"logs", "cache", WORK})
"""Folders of a lab folder that aren't backed up."""
JOURNALS: Final = SessionPaths(Path()).journal.name

Files = dict[str, Path]


def files_of(lab: LabFolder, left_out: dict[str, str]) -> Files:
    """Return the files of a lab by their paths in a backup, in the order of copying.

    Locks, logs, downloads and files that are being written are left out.

    Parameters
    ----------
    lab
        The lab folder.
    left_out
        Links that lead nowhere, pipes and the like, and names that another system couldn't have
        are added to it.
    """
    data = lab.data.root
    sessions = data / "sessions"
    # Sessions first: otherwise the pack's copy of a session that begins now might be missing.
    files = _below(data, DATA, _walk(sessions, left_out))
    files |= _below(data, DATA, _walk(data, left_out, {sessions.resolve()}))
    skipped = {data.resolve(), *((lab.root / name).resolve() for name in REPLACEABLE)}
    skipped_files = {lab.backups.resolve(), *_registry_files(lab)}
    others = (
        path for path in _walk(lab.root, left_out, skipped) if path.resolve() not in skipped_files
    )
    files |= _below(lab.root, LAB, others)
    last = sorted(files, key=lambda path: (PurePosixPath(path).name == JOURNALS, path))
    return {path: files[path] for path in last}


def _below(root: Path, name: str, paths: Iterable[Path]) -> Files:
    return {f"{name}/{path.relative_to(root).as_posix()}": path for path in paths}


def _walk(
    root: Path, left_out: dict[str, str], skipped: Collection[Path] = frozenset()
) -> Iterator[Path]:
    """Yield the files below a folder, linked ones included; skip some folders."""
    seen = set(skipped)
    for folder, folders, names in os.walk(root, followlinks=True):
        inside = {name: (Path(folder) / name).resolve() for name in sorted(folders)}
        folders[:] = [name for name, real in inside.items() if real not in seen]
        seen |= set(inside.values())
        for path in (Path(folder) / name for name in sorted(names)):
            if path.is_symlink() and not path.exists():
                left_out[str(path)] = "is a link that leads nowhere"
            elif not is_utf8(str(path)):
                left_out[printable(str(path))] = "has a name that isn't UTF-8; rename it"
            elif kind := odd_kind(path):
                left_out[str(path)] = f"is {kind}, not a file"
            elif not stays_inside(path.relative_to(root).as_posix()):
                left_out[str(path)] = "has a name that other systems can't have; rename it"
            elif path.is_file() and path.suffix != ".lock" and not is_left_over(path):
                yield path


def _registry_files(lab: LabFolder) -> frozenset[Path]:
    url = lab.registry_url
    if not url.startswith(SQLITE):
        return frozenset()
    file = url.removeprefix(SQLITE)
    return frozenset(Path(file + end).resolve() for end in ("", *OF_SQLITE))


def registry_copy(url: str) -> bytes:
    """Return a snapshot of a registry, as the content of an SQLite file.

    For an SQLite file this is SQLite's online backup, which doesn't wait for running sessions. The
    rows of a server are read in one serialisable transaction.

    Parameters
    ----------
    url
        The registry's.

    Raises
    ------
    UserError
        If it can't be read, or its file is damaged.
    """
    return _copy_of_file(url) if url.startswith(SQLITE) else _copy_of_server(url)


def _copy_of_file(url: str) -> bytes:
    file = Path(str(make_url(url).database)).absolute()
    try:
        with (
            closing(
                sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True, timeout=BUSY_TIMEOUT_S)
            ) as source,
            closing(sqlite3.connect(":memory:")) as copy,
        ):
            source.backup(copy)
            if not copy.execute("SELECT 1 FROM sqlite_master WHERE name = 'meta'").fetchone():
                raise LostRegistryError(url)
            (sound,) = copy.execute("PRAGMA quick_check").fetchone()
            if sound != "ok":
                raise UserError(f"registry {file}: is damaged ({sound})")
            return copy.serialize()
    except sqlite3.Error as error:
        raise UserError(f"registry {file}: can't be copied ({error})") from None


def _copy_of_server(url: str) -> bytes:
    def rows(connection: Connection) -> dict[str, list[dict]]:
        return {
            table.name: [dict(row._mapping) for row in connection.execute(select(table))]
            for table in metadata.sorted_tables
        }

    with closing(Registry.open(url)) as registry:
        known = registry.transact(rows)
    memory = create_engine("sqlite://", poolclass=StaticPool)
    with memory.begin() as connection:
        metadata.create_all(connection)
        _enter(connection, known)
    with closing(memory.raw_connection()) as raw:
        driver = raw.driver_connection
        assert isinstance(driver, sqlite3.Connection)
        content = driver.serialize()
    memory.dispose()
    return content


def _enter(connection: Connection, rows: dict[str, list[dict]]) -> None:
    for table in metadata.sorted_tables:
        if rows[table.name]:
            connection.execute(insert(table), rows[table.name])


def fill_server(url: str, copy: Path) -> bool:
    """Put a registry's copy into a server's empty database; return whether it was empty.

    A database with people in it stays as it is.

    Parameters
    ----------
    url
        The server's registry.
    copy
        An SQLite file, of `registry_copy`.

    Raises
    ------
    UserError
        If the server can't be reached.
    """
    with closing(Registry.open(f"{SQLITE}{copy.as_posix()}")) as kept:
        rows = kept.transact(
            lambda connection: {
                table.name: [dict(row._mapping) for row in connection.execute(select(table))]
                for table in metadata.sorted_tables
            }
        )
    rows[meta.name] = []

    def work(connection: Connection) -> bool:
        if connection.scalar(select(func.count()).select_from(people)):
            return False
        _enter(connection, rows)
        _count_on(connection)
        return True

    try:
        with closing(Registry.open(url)) as registry:
            return registry.transact(work)
    except DBAPIError as error:
        raise UserError(f"registry {make_url(url).host}: {error.orig}") from None


def _count_on(connection: Connection) -> None:
    """Make a server's automatic ids continue after those that were copied."""
    if connection.dialect.name != "postgresql":
        return
    for table in metadata.sorted_tables:
        if "id" in table.c:
            wanted = (
                f"SELECT setval(pg_get_serial_sequence('{table.name}', 'id'), "
                f"COALESCE((SELECT MAX(id) FROM {table.name}), 0) + 1, false)"
            )
            connection.execute(text(wanted))


def journals_in(files: Iterator[str]) -> Iterator[str]:
    """Yield the sessions whose journals are among the paths of a backup."""
    for path in map(PurePosixPath, files):
        if path.name == JOURNALS and path.parts[:2] == (DATA, "sessions"):
            yield path.parts[2]


@dataclass(frozen=True, slots=True)
class NewBackup:
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
    for folder in (lab.root, lab.data.root):
        if root.resolve().is_relative_to(folder.resolve()):
            raise UserError(f"{root}: lies in the lab itself; name a folder on another disk")
    return root


def back_up(lab: LabFolder, root: Path, now: datetime, *, thorough: bool) -> NewBackup:
    """Make a backup of a lab in a place.

    A backup exists once its list is written. An interrupted one leaves only contents, which the
    next backup uses or deletes.

    Parameters
    ----------
    lab
        The lab folder.
    root
        The place. It is made if it never held a backup.
    now
        The time of day.
    thorough
        Read all of the lab's files, and read back all of the backup. Otherwise a file that has
        the same size and time as in the last backup counts as unchanged.

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
        # If the disk isn't mounted, an empty folder on the lab's own disk may have its name.
        return BackupStore.open(root, record.lab)
    # The id is on disk before a store has it. An existing store may hold people who have withdrawn
    # since, on a PC that this one replaces.
    to_remove = read_tombstones(lab.data) if (root / MARKER).exists() else {}
    record.noting(root, replace(record.place(root), to_remove=to_remove)).write(lab)
    return BackupStore.make(root, record.lab)


def _new_backup(lab: LabFolder, store: BackupStore, now: datetime, *, thorough: bool) -> NewBackup:
    last = _last_files(store)
    known = {} if thorough else last
    files: dict[str, Entry] = {}
    left_out: dict[str, str] = {}
    # The registry first: then the copies of the journals hold all that it knows of them.
    try:
        # It is made at first use.
        Registry.of(lab).close()
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
    return NewBackup(store.root, backup, copied, thinned)


def _last_files(store: BackupStore) -> Mapping[str, Entry]:
    """Return the files of the newest backup that can be read."""
    for backup_id in reversed(store.ids()):
        try:
            return store.backup(backup_id).files
        except UserError:
            continue
    return {}


def _unchanged(store: BackupStore, source: Path, entry: Entry | None) -> Entry | None:
    """Return a file's entry in the last backup if its size and time are still the same."""
    if entry is None:
        return None
    now = source.stat()
    same = (now.st_size, now.st_mtime_ns) == (entry.size, entry.mtime_ns)
    return entry if same and store.holds(entry) else None


def _thin(store: BackupStore, now: datetime) -> int:
    """Delete backups that `kept_backups` doesn't keep; delete nothing if one can't be read."""
    backups, damaged = store.backups()
    if damaged:
        return 0
    made = {backup.id: datetime.fromisoformat(backup.made_utc) for backup in backups}
    spare = made.keys() - kept_backups(made, now)
    store.delete(spare)
    store.sweep()
    return len(spare)
