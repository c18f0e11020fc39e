"""Tables that a lab writes: their lines as texts, and what cells contain.

A cell may contain a number, or a whole row of another table. A table may have the answers of any
system, recorded beforehand, one for each item. The system may be a chat model, a service or another
program; no part of it is run.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Final

from stimuli.errors import UserError
from stimuli.images.sets import NO_SOLUTION
from stimuli.io.given_tables import numbered_rows
from stimuli.names import Names, folded


@dataclass(frozen=True, slots=True)
class Line:
    """A row of a table: its number in the file, as in `numbered_rows`, and its cells by column."""

    number: int
    cells: Mapping[str, str]


def lines_of(path: Path, needed: Sequence[str]) -> list[Line]:
    """Return a table's lines as texts.

    Parameters
    ----------
    path
        A table, as `stimuli.io.given_tables.numbered_rows` reads it.
    needed
        Columns that must be there and have no empty cell.

    Raises
    ------
    UserError
        If it can't be read, has no lines, or lacks a column or a cell that is needed.
    """
    rows = numbered_rows(path, needed)
    if not rows:
        raise UserError(f"{path}: has no lines below the header")
    return [Line(number, row) for number, row in rows]


BETWEEN: Final = "|"
EQUALS: Final = "="


def number_in(text: str, column: str) -> float:
    """Return a text as a number; ValueError with the column if it isn't a finite number."""
    try:
        number = float(text)
    except ValueError:
        raise ValueError(f"{column}: {text!r} isn't a number") from None
    if not math.isfinite(number):
        raise ValueError(f"{column}: {text} isn't finite")
    return number


def values_in(text: str, columns: Sequence[str], name: str) -> dict[str, str]:
    """Return the values of a cell such as ``Age = 50 | Work = student``, by column.

    Raises
    ------
    ValueError
        If a part isn't ``Column = value`` of one of the columns; the message names the cell's
        column.
    """
    values = {}
    for part in filter(None, map(str.strip, text.split(BETWEEN))):
        column, equals, value = (cell.strip() for cell in part.partition(EQUALS))
        if not equals or not value:
            raise ValueError(f"{name}: {part!r} isn't COLUMN = VALUE")
        if column not in columns:
            raise ValueError(f"{name}: {column!r} isn't a column")
        values[column] = value
    return values


ANSWER_NEEDS: Final = ("item", "answer")
ANSWER_COLUMNS: Final = frozenset({*ANSWER_NEEDS, "confidence", "rationale"})
NAMED: Final = 3
"""Most items that a line names."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A system's recorded answer to an item.

    Attributes
    ----------
    answer
        The label: as the set spells it, if the set has it.
    confidence
        0…1, or None.
    rationale
        The system's reason for its answer; empty if there is none.
    in_language
        Rationales in further languages, by IETF tag.
    where
        File and line, for messages.
    """

    answer: str
    confidence: float | None
    rationale: str
    in_language: Mapping[str, str] = field(default_factory=dict)
    where: str = ""


def read_answers(
    path: Path,
    items: Collection[str],
    labels: Collection[str],
    names: Names,
    *,
    others: bool = False,
) -> dict[str, Recorded]:
    """Return a table's answers to a set's items; items without an answer are left out.

    Parameters
    ----------
    path
        A table with columns ``item`` (its path within the set, or its file's name or
        stem where that is unique), ``answer``, and, if known, ``confidence`` (0…1) and
        ``rationale``; one more column, headed by an IETF tag, for rationales of another language.
    items
        The set's items.
    labels, names
        The set's labels and their names: an answer may be either, in any spelling.
    others
        Whether an answer may be something else; then it is shown as it is.

    Raises
    ------
    UserError
        If it can't be read, lacks a column, names an item that isn't in the set, has two answers
        for one, a confidence isn't within 0…1, or answers are no labels.
    """
    places = _places(items)
    known = _known(labels, names)
    answers: dict[str, Recorded] = {}
    for line in lines_of(path, ANSWER_NEEDS):
        where, row = f"{path}, row {line.number}", line.cells
        matches = places.get(row["item"].replace("\\", "/"), ())
        if len(matches) != 1:
            trouble = "several items have this name" if matches else "is not in --source"
            raise UserError(f"{where}: item {row['item']}: {trouble}")
        if matches[0] in answers:
            raise UserError(f"{where}: item {row['item']} has two answers; keep one")
        answer = row["answer"]
        answers[matches[0]] = Recorded(
            answer if answer in labels else known.get(folded(answer), answer),
            _confidence(row.get("confidence", ""), where),
            row.get("rationale", ""),
            {tag: text for tag, text in row.items() if tag not in ANSWER_COLUMNS and text},
            where,
        )
    strange = [
        recorded for recorded in answers.values() if recorded.answer not in {*labels, NO_SOLUTION}
    ]
    if strange and not others:
        examples = "; ".join(
            f"line {_line(recorded)} {recorded.answer!r}" for recorded in strange[:NAMED]
        )
        raise UserError(
            f"{path}: {len(strange)} of {len(answers)} answers are neither a label nor a label's "
            f"name: {examples}; correct them, name labels with --names, or take them as they are "
            "with --other-answers"
        )
    return answers


def _line(recorded: Recorded) -> str:
    return recorded.where.rpartition(" ")[2]


def missing_line(answers: Mapping[str, Recorded], items: Collection[str], path: Path) -> str:
    """Return a line that says which items have no answer; empty if all have one."""
    missing = sorted(set(items) - answers.keys())
    if not missing:
        return ""
    more = ", …" if len(missing) > NAMED else ""
    return (
        f"{path.name}: no answer to {len(missing)} of {len(items)} items, which are left out "
        f"({', '.join(missing[:NAMED])}{more})"
    )


def _places(items: Collection[str]) -> dict[str, list[str]]:
    """Return items by each name that a table may use for them; the whole path is unique."""
    places: dict[str, list[str]] = {}
    for item in items:
        path = PurePosixPath(item)
        for name in {path.name, path.stem} - {item}:
            places.setdefault(name, []).append(item)
    return places | {item: [item] for item in items}


def _known(labels: Collection[str], names: Names) -> dict[str, str]:
    """Return labels by each of their spellings; a spelling that two labels share is left out."""
    spelled: dict[str, set[str]] = {}
    for label in labels:
        words = {label, *(word for (other, _), word in names.items() if other == label)}
        for word in words:
            spelled.setdefault(folded(word), set()).add(label)
    known = {word: min(sharing) for word, sharing in spelled.items() if len(sharing) == 1}
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
