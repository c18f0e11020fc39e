"""Packs on disk: written whole or not at all, and opened only if the seal is intact.

`Damage` says what is wrong with a pack's files: which are missing, have changed, or don't belong to
the pack.
"""

import json
import zipfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NoReturn

from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from stimuli.errors import UserError
from stimuli.io.canonical import canonical_json, file_sha256, hash_of, sha256_hex
from stimuli.io.files import whole_folder
from stimuli.io.given_files import read_bytes
from stimuli.io.inside import inside, refuse_odd, stays_inside
from stimuli.io.invalid import place_and_reason
from stimuli.pack.model import (
    PACK_SCHEMA,
    SCREENING,
    SKETCH,
    Manifest,
    Pack,
    PackKind,
    pack_id_of,
    seal,
)
from stimuli.protocol import Protocol, protocol_hash

MANIFEST: Final = "pack.json"
PROVENANCE: Final = "provenance.json"
UNSEALED: Final = frozenset({MANIFEST, PROVENANCE})
# Files that Windows, macOS and Linux desktops put into a folder that somebody opens.
LITTER: Final = frozenset({"thumbs.db", "ehthumbs.db", "desktop.ini", ".ds_store", ".directory"})
LITTER_START: Final = "._"
COPY_AGAIN: Final = "copy the pack again"
MOST_NAMED: Final = 3


@dataclass(frozen=True, slots=True)
class Damage:
    """Paths of a pack's files that break its seal (``/`` as separator), by kind and sorted.

    Attributes
    ----------
    missing
        Sealed files that aren't there.
    litter
        Files that a desktop's file manager made.
    foreign
        Other files that don't belong to the pack, links to files elsewhere, pipes and the like.
    changed
        Sealed files with different content.
    """

    missing: tuple[str, ...]
    litter: tuple[str, ...]
    foreign: tuple[str, ...]
    changed: tuple[str, ...]

    def phrases(self, most: int | None = None) -> tuple[str, ...]:
        """Return one phrase for each kind of damage; no more than ``most`` names in each."""
        phrases = (
            (self.missing, "is missing", "are missing"),
            (self.litter, *("was put there by the file manager",) * 2),
            (self.foreign, "does not belong to the pack", "do not belong to the pack"),
            (self.changed, *("was changed since the pack was built",) * 2),
        )
        return tuple(
            f"{_listed(paths, most)} {singular if len(paths) == 1 else plural}"
            for paths, singular, plural in phrases
            if paths
        )

    @property
    def remedy(self) -> str:
        """What to do about the damage; empty for an intact pack."""
        if self.missing or self.foreign or self.changed:
            return COPY_AGAIN
        if self.litter:
            return "delete this file" if len(self.litter) == 1 else "delete these files"
        return ""


def damage_of(folder: Path, manifest: Manifest, beside: Collection[str] = ()) -> Damage:
    """Compare a pack's files with its manifest, every file byte for byte.

    Parameters
    ----------
    folder, manifest
        The pack.
    beside
        Names of further files that may lie there.
    """
    there = set(_files_in(folder))
    extra = there - set(manifest.files) - UNSEALED - set(beside)
    litter = {path for path in extra if _is_litter(path)}
    linked = {path for path in manifest.files if _leads_out(folder, path)}
    return Damage(
        missing=tuple(path for path in sorted(manifest.files) if not (folder / path).is_file()),
        litter=tuple(sorted(litter)),
        foreign=tuple(sorted((extra - litter) | linked)),
        changed=tuple(
            path
            for path, expected in sorted(manifest.files.items())
            if (folder / path).is_file() and file_sha256(folder / path) != expected
        ),
    )


def _leads_out(folder: Path, path: str) -> bool:
    """Return whether a path has a link in it: its target could change unnoticed."""
    return (folder / path).resolve() != folder.resolve() / path


def _is_litter(path: str) -> bool:
    name = path.rpartition("/")[2].lower()
    return name in LITTER or name.startswith(LITTER_START)


def _listed(paths: Sequence[str], most: int | None) -> str:
    named = paths if most is None else paths[:most]
    more = len(paths) - len(named)
    return ", ".join(named) + (f" and {more} more" if more else "")


def _files_in(folder: Path) -> Iterator[str]:
    for path in folder.rglob("*"):
        if path.is_symlink() or not path.is_dir():
            yield path.relative_to(folder).as_posix()


KINDS: Mapping[PackKind, str] = {
    "tasks": "a task pack (for lab.py annotate)",
    "solutions": "a solution pack (for lab.py run)",
    "screening": "the rules of a screening (for lab.py screen)",
}
MADE: Mapping[PackKind, str] = {
    "tasks": "python3 lab.py build STUDY --help says how to make one",
    "solutions": "python3 lab.py build STUDY makes one with --human-maps DIR",
    "screening": "python3 lab.py screen makes one of any pack of the study",
}

FOR_EVERYBODY = 0o755


class _File(BaseModel):
    model_config = ConfigDict(strict=True)

    path: str
    sha256: str

    @field_validator("path")
    @classmethod
    def _lies_within(cls, path: str) -> str:
        if not stays_inside(path):
            raise ValueError(f"{path!r} leads out of the pack")
        return path


class _Document(BaseModel):
    """The required content of ``pack.json``."""

    model_config = ConfigDict(strict=True)

    study: str
    kind: PackKind
    protocol: dict[str, Any]
    protocol_hash: str
    files: list[_File]
    pack_id: str


