"""The lab folder and the data folder, which define every path of people's records.

A data folder keeps copies of the packs that it needs.
"""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Self

from participants.anchor import SIDECAR
from participants.files import make_private, safe_name, write_file
from participants.lab_settings import (
    SQLITE,
    LabSettings,
    make_settings,
    random_suffix,
    read_settings,
)
from participants.replaced_codes import replaced_hashes
from stimuli.catalogue import LAB_FILE
from stimuli.errors import UserError
from stimuli.io.canonical import sha256_hex
from stimuli.io.inside import odd_kind
from stimuli.places import LOGS, TEXTS, lab_root

if TYPE_CHECKING:
    from stimuli.pack import Pack


@dataclass(frozen=True, slots=True)
class SessionPaths:
    """Files of one session.

    Attributes
    ----------
    folder
        The session's folder; its name is the session id.
    journal
        The truth about the session.
    torn
        Lines that were cut short, set aside when the session was resumed.
    sidecar
        How the session was run, from its journal.
    """

    folder: Path

    @property
    def session(self) -> str:
        """The session id."""
        return self.folder.name

    @property
    def journal(self) -> Path:
        """The truth about the session."""
        return self.folder / "journal.jsonl"

    @property
    def began(self) -> bool:
        """Whether there is a journal, or anything that stands in its place.

        A link may lead to a disk that isn't mounted, and a pipe is no file: reading the journal
        then says so.
        """
        return os.path.lexists(self.journal) or self.folder.is_symlink()

    @property
    def owner(self) -> str:
        """The session's participant, or its id if the journal's first line can't be read."""
        if odd_kind(self.journal):
            return self.session
        try:
            with self.journal.open("rb") as stream:
                return str(json.loads(stream.readline())["participant"])
        except (OSError, ValueError, KeyError, TypeError):
            return self.session

    @property
    def torn(self) -> Path:
        """Lines that were cut short, set aside when the session was resumed."""
        return self.folder / "journal.torn"

    @property
    def sidecar(self) -> Path:
        """How the session was run, from its journal."""
        return self.folder / SIDECAR


@dataclass(frozen=True, slots=True)
class DataFolder:
    """A data folder: journals, copies of the packs they need, tables.

    It is the lab's, one that ``simulate`` writes, or one that was merged.
    """

    root: Path

    @property
    def tables(self) -> Path:
        """The folder of derived tables."""
        return self.root / "tables"

    @property
    def packs(self) -> Path:
        """The folder of pack copies."""
        return self.root / "packs"

    @property
    def tables_lock(self) -> Path:
        """The lock under which tables are written."""
        return self.root / ".tables.lock"

    @property
    def merging(self) -> Path:
        """The folder in which `merge` keeps incomplete copies."""
        return self.root / ".merging"

    @property
    def tombstones(self) -> Path:
        """The file that says who took their data back."""
        return self.root / "withdrawn.csv"

    @property
    def outbox(self) -> Path:
        """The folder of notes on sessions that the registry may not fully know."""
        return self.root / "untold"

    @property
    def had_registry(self) -> Path:
        """The mark of a lab whose registry was made: if that isn't there, it was lost."""
        return self.root / ".had-registry"

    def session(self, session: str) -> SessionPaths:
        """Return the paths of a session; UserError if the id can't be a folder's name."""
        return SessionPaths(self.root / "sessions" / safe_name(session))

    def sessions(self) -> Iterator[SessionPaths]:
        """Yield the sessions that have a journal, or are a link to one, oldest first."""
        yield from (paths for paths in self.session_folders() if paths.began)

    def session_folders(self) -> Iterator[SessionPaths]:
        """Yield all session folders, including those of sessions that never began, oldest first."""
        yield from map(SessionPaths, sorted((self.root / "sessions").glob("*")))

    def map_set(self, session: str) -> Path:
        """Return the folder for the map set of an expert's session."""
        return self.root / "mapsets" / safe_name(session)

    def pack_copy(self, pack_id: str) -> Path:
        """Return the folder that keeps a pack's tables."""
        return self.packs / safe_name(pack_id)

    def copy_pack(self, pack: "Pack") -> Path:
        """Keep a pack's manifest and tables, without which its journals can't be read.

        Doing it again changes nothing.

        Returns
        -------
        Path
            The copy's folder.

        Raises
        ------
        UserError
            If a copy of the same pack differs, or the folder can't be written.
        """
        folder = self.pack_copy(pack.pack_id)
        make_private(folder)
        replaced = replaced_hashes(folder)
        for name, data in _kept_of(pack).items():
            target = folder / name
            if not target.exists():
                write_file(target, data)
            elif (there := target.read_bytes()) != data and (
                sha256_hex(there) not in replaced.get(name, ())
            ):
                # Whether a replaced code is all that differs is checked when the copy is read.
                raise UserError(f"{target}: differs from the pack's own; restore or delete it")
        return folder

    def make(self) -> Self:
        """Make the folder, private to its owner if the system allows; return it."""
        make_private(self.root)
        return self


