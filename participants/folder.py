"""The lab folder and the data folder: they own every path of people's records."""

import json
import secrets
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Self

from filelock import FileLock
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from participants.consent_blanks import ConsentBlanks, template
from participants.files import make_private, safe_name, write_file
from participants.journal.anchor import SIDECAR
from participants.replaced import replaced_hashes
from stimuli.errors import UserError
from stimuli.io.canonical import sha256_hex
from stimuli.io.schema import Schema
from stimuli.pack import Pack
from stimuli.places import lab_root

LAB_FILE: Final = "lab.toml"
LAB_SCHEMA: Final = Schema("lab", 1, 2, {minor: lambda document: document for minor in range(2)})
# What a lab.toml without a version is: the key came after the first of them were written.
FIRST_LAB_TAG: Final = "lab/1.0"
SUFFIX_SIGNS: Final = "abcdefghjkmnpqrstuvwxyz23456789"
SQLITE: Final = "sqlite:///"

LAB_TEMPLATE: Final = """\
# This PC's place in the lab. Change a line and save; every command reads it again.

# Format and version of this file; leave it as it is.
schema = "{schema}"

# Where the data go; relative to this file, or a whole path on a local disk.
data = "data"

# The registry of codes, assignments and sessions: a database URL. For several PCs with one
# registry see docs/several_pcs.md.
registry = "sqlite:///registry.sqlite"

# Name of this PC and display; it stands in every row of data. No personal names.
rig = "{rig}"

# Language of the texts that people read (IETF tag).
language = "en"

# Shown in the consent and the debrief.
institution = ""
contact = ""

# After a pause: seconds from the key that ends it to the session's going on.
pause_countdown_s = 3.0

{consent}"""


class LabSettings(BaseModel):
    """The content of ``lab.toml``."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    schema_tag: str = Field(
        default=LAB_SCHEMA.tag, alias="schema", description="Format and version of this file."
    )
    data: str = Field(default="data", min_length=1, description="Where the data go.")
    registry: str = Field(
        default=f"{SQLITE}registry.sqlite", min_length=1, description="URL of the registry."
    )
    rig: str = Field(
        min_length=1, max_length=40, pattern=r"^[\w-]+$", description="Name of PC and display."
    )
    language: str = Field(default="en", min_length=2, description="Language of the texts.")
    institution: str = Field(default="", description="Shown in the consent and the debrief.")
    contact: str = Field(default="", description="Shown in the consent and the debrief.")
    pause_countdown_s: float = Field(
        default=3.0, ge=0, le=60, strict=False,
        description="From the key that ends a pause to the session's going on.",
    )  # fmt: skip
    consent: dict[str, ConsentBlanks] = Field(
        default_factory=dict, description="Blanks of the consent, by language."
    )

    def blanks(self, language: str) -> ConsentBlanks:
        """Return the consent's blanks in a language; empty ones where none are written."""
        return self.consent.get(language, ConsentBlanks())


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

    The lab's own, one that ``simulate`` writes, or one that was copied together.
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
        """The folder in which `merge` keeps what isn't whole yet."""
        return self.root / ".merging"

    @property
    def tombstones(self) -> Path:
        """The file that says who took their data back."""
        return self.root / "withdrawn.csv"

    @property
    def outbox(self) -> Path:
        """The folder of notes which sessions the registry may not know everything of."""
        return self.root / "untold"

    def session(self, session: str) -> SessionPaths:
        """Return the paths of a session; UserError if the id can't be a folder's name."""
        return SessionPaths(self.root / "sessions" / safe_name(session))

    def sessions(self) -> Iterator[SessionPaths]:
        """Yield the sessions that have a journal, oldest first."""
        for paths in self.session_folders():
            if paths.journal.is_file():
                yield paths

    def session_folders(self) -> Iterator[SessionPaths]:
        """Yield all folders of sessions, also of those that never began, oldest first."""
        yield from map(SessionPaths, sorted((self.root / "sessions").glob("*")))

    def map_set(self, session: str) -> Path:
        """Return the folder for the map set of an expert's session."""
        return self.root / "mapsets" / safe_name(session)

    def pack_copy(self, pack_id: str) -> Path:
        """Return the folder that keeps a pack's tables."""
        return self.packs / safe_name(pack_id)

    def copy_pack(self, pack: Pack) -> Path:
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
                raise UserError(f"{target}: differs from the pack's own; restore or delete it")
        return folder

    def make(self) -> Self:
        """Make the folder, for its owner's eyes where the system allows; return it."""
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
        """Return a lab folder that is there.

        It is never made on the way: where its disk isn't mounted, or its name has a typing
        error, a second registry and second data would begin.

        Parameters
        ----------
        root
            The folder; `stimuli.places.lab_root` by default.

        Raises
        ------
        UserError
            If there is none, its ``lab.toml`` is not valid (which key and why), or a folder
            that this names elsewhere is missing.
        """
        root = _absolute(root)
        path = root / LAB_FILE
        if not path.is_file():
            named = "" if root == _absolute(None) else f' --lab "{root}"'
            raise UserError(
                f"{root}: is not a lab folder (it has no {LAB_FILE}); mount its disk, or name "
                "another with --lab or PLAINSIGHT_LAB; to make a new one: "
                f"python3 lab.py doctor --new{named}"
            )
        lab = cls(root, _read_settings(path))
        lab._require_what_lies_elsewhere()
        return lab

    @classmethod
    def make(cls, root: Path | None = None) -> Self:
        """Make a lab folder with default settings, and return it.

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
        _make_settings(root / LAB_FILE)
        return cls.open(root)

    def _require_what_lies_elsewhere(self) -> None:
        """Refuse a data folder or a registry's folder on a disk that isn't there."""
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

    @property
    def rigs(self) -> Path:
        """Display profiles."""
        return self.root / "rigs"

    @property
    def logs(self) -> Path:
        """Log files, one a run."""
        return self.root / "logs"

    @property
    def texts(self) -> Path:
        """The lab's own texts, which stand in for those that ship."""
        return self.root / "texts"

    @property
    def registry_url(self) -> str:
        """The registry's URL; a relative SQLite path is relative to the lab folder."""
        url = self.settings.registry
        path = Path(url.removeprefix(SQLITE))
        if not url.startswith(SQLITE) or path.is_absolute():
            return url
        return SQLITE + (self.root / path).as_posix()


