"""What is wrong with a pack's files: which are missing, changed, or don't belong to it."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from stimuli.io.canonical import file_sha256
from stimuli.pack.model import Manifest

MANIFEST: Final = "pack.json"
PROVENANCE: Final = "provenance.json"
UNSEALED: Final = frozenset({MANIFEST, PROVENANCE})
# What Windows, macOS and Linux desktops put into a folder that somebody looks at.
LITTER: Final = frozenset({"thumbs.db", "ehthumbs.db", "desktop.ini", ".ds_store", ".directory"})
LITTER_START: Final = "._"
COPY_AGAIN: Final = "copy the pack again"
MOST_NAMED: Final = 3


@dataclass(frozen=True, slots=True)
class Damage:
    """Paths of a pack's files that break its seal (``/`` as separator), each kind sorted.

    Attributes
    ----------
    missing
        Sealed files that aren't there.
    litter
        Files that a desktop's file manager made.
    foreign
        Other files that don't belong to the pack, and links to files elsewhere.
    changed
        Sealed files with another content.
    """

    missing: tuple[str, ...]
    litter: tuple[str, ...]
    foreign: tuple[str, ...]
    changed: tuple[str, ...]

    def found(self, most: int | None = None) -> tuple[str, ...]:
        """Return one phrase for each kind of damage; no more than ``most`` names in each."""
        phrases = (
            (self.missing, "is missing", "are missing"),
            (self.litter, *("was put there by the file manager",) * 2),
            (self.foreign, "does not belong to the pack", "do not belong to the pack"),
            (self.changed, *("was changed since the pack was built",) * 2),
        )
        return tuple(
            f"{_listed(paths, most)} {one if len(paths) == 1 else several}"
            for paths, one, several in phrases
            if paths
        )

    @property
    def remedy(self) -> str:
        """What to do about it; empty for a whole pack."""
        if self.missing or self.foreign or self.changed:
            return COPY_AGAIN
        if self.litter:
            return "delete this file" if len(self.litter) == 1 else "delete these files"
        return ""


def damage_of(
    folder: Path,
    manifest: Manifest,
    accepted: Mapping[str, Collection[str]] | None = None,
    beside: Collection[str] = (),
) -> Damage:
    """Compare a pack's files with its manifest, every file byte for byte.

    Parameters
    ----------
    folder, manifest
        The pack.
    accepted
        Other content, by SHA-256, that sealed files may have, by their paths.
    beside
        Names of further files that may lie there.
    """
    there = set(_files_in(folder))
    extra = there - set(manifest.files) - UNSEALED - set(beside)
    also = accepted or {}
    litter = {path for path in extra if _is_litter(path)}
    linked = {path for path in manifest.files if _leads_out(folder, path)}
    return Damage(
        missing=tuple(path for path in sorted(manifest.files) if not (folder / path).is_file()),
        litter=tuple(sorted(litter)),
        foreign=tuple(sorted((extra - litter) | linked)),
        changed=tuple(
            path
            for path, expected in sorted(manifest.files.items())
            if (folder / path).is_file()
            and file_sha256(folder / path) not in (expected, *also.get(path, ()))
        ),
    )


def _leads_out(folder: Path, path: str) -> bool:
    """Return whether a link stands in a path's way: what it leads to may change unseen."""
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
        if path.is_symlink() or path.is_file():
            yield path.relative_to(folder).as_posix()
