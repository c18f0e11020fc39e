"""Tables that a lab writes: lines of a CSV or Parquet file, numbers, and rows in one cell."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from stimuli.errors import UserError, first_line
from stimuli.images.sets import rows_of

BETWEEN: Final = "|"
EQUALS: Final = "="
PARQUET: Final = (".parquet", ".pq")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a table: its number in the file (the header is 1), and its cells by column."""

    number: int
    cells: Mapping[str, str]


def lines_of(path: Path, needed: Sequence[str]) -> list[Line]:
    """Return a table's lines as texts.

    Parameters
    ----------
    path
        A CSV in UTF-8, or a Parquet file by its ending.
    needed
        Columns without an empty cell.

    Raises
    ------
    UserError
        If it can't be read, has no lines, or lacks a column or a cell that is needed.
    """
    rows = _of_parquet(path, needed) if path.suffix.lower() in PARQUET else rows_of(path, needed)
    if not rows:
        raise UserError(f"{path}: has no lines below the header")
    return [Line(number, row) for number, row in enumerate(rows, start=2)]


def _of_parquet(path: Path, needed: Sequence[str]) -> list[dict[str, str]]:
    import pandas as pd  # it takes a second, and most builds read CSVs

    try:
        frame = pd.read_parquet(path)
    except (OSError, ValueError, ImportError) as fault:
        raise UserError(f"{path}: can't be read as Parquet ({first_line(fault)})") from None
    missing = [name for name in needed if name not in frame.columns]
    if missing:
        raise UserError(f"{path}: column missing: {', '.join(missing)}")
    rows = [
        {str(name): _cell(value) for name, value in row.items()} for row in frame.to_dict("records")
    ]
    for number, row in enumerate(rows, start=2):
        empty = [name for name in needed if not row[name]]
        if empty:
            raise UserError(f"{path}, line {number}: {empty[0]} is empty")
    return rows


def _cell(value: object) -> str:
    """Return a value as a CSV has it: nothing for what is missing, a list as JSON has it."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    tolist = getattr(value, "tolist", None)
    return str(value if tolist is None else tolist()).strip()


def number_in(text: str, column: str) -> float:
    """Return a number; ValueError, which names the column, if it is none or isn't finite."""
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
        Which names the cell's column, if a part isn't ``Column = value`` of one of the columns.
    """
    values = {}
    for part in filter(None, map(str.strip, text.split(BETWEEN))):
        column, equals, value = (own.strip() for own in part.partition(EQUALS))
        if not equals or not value:
            raise ValueError(f"{name}: {part!r} isn't COLUMN = VALUE")
        if column not in columns:
            raise ValueError(f"{name}: {column!r} isn't a column")
        values[column] = value
    return values