def new_session_id(participant: str, now: datetime | None = None) -> str:
    """Return an id for a new session: UTC time, code, four random signs.

    Ids sort by time, are unique across PCs and make good folder names everywhere.
    """
    stamp = (now or datetime.now(UTC)).astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    return safe_name(f"{stamp}-{participant}-{random_suffix()}")


def random_suffix(length: int = 4) -> str:
    """Return some random lower-case signs that can't be mistaken for one another."""
    return "".join(secrets.choice(SUFFIX_SIGNS) for _ in range(length))


def _absolute(root: Path | None) -> Path:
    return (root or lab_root()).expanduser().absolute()


def _make_settings(path: Path) -> None:
    try:
        # Two processes may come here at once; a lab has one rig name.
        with FileLock(path.with_name(".lab.lock")):
            if path.exists():
                raise UserError(f"{path.parent}: is a lab folder already; leave out --new")
            text = _lab_text()
            write_file(path, text.encode("utf-8"))
    except OSError as error:
        raise UserError(
            f"{path}: can't be written ({error.strerror}); choose another lab folder with --lab"
        ) from None


def _lab_text() -> str:
    rig = f"rig-{random_suffix()}"
    return LAB_TEMPLATE.format(schema=LAB_SCHEMA.tag, rig=rig, consent=template())


def _kept_of(pack: Pack) -> dict[str, bytes]:
    manifest = json.dumps(pack.manifest.document(), indent=1, ensure_ascii=False) + "\n"
    kept = {"pack.json": manifest.encode("utf-8")}
    # What was shown, what it was, and for whom; stimuli lie in folders of the pack.
    tables = [name for name in pack.manifest.files if name.endswith(".csv") and "/" not in name]
    return kept | {name: pack.asset(name) for name in tables}


def _read_settings(path: Path) -> LabSettings:
    try:
        values: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"{path}: can't be read ({error.strerror})") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise UserError(f"{path}: is not valid TOML: {error}") from None
    values = LAB_SCHEMA.upgrade({"schema": FIRST_LAB_TAG, **values}, str(path))
    try:
        return LabSettings.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        model = ConsentBlanks if first["loc"][0] == "consent" else LabSettings
        known = ", ".join(field.alias or name for name, field in model.model_fields.items())
        unknown = first["type"] == "extra_forbidden"
        reason = f"unknown key; known: {known}" if unknown else first["msg"]
        raise UserError(f"{path}: {key}: {reason}") from None
