"""Answers of any system, recorded beforehand: a table with an answer for each item.

The system may be a chat model, a service or another program; nothing of it is run.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Final

from stimuli.errors import UserError
from stimuli.images.sets import NO_SOLUTION
from stimuli.names import Names, folded
from xai_backend.packs.table_lines import lines_of

NEEDED: Final = ("item", "answer")
OWN_COLUMNS: Final = frozenset({*NEEDED, "confidence", "rationale"})
NAMED: Final = 3
"""Items that a line names."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a system said of an item.

    Attributes
    ----------
    answer
        A label, as the set calls it if it knows it.
    confidence
        0…1; None if there is none.
    rationale
        What the system says for its answer; empty if nothing.
    in_language
        The rationale in languages that have their own, by IETF tag.
    where
        File and line, for messages.
    """

    answer: str
    confidence: float | None
    rationale: str
    in_language: Mapping[str, str] = field(default_factory=dict)
    where: str = ""


def read_answers(
    path: Path, items: Collection[str], labels: Collection[str], names: Names
) -> dict[str, Recorded]:
    """Return what a table has for a set's items; items without an answer are left out.

    Parameters
    ----------
    path
        A CSV or Parquet file with columns ``item`` (its path within the set, or its file's name or
        stem where that is unique), ``answer``, and, if known, ``confidence`` (0…1) and
        ``rationale``; one more column, headed by an IETF tag, for rationales of another language.
    items
        The set's.
    labels, names
        The set's labels, and what they are called: an answer is either, in any spelling.

    Raises
    ------
    UserError
        If it can't be read, lacks a column, names an item that isn't in the set, has two answers
        for one, or a confidence is impossible.
    """
    places = _places(items)
    known = _known(labels, names)
    found: dict[str, Recorded] = {}
    for line in lines_of(path, NEEDED):
        where, row = f"{path}, line {line.number}", line.cells
        own = places.get(row["item"].replace("\\", "/"), ())
        if len(own) != 1:
            trouble = "several items have this name" if own else "is not in --source"
            raise UserError(f"{where}: item {row['item']}: {trouble}")
        if own[0] in found:
            raise UserError(f"{where}: item {row['item']} has two answers; keep one")
        answer = row["answer"]
        found[own[0]] = Recorded(
            answer if answer in labels else known.get(folded(answer), answer),
            _confidence(row.get("confidence", ""), where),
            row.get("rationale", ""),
            {tag: text for tag, text in row.items() if tag not in OWN_COLUMNS and text},
            where,
        )
    return found


def missing_line(found: Mapping[str, Recorded], items: Collection[str], path: Path) -> str:
    """Return in a line which items have no answer; empty if all have one."""
    missing = sorted(set(items) - found.keys())
    if not missing:
        return ""
    more = ", …" if len(missing) > NAMED else ""
    return (
        f"{path.name}: no answer to {len(missing)} of {len(items)} items, which are left out "
        f"({', '.join(missing[:NAMED])}{more})"
    )


def _places(items: Collection[str]) -> dict[str, list[str]]:
    """Return items by each name that a table may have for them; the whole path is unique."""
    places: dict[str, list[str]] = {}
    for item in items:
        path = PurePosixPath(item)
        for name in {path.name, path.stem} - {item}:
            places.setdefault(name, []).append(item)
    return places | {item: [item] for item in items}


def _known(labels: Collection[str], names: Names) -> dict[str, str]:
    """Return labels by each of their spellings that is no other label's, too."""
    spelled: dict[str, set[str]] = {}
    for label in labels:
        words = {label, *(word for (other, _), word in names.items() if other == label)}
        for word in words:
            spelled.setdefault(folded(word), set()).add(label)
    known = {word: min(own) for word, own in spelled.items() if len(own) == 1}
    return {folded(NO_SOLUTION): NO_SOLUTION} | known


def _confidence(text: str, where: str) -> float | None:
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 1:
        raise UserError(f"{where}: confidence is {text!r}, not a number from 0 to 1")
    return value
