"""What is declared to differ: keys that have another name now, that went, or that are new.

A declaration is a TOML file, by study and file; both may hold ``*``::

    [human_ai_team."*/results.json"]
    renamed = { "trust/points/*/mean" = "trust/arms/*/mean" }
    gone = ["trust/old"]
    added = ["schema"]

A key is a path from the root of a JSON document, with ``/`` between its parts; a part ``*`` stands
for any one, and a path stands for all below it. A column of a CSV is a key too, and ``#anchor`` for
the anchor of a section of a page.
"""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

KINDS = ("renamed", "gone", "added")


@dataclass(frozen=True, slots=True)
class Renames:
    """What is declared for one file: new keys by old ones, keys that went, keys that are new."""

    renamed: tuple[tuple[str, str], ...] = ()
    gone: tuple[str, ...] = ()
    added: tuple[str, ...] = ()

    def new_key(self, key: str) -> str:
        """Return the key's new name, by the longest path that fits; the key itself if none does."""
        fits = [pair for pair in self.renamed if _fits(pair[0], key)]
        if not fits:
            return key
        old, new = max(fits, key=lambda pair: pair[0].count("/"))
        parts, pattern = key.split("/"), old.split("/")
        stars = iter([part for part, sign in zip(parts, pattern, strict=False) if sign == "*"])
        named = [next(stars) if part == "*" else part for part in new.split("/")]
        return "/".join(named + parts[len(pattern) :])

    def went(self, key: str) -> bool:
        """Return whether an old key was declared to be gone."""
        return any(_fits(path, key) for path in self.gone)

    def came(self, key: str) -> bool:
        """Return whether a new key was declared to be new."""
        return any(_fits(path, key) for path in self.added)


@dataclass(frozen=True, slots=True)
class Declared:
    """Declared differences by study and file."""

    tables: Mapping[str, Mapping[str, Mapping[str, Any]]]

    def of(self, study: str, file: str) -> Renames:
        """Return what is declared for a file of a study."""
        fitting = [
            table
            for name, files in self.tables.items()
            if fnmatchcase(study, name)
            for pattern, table in files.items()
            if fnmatchcase(file, pattern)
        ]
        return Renames(
            tuple(pair for table in fitting for pair in table.get("renamed", {}).items()),
            tuple(key for table in fitting for key in table.get("gone", ())),
            tuple(key for table in fitting for key in table.get("added", ())),
        )


def read_declared(path: Path | None) -> Declared:
    """Return the declarations in a file; none without one.

    Raises
    ------
    ValueError
        If a table has another entry than the three.
    """
    if path is None:
        return Declared({})
    tables = tomllib.loads(path.read_text(encoding="utf-8"))
    _check(path, (table for files in tables.values() for table in files.values()))
    return Declared(tables)


def _check(path: Path, tables: Iterable[Mapping[str, Any]]) -> None:
    for table in tables:
        unknown = sorted(set(table) - set(KINDS))
        if unknown:
            raise ValueError(f"{path}: no entry {unknown[0]!r}; take {', '.join(KINDS)}")


def _fits(path: str, key: str) -> bool:
    pattern, parts = path.split("/"), key.split("/")
    return len(pattern) <= len(parts) and all(
        sign in ("*", part) for sign, part in zip(pattern, parts, strict=False)
    )