def write_pack(
    folder: Path,
    protocol: Protocol,
    kind: PackKind,
    files: Mapping[str, bytes],
    provenance: Mapping[str, Any],
) -> Manifest:
    """Write a sealed pack; the folder appears whole or not at all.

    Parameters
    ----------
    folder
        Where the pack goes; must not exist yet, or be empty.
    protocol
        The resolved protocol; frozen into the pack.
    kind
        ``tasks`` or ``solutions``.
    files
        Content by path (``/`` as separator).
    provenance
        Versions, machine, times: kept beside the seal, not under it.

    Raises
    ------
    UserError
        If the folder holds something already or can't be written.
    """
    if folder.exists() and any(folder.iterdir()):
        raise UserError(f"{folder}: is not empty; name a new folder with --out")
    hashes = {path: sha256_hex(data) for path, data in files.items()}
    manifest = seal(protocol, protocol_hash(protocol), kind, hashes)
    try:
        with whole_folder(folder) as aside:
            aside.chmod(FOR_EVERYBODY)
            for path, data in files.items():
                target = inside(aside, path)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
            _write_json(aside / PROVENANCE, provenance)
            (aside / MANIFEST).write_bytes(_pretty(manifest.document()))
    except OSError as error:
        raise UserError(f"{folder}: can't be written ({error.strerror})") from None
    return manifest


def open_pack(folder: Path, kind: PackKind | None = None) -> Pack:
    """Return a pack after checking its seal: every file, byte for byte.

    The seal shows that nothing was changed since it was built; it does not show
    who built it.

    Parameters
    ----------
    folder
        The pack.
    kind
        The kind that is needed; None where any will do.

    Raises
    ------
    UserError
        If the folder is no pack, is from a newer version or of another kind, or if
        files are missing, extra or changed: which.
    """
    manifest = read_manifest(folder)
    if kind is not None and manifest.kind != kind:
        raise UserError(f"{folder}: is {KINDS[manifest.kind]}; take {KINDS[kind]}. {MADE[kind]}")
    refuse_damage(folder, damage_of(folder, manifest))
    return Pack(manifest, lambda path: (folder / path).read_bytes())


def open_lazily(folder: Path) -> Pack:
    """Return a pack whose files are each checked when they are read, to look at its tables.

    Raises
    ------
    UserError
        As `read_manifest`; on reading, if the file is missing or was changed.
    """
    manifest = read_manifest(folder)

    def read(path: str) -> bytes:
        content = read_bytes(folder / path)
        if sha256_hex(content) != manifest.files[path]:
            refuse_damage(folder, Damage(missing=(), litter=(), foreign=(), changed=(path,)))
        return content

    return Pack(manifest, read)


def refuse_damage(folder: Path, damage: Damage) -> None:
    """Raise UserError if a pack's files break its seal: which, and what to do."""
    if phrases := damage.phrases(MOST_NAMED):
        raise UserError(f"{folder}: {', and '.join(phrases)}; {damage.remedy}")


def read_manifest(folder: Path) -> Manifest:
    """Return a pack's manifest after checking that it agrees with itself.

    Raises
    ------
    UserError
        If ``pack.json`` is missing, unreadable, newer than this version, or its
        ``pack_id`` or ``protocol_hash`` doesn't follow from its content.
    """
    where = folder / MANIFEST
    refuse_odd(where)
    try:
        text = where.read_text(encoding="utf-8")
        document = json.loads(text, parse_constant=_refuse_constant)
    except OSError:
        refuse_archive(folder)
        raise UserError(f"{folder}: is not a pack (no {MANIFEST}){_pack_below(folder)}") from None
    except (ValueError, RecursionError):
        raise UserError(f"{where}: is not readable JSON; copy the pack again") from None
    document = PACK_SCHEMA.upgrade(document, str(where))
    try:
        manifest = _manifest_of(_Document.model_validate(document))
    except ValidationError as error:
        raise UserError(f"{where}: {place_and_reason(error)}; copy the pack again") from None
    bare = manifest.pack_id.removeprefix(SKETCH).removeprefix(SCREENING)
    if pack_id_of(manifest) != bare:
        raise UserError(f"{where}: was changed since the pack was built (pack_id differs)")
    if hash_of(dict(manifest.protocol)) != manifest.protocol_hash:
        raise UserError(f"{where}: the protocol in it was changed since the pack was built")
    return manifest


def refuse_archive(path: Path) -> None:
    """Raise UserError if a path is a ZIP archive: with the command that unzips it."""
    if zipfile.is_zipfile(path):
        raise UserError(
            f"{path}: is an archive; unzip it first, then name the folder: "
            f'python3 -m zipfile -e "{path}" "{path.with_suffix("")}"'
        )


def _pack_below(folder: Path) -> str:
    """Say which folder to name if an archive was unzipped into a folder within the folder."""
    below = sorted(path.parent for path in folder.glob(f"*/{MANIFEST}"))
    return f"; name the folder {below[0]}" if len(below) == 1 else ""


def _manifest_of(document: _Document) -> Manifest:
    return Manifest(
        study=document.study,
        kind=document.kind,
        protocol=document.protocol,
        protocol_hash=document.protocol_hash,
        files={entry.path: entry.sha256 for entry in document.files},
        pack_id=document.pack_id,
    )


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _write_json(path: Path, value: Mapping[str, Any]) -> None:
    path.write_bytes(_pretty(value))


def _pretty(value: Mapping[str, Any]) -> bytes:
    canonical_json(value)  # refuses NaN before anything is written
    return (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode("utf-8")
