"""A place that keeps backups: files by their content, and for each backup the list of its files.

A file that didn't change is kept once, whatever number of backups it belongs to. Nothing that a
backup refers to is ever written over.
"""

import json
import os
import re
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from tempfile import mkstemp
from typing import Any, Final, Self

from participants.lab_settings import random_suffix
from stimuli.errors import UserError
from stimuli.io.canonical import CHUNK_BYTES, file_sha256, hash_of, sha256_hex
from stimuli.io.files import (
    PART,
    flush_folder,
    is_left_over,
    make_private_folder,
    naming,
    write_whole,
)
from stimuli.io.inside import inside, refuse_odd, stays_inside
from stimuli.versions import Schema

STORE_SCHEMA: Final = Schema("backup_store")
BACKUP_SCHEMA: Final = Schema("backup")
MARKER: Final = "plainsight-backup.json"
REGISTRY_COPY: Final = "registry.sqlite"
"""The path of the registry's copy in a backup; all others begin with ``lab/`` or ``data/``."""
TICK_NS: Final = 2_000_000_000
"""The coarsest clock of a usual disk's files: FAT's."""
PARTS: Final = ("lab/", "data/")
DIGEST: Final = re.compile("[0-9a-f]{64}")
ALL_OF: Final = timedelta(days=7)
ONE_A_WEEK: Final = ALL_OF + timedelta(weeks=8)


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of a backup.

    Attributes
    ----------
    sha256
        SHA-256 of its content, 64 hexadecimal digits.
    size
        In bytes.
    mtime_ns
        When the lab's file was last changed; by this and the size, a later backup recognises it.
        0 if it had just been changed.
    """

    sha256: str
    size: int
    mtime_ns: int = 0


@dataclass(frozen=True, slots=True)
class Backup:
    """One backup of a lab.

    Attributes
    ----------
    id
        Its name; sorts by time.
    made_utc
        When, ISO 8601.
    rig
        The lab's rig.
    files
        What it holds, by path: below ``lab/``, below ``data/``, and the registry's copy.
    left_out
        Why a file isn't in it, by path.
    """

    id: str
    made_utc: str
    rig: str
    files: Mapping[str, Entry]
    left_out: Mapping[str, str] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """How many bytes its files have."""
        return sum(entry.size for entry in self.files.values())

    def document(self) -> dict[str, Any]:
        """Return the backup as JSON, sealed by a hash of everything but the hash."""
        known: dict[str, Any] = {
            "schema": BACKUP_SCHEMA.tag,
            "id": self.id,
            "made_utc": self.made_utc,
            "rig": self.rig,
            "left_out": dict(self.left_out),
            "files": {
                path: [entry.sha256, entry.size, entry.mtime_ns]
                for path, entry in self.files.items()
            },
        }
        return {**known, "sha256": hash_of(known)}

    @classmethod
    def read(cls, path: Path) -> Self:
        """Return a backup's list of files; UserError if it was changed or can't be read."""
        refuse_odd(path)
        try:
            stated = json.loads(path.read_bytes())
            sealed = {name: value for name, value in stated.items() if name != "sha256"}
            whole = stated["sha256"] == hash_of(sealed)
        except (OSError, ValueError, RecursionError, AttributeError, KeyError, TypeError):
            whole = False
        if not whole:
            raise UserError(
                f"{path}: this list of a backup's files was changed or can't be read; delete it, "
                "and make a new backup"
            )
        known = BACKUP_SCHEMA.upgrade(stated, str(path))
        files = {name: Entry(*entry) for name, entry in known["files"].items()}
        for name, entry in files.items():
            known_part = name == REGISTRY_COPY or name.startswith(PARTS)
            if not (known_part and stays_inside(name) and DIGEST.fullmatch(entry.sha256)):
                raise UserError(
                    f"{path}: lists {name!r}, which leads out of a lab folder; delete this list, "
                    "and take another backup"
                )
        return cls(known["id"], known["made_utc"], known["rig"], files, known["left_out"])


@dataclass(frozen=True, slots=True)
class BackupStore:
    """The folder of a second place that keeps the backups of one lab folder."""

    root: Path

    @property
    def marker(self) -> Path:
        """The file that says whose backups these are."""
        return self.root / MARKER

    @property
    def objects(self) -> Path:
        """The folder of contents."""
        return self.root / "files"

    @property
    def lists(self) -> Path:
        """The folder of the lists, one a backup."""
        return self.root / "backups"

    @classmethod
    def open(cls, root: Path, lab: str | None = None) -> Self:
        """Return a store that is there.

        Parameters
        ----------
        root
            The folder.
        lab
            The id of the lab folder whose backups it should keep; None for any.

        Raises
        ------
        UserError
            If it isn't there, or keeps another lab folder's backups.
        """
        store = cls(root)
        if not store.marker.is_file():
            raise UserError(f"{root}: holds no backups; is its disk plugged in?")
        if lab is not None and store.owner() != lab:
            raise UserError(
                f"{root}: keeps the backups of another lab folder; name a folder of its own for "
                "this one (backup in lab.toml)"
            )
        return store

    @classmethod
    def make(cls, root: Path, lab: str) -> Self:
        """Return a store, which is made if there is none; the folder above it must be there.

        Raises
        ------
        UserError
            As `open`; also if the folder can't be made or holds other things.
        """
        store = cls(root)
        if store.marker.exists():
            return cls.open(root, lab)
        if not root.parent.is_dir():
            raise UserError(f"{root.parent}: isn't there; plug in its disk, or make this folder")
        if root.is_dir() and any(not is_left_over(path) for path in root.iterdir()):
            raise UserError(f"{root}: holds other things; name a new or empty folder for backups")
        make_private_folder(root)
        write_whole(store.marker, _json({"schema": STORE_SCHEMA.tag, "lab": lab}))
        return store

    def owner(self) -> str:
        """Return the id of the lab folder whose backups these are."""
        refuse_odd(self.marker)
        try:
            stated = json.loads(self.marker.read_bytes())
            return str(STORE_SCHEMA.upgrade(stated, str(self.marker))["lab"])
        except (OSError, ValueError, KeyError) as error:
            raise UserError(f"{self.marker}: can't be read ({error})") from None

    def path_of(self, digest: str) -> Path:
        """Return where a content is kept."""
        return inside(self.objects, f"{digest[:2]}/{digest}")

    def holds(self, entry: Entry) -> bool:
        """Return whether a content is there, judged by its size alone; `is_whole` reads it."""
        try:
            return self.path_of(entry.sha256).stat().st_size == entry.size
        except FileNotFoundError:
            return False

    def is_whole(self, entry: Entry) -> bool:
        """Return whether a content is there, unchanged."""
        return self.holds(entry) and file_sha256(self.path_of(entry.sha256)) == entry.sha256

    def read(self, entry: Entry) -> bytes:
        """Return a content; UserError if it is missing or was changed."""
        path = self.path_of(entry.sha256)
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            raise UserError(f"{path}: is missing from this backup") from None
        if sha256_hex(data) != entry.sha256:
            raise UserError(f"{path}: was changed since it was backed up")
        return data

    def keep(self, data: bytes) -> Entry:
        """Keep a content, and read back that it is whole."""
        entry = Entry(sha256_hex(data), len(data))
        path = self.path_of(entry.sha256)
        if not self.is_whole(entry):
            make_private_folder(path.parent)
            write_whole(path, data)
            self._require_whole(entry)
        return entry

    def keep_file(self, source: Path, *, thorough: bool) -> Entry:
        """Keep a file's content as it is now.

        A journal may grow meanwhile; what was read is kept.

        Parameters
        ----------
        source
            The file.
        thorough
            Also read what is kept already, and keep it again if it isn't whole.

        Raises
        ------
        OSError
            If it can't be read, or the place can't be written.
        """
        now, seen = time.time_ns(), source.stat()
        # A file that changes twice within a tick of the disk's clock would look unchanged.
        changed_ns = seen.st_mtime_ns if now - seen.st_mtime_ns > TICK_NS else 0
        known = Entry(file_sha256(source), seen.st_size, changed_ns)
        if (self.is_whole if thorough else self.holds)(known):
            return known
        make_private_folder(self.objects)
        handle, name = mkstemp(prefix=".", suffix=PART, dir=self.objects)
        part, digest, size = Path(name), sha256(), 0
        try:
            with source.open("rb") as stream, naming(self.objects), os.fdopen(handle, "wb") as kept:
                while chunk := stream.read(CHUNK_BYTES):
                    digest.update(chunk)
                    size += len(chunk)
                    kept.write(chunk)
                kept.flush()
                os.fsync(kept.fileno())
            entry = Entry(digest.hexdigest(), size, changed_ns)
            target = self.path_of(entry.sha256)
            make_private_folder(target.parent)
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
        flush_folder(target.parent)
        self._require_whole(entry)
        return entry

    def write(self, backup: Backup) -> None:
        """Write a backup's list, which makes the backup exist."""
        make_private_folder(self.lists)
        write_whole(self._list_of(backup.id), _json(backup.document()))

    def delete(self, ids: Collection[str]) -> None:
        """Delete backups' lists; `sweep` deletes the contents that only they used."""
        for backup_id in ids:
            self._list_of(backup_id).unlink(missing_ok=True)

    def ids(self) -> tuple[str, ...]:
        """Return the ids of all backups, oldest first."""
        return tuple(sorted(path.stem for path in self.lists.glob("[!.]*.json")))

    def backup(self, backup_id: str) -> Backup:
        """Return a backup by its id; UserError if it isn't there or its list was changed."""
        if not self._list_of(backup_id).exists():
            raise UserError(f"{self.root}: has no backup {backup_id}; restore --list shows them")
        return Backup.read(self._list_of(backup_id))

    def backups(self) -> tuple[tuple[Backup, ...], dict[str, str]]:
        """Return all readable backups, oldest first, and why others can't be read, by id."""
        readable: list[Backup] = []
        damaged: dict[str, str] = {}
        for backup_id in self.ids():
            try:
                readable.append(self.backup(backup_id))
            except UserError as error:
                damaged[backup_id] = str(error)
        return tuple(readable), damaged

    def damaged(self, backup: Backup) -> Iterator[str]:
        """Yield the paths of a backup's files that are missing or were changed."""
        whole: dict[str, bool] = {}
        for path, entry in backup.files.items():
            if entry.sha256 not in whole:
                whole[entry.sha256] = self.is_whole(entry)
            if not whole[entry.sha256]:
                yield path

    def sweep(self) -> None:
        """Delete contents that no backup refers to, and partial files of a killed backup.

        If a backup's list can't be read, nothing is deleted, since what it refers to isn't known.
        """
        backups, damaged = self.backups()
        if damaged:
            return
        needed = {entry.sha256 for backup in backups for entry in backup.files.values()}
        for path in self.objects.rglob("*"):
            if path.is_file() and path.name not in needed:
                path.unlink()

    def new_id(self, now: datetime) -> str:
        """Return the id of a backup that is made now."""
        return f"{now.astimezone(UTC).strftime('%Y%m%dT%H%M%SZ')}-{random_suffix()}"

    def _list_of(self, backup_id: str) -> Path:
        return inside(self.lists, f"{backup_id}.json")

    def _require_whole(self, entry: Entry) -> None:
        if not self.is_whole(entry):
            raise UserError(
                f"{self.path_of(entry.sha256)}: reads back otherwise than it was written; replace "
                "this disk"
            )


def kept_backups(times: Mapping[str, datetime], now: datetime) -> frozenset[str]:
    """Return which backups are kept: all of 7 days, then one a week for 8 weeks, then one a month.

    Of each week (Monday to Sunday) or month, in UTC, the newest is kept. The newest backup of all
    is always kept.

    Parameters
    ----------
    times
        When each was made, by id.
    now
        The time of day.
    """
    kept: dict[Sequence[int | str], str] = {}
    for backup_id in sorted(times, key=lambda name: (times[name], name), reverse=True):
        when, age = times[backup_id].astimezone(UTC), now - times[backup_id]
        if age < ALL_OF:
            period: tuple[int | str, ...] = (backup_id,)
        elif age < ONE_A_WEEK:
            period = ("week", *when.isocalendar()[:2])
        else:
            period = ("month", when.year, when.month)
        kept.setdefault(period, backup_id)
    return frozenset(kept.values())


def _json(document: Mapping[str, Any]) -> bytes:
    return (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode("utf-8")
