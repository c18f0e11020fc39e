"""Tables that a lab writes: the lines of a CSV or Parquet file, as texts."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from stimuli.errors import UserError, first_line
from stimuli.images.sets import rows_of

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
