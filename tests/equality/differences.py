"""Two records compared: each difference by study, file and key, with the old and the new value."""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from tests.equality.renames import Declared, Renames

MACHINE = "machine.json"
ABSENT = "(absent)"
SHORT = 160
"""Longer values are cut where they are printed."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference: where it is, and both values as text."""

    study: str
    file: str
    key: str
    old: str
    new: str

    def __str__(self) -> str:
        where = f"{self.study}  {self.file}  {self.key}".rstrip()
        return f"{where}\n    old: {_cut(self.old)}\n    new: {_cut(self.new)}"


def compare_records(
    old: Path, new: Path, declared: Declared, studies: Sequence[str] = ()
) -> list[Difference]:
    """Return how two records differ, but for what is declared.

    Parameters
    ----------
    old, new
        Folders that `tests.equality.record.write_record` wrote.
    declared
        Differences that are meant.
    studies
        Only these; all that either folder holds if empty.
    """
    names = studies or sorted({path.name for folder in (old, new) for path in folder.iterdir()})
    return [
        difference
        for study in names
        if study != MACHINE
        for difference in _of_study(old / study, new / study, study, declared)
    ]


def other_machine(old: Path, new: Path) -> list[str]:
    """Return what of the machine differs between two records, one line each."""
    values = [json.loads((folder / MACHINE).read_text(encoding="utf-8")) for folder in (old, new)]
    keys = sorted(values[0].keys() | values[1].keys())
    return [
        f"{key}: {values[0].get(key)} -> {values[1].get(key)}"
        for key in keys
        if values[0].get(key) != values[1].get(key)
    ]


def _of_study(old: Path, new: Path, study: str, declared: Declared) -> Iterator[Difference]:
    olds, news = _files(old), _files(new)
    whole = declared.of(study, "files")
    olds = {whole.new_key(name): path for name, path in olds.items() if not whole.went(name)}
    for name in sorted(olds.keys() | news.keys()):
        if name not in olds:
            if not whole.came(name):
                yield Difference(study, name, "", ABSENT, "(a file)")
        elif name not in news:
            yield Difference(study, name, "", "(a file)", ABSENT)
        else:
            values = (olds[name].read_bytes(), news[name].read_bytes())
            for key, was, now in _of_file(name, *values, declared.of(study, name)):
                yield Difference(study, name, key, was, now)


def _files(folder: Path) -> dict[str, Path]:
    paths = sorted(folder.rglob("*")) if folder.is_dir() else [folder]
    return {
        path.relative_to(folder).as_posix() if folder.is_dir() else "": path
        for path in paths
        if path.is_file()
    }


def _of_file(name: str, old: bytes, new: bytes, names: Renames) -> Iterator[tuple[str, str, str]]:
    if old == new and names == Renames():
        return
    texts = old.decode("utf-8"), new.decode("utf-8")
    if name.endswith(".json"):
        yield from _of_json(*texts, names)
    elif name.endswith(".csv"):
        yield from _of_csv(*texts, names)
    else:
        yield from _of_lines(*texts, names)


def flattened(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the values that are no containers, and empty containers, by their path."""
    if isinstance(value, dict | list) and value:
        parts = value.items() if isinstance(value, dict) else enumerate(value)
        for name, part in parts:
            written = str(name).replace("/", "~1")
            yield from flattened(part, f"{key}/{written}" if key else written)
    else:
        yield key, value


def _of_json(old: str, new: str, names: Renames) -> Iterator[tuple[str, str, str]]:
    olds = [pair for pair in flattened(json.loads(old)) if not names.went(pair[0])]
    news = {key: value for key, value in flattened(json.loads(new)) if not names.came(key)}
    named = {names.new_key(key): value for key, value in olds}
    if len(named) < len(olds):
        yield "", "two old keys have the same new name", ""
    for key in [*named, *(key for key in news if key not in named)]:
        if key not in news or key not in named or not _same(named[key], news[key]):
            yield key, _shown(named, key), _shown(news, key)


def _same(old: Any, new: Any) -> bool:
    """Compare by value: 1 is 1.0, but not true."""
    return isinstance(old, bool) == isinstance(new, bool) and old == new


def _shown(values: Mapping[str, Any], key: str) -> str:
    return json.dumps(values[key], ensure_ascii=False) if key in values else ABSENT


def _of_csv(old: str, new: str, names: Renames) -> Iterator[tuple[str, str, str]]:
    (heads, *olds), (columns, *news) = _rows(old), _rows(new)
    kept = {names.new_key(name): k for k, name in enumerate(heads) if not names.went(name)}
    there = {name: k for k, name in enumerate(columns) if not names.came(name)}
    for name in sorted(kept.keys() ^ there.keys()):
        was, now = ("(a column)", ABSENT) if name in kept else (ABSENT, "(a column)")
        yield f"column {name}", was, now
    shared = [name for name in kept if name in there]
    pairs = [
        [_cells(row, at, shared) for row in rows] for rows, at in ((olds, kept), (news, there))
    ]
    if len(olds) != len(news):
        yield from _of_rows(*pairs)
        return
    found = False
    for number, (was, now) in enumerate(zip(*pairs, strict=True), start=1):
        for name, one, other in zip(shared, was, now, strict=True):
            if one != other:
                found = True
                yield f"row {number}, column {name}", one, other
    if not found and kept.keys() == there.keys() and list(kept) != list(there):
        yield "", f"columns in the order {', '.join(kept)}", f"in the order {', '.join(there)}"
    elif not found and names == Renames() and heads == columns:
        yield "", "the same cells", "written by other bytes (line ends, quotes)"


def _rows(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline=""))) or [[]]


def _cells(row: Sequence[str], places: Mapping[str, int], names: Sequence[str]) -> tuple[str, ...]:
    return tuple(row[places[name]] for name in names)


def _of_rows(
    old: Sequence[tuple[str, ...]], new: Sequence[tuple[str, ...]]
) -> Iterator[tuple[str, str, str]]:
    for kind, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            was = "; ".join(",".join(row) for row in old[i:j]) or ABSENT
            now = "; ".join(",".join(row) for row in new[k:m]) or ABSENT
            yield f"row {i + 1}", was, now


def _of_lines(old: str, new: str, names: Renames) -> Iterator[tuple[str, str, str]]:
    olds = [_anchored(line, names) for line in old.splitlines()]
    news = new.splitlines()
    for kind, i, j, k, m in SequenceMatcher(None, olds, news, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        for step in range(max(j - i, m - k)):
            was = olds[i + step] if i + step < j else ABSENT
            now = news[k + step] if k + step < m else ABSENT
            yield f"line {min(i + step, j) + 1}{_under(olds, i)}", was, now


def _anchored(line: str, names: Renames) -> str:
    """Return a line with the new name of its anchor, if one was declared."""
    for begin in ("section#", "a#"):
        if line.startswith(begin):
            anchor, colon, text = line[len(begin) - 1 :].partition(":")
            return begin[:-1] + names.new_key(anchor) + colon + text
    return line


def _under(lines: Sequence[str], place: int) -> str:
    heads = [line for line in lines[: place + 1] if line.startswith(("section#", "# ", "## "))]
    return f", in {heads[-1]}" if heads else ""


def _cut(text: str) -> str:
    return text if len(text) <= SHORT else f"{text[: SHORT - 1]}…"