@dataclass(frozen=True, slots=True)
class LabFolder:
    """The lab folder: settings, registry, data, packs, logs and rig profiles.

    Attributes
    ----------
    root
        The folder.
    settings
        The content of its ``lab.toml``.
    """

    root: Path
    settings: LabSettings

    @classmethod
    def open(cls, root: Path | None = None) -> Self:
        """Return an existing lab folder.

        It is never created: if its disk weren't mounted or its name were mistyped, a second
        registry and a second data folder would begin.

        Parameters
        ----------
        root
            The folder; `stimuli.places.lab_root` by default.

        Raises
        ------
        UserError
            If there is none, its ``lab.toml`` isn't valid (which key and why), or a folder outside
            it that ``lab.toml`` names is missing.
        """
        root = _absolute(root)
        path = root / LAB_FILE
        if not path.exists():
            named = "" if root == _absolute(None) else f' --lab "{root}"'
            raise UserError(
                f"{root}: is not a lab folder (it has no {LAB_FILE}); mount its disk, or name "
                "another with --lab or PLAINSIGHT_LAB; to make a new one: "
                f"python3 lab.py doctor --new{named}"
            )
        lab = cls(root, read_settings(path))
        lab._require_what_lies_elsewhere()
        return lab

    @classmethod
    def make(cls, root: Path | None = None) -> Self:
        """Make a lab folder with default settings and a folder for packs, and return it.

        Parameters
        ----------
        root
            The folder, which may hold other things; `stimuli.places.lab_root` by default.

        Raises
        ------
        UserError
            If there is a lab folder already, or it can't be written.
        """
        root = _absolute(root)
        make_private(root)
        make_settings(root / LAB_FILE)
        lab = cls.open(root)
        make_private(lab.packs)
        return lab

    def _require_what_lies_elsewhere(self) -> None:
        """Refuse a data folder or registry outside the lab folder whose disk isn't there."""
        url = self.registry_url
        places = {"data": self.data.root}
        if url.startswith(SQLITE):
            places["registry"] = Path(url.removeprefix(SQLITE)).parent
        for key, place in places.items():
            if not place.is_relative_to(self.root) and not place.is_dir():
                raise UserError(
                    f"{self.root / LAB_FILE}: {key}: {place} isn't there; mount its disk, or make "
                    "this folder"
                )

    @property
    def data(self) -> DataFolder:
        """The lab's data folder."""
        return DataFolder(self.root / Path(self.settings.data).expanduser())

    @property
    def packs(self) -> Path:
        """The lab's packs."""
        return self.root / "packs"

    def screens(self, pack_id: str) -> Path:
        """Return the folder of the pictures of a pack's screens."""
        return self.root / "screens" / safe_name(pack_id)

    @property
    def rigs(self) -> Path:
        """Display profiles."""
        return self.root / "rigs"

    @property
    def logs(self) -> Path:
        """Log files, one a run."""
        return self.root / LOGS

    @property
    def texts(self) -> Path:
        """The lab's own texts, which stand in for those that ship."""
        return self.root / TEXTS

    @property
    def backups(self) -> Path:
        """The record of the lab's backups and their places."""
        return self.root / "backups.json"

    @property
    def backup_places(self) -> tuple[Path, ...]:
        """The second places that get a backup after every session."""
        return tuple(self.root / Path(place).expanduser() for place in self.settings.backup)

    @property
    def registry_url(self) -> str:
        """The registry's URL; a relative SQLite path is relative to the lab folder."""
        url = self.settings.registry
        path = Path(url.removeprefix(SQLITE))
        if not url.startswith(SQLITE) or path.is_absolute():
            return url
        return SQLITE + (self.root / path).as_posix()


def is_kept(path: str) -> bool:
    """Return whether a data folder's copy of a pack keeps the file at a path.

    It keeps the tables, which say what was shown, what it was, and for whom. Stimuli, which lie in
    the pack's folders, aren't kept.
    """
    return path.endswith(".csv") and "/" not in path


def new_session_id(participant: str, now: datetime | None = None) -> str:
    """Return an id for a new session: UTC time, code, four random characters.

    Ids sort by time, are unique across PCs and make good folder names everywhere.
    """
    stamp = (now or datetime.now(UTC)).astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    return safe_name(f"{stamp}-{participant}-{random_suffix()}")


def _absolute(root: Path | None) -> Path:
    return (root or lab_root()).expanduser().absolute()


def _kept_of(pack: "Pack") -> dict[str, bytes]:
    manifest = json.dumps(pack.manifest.document(), indent=1, ensure_ascii=False) + "\n"
    kept = {"pack.json": manifest.encode("utf-8")}
    return kept | {path: pack.asset(path) for path in pack.manifest.files if is_kept(path)}
