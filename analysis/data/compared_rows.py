"""Rows of a table, compared with those that journals and packs make of it.

Each row counts as often as it occurs, so that the order of rows doesn't matter. Other programs keep
fewer digits of a number, so numbers agree to nine digits.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isclose
from typing import Any, Final

import pandas as pd

from analysis.data.table_text import or_none, stands_for_nothing
from stimuli.io.tables import Column, Row, TableSchema

TOLERANCE: Final = 1e-9


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """A row's cells: the real numbers, and all others."""

    others: tuple[Any, ...]
    reals: tuple[float | None, ...]

    def agrees(self, other: "ComparedRow") -> bool:
        """Whether the real numbers of two rows agree."""
        return all(
            a == b
            if a is None or b is None
            else isclose(a, b, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
            for a, b in zip(self.reals, other.reals, strict=True)
        )


@dataclass(frozen=True, slots=True)
class Difference:
    """How a table differs from what it should be.

    Attributes
    ----------
    missing
        Rows that it lacks.
    changed
        Rows that it has and shouldn't have as they are; those that occur too often, too.
    """

    missing: int = 0
    changed: int = 0

    def __bool__(self) -> bool:
        return bool(self.missing or self.changed)

    def __add__(self, other: "Difference") -> "Difference":
        return Difference(self.missing + other.missing, self.changed + other.changed)


def difference(made: Iterable[ComparedRow], stored: Iterable[ComparedRow]) -> Difference:
    """Return how stored rows differ from those that were made; a changed row isn't missing too."""
    wanted, there = Counter(made), Counter(stored)
    lacking: dict[tuple[Any, ...], list[ComparedRow]] = {}
    for row in (wanted - there).elements():
        lacking.setdefault(row.others, []).append(row)
    odd = 0
    for row in (there - wanted).elements():
        alike = lacking.get(row.others, [])
        match = next((one for one in alike if one.agrees(row)), None)
        if match is None:
            odd += 1
        else:
            alike.remove(match)
    return Difference(max(0, sum(map(len, lacking.values())) - odd), odd)


def columns_of(schema: TableSchema, table: pd.DataFrame, *, older: bool) -> tuple[Column, ...]:
    """Return the columns that can be compared.

    Parameters
    ----------
    schema
        The columns.
    table
        As it was read.
    older
        Whether an older version wrote it: columns that it lacked were read as empty.
    """
    return tuple(
        column
        for column in schema.columns
        if not older or (column.name in table and table[column.name].notna().any())
    )


def stored_rows(table: pd.DataFrame, columns: Sequence[Column]) -> list[ComparedRow]:
    """Return the rows of a table that was read; a column that isn't there is empty."""
    cells = [
        or_none(table[column.name], table[column.name].isna())
        if column.name in table
        else [None] * len(table)
        for column in columns
    ]
    return [_row(row, columns) for row in zip(*cells, strict=True)]


def made_rows(rows: Iterable[Row], columns: Sequence[Column]) -> list[ComparedRow]:
    """Return rows as `stored_rows` returns them of a table into which they were written."""
    return [
        _row([_as_read(row[column.name], column) for column in columns], columns) for row in rows
    ]


def _row(cells: Sequence[Any], columns: Sequence[Column]) -> ComparedRow:
    both = list(zip(cells, columns, strict=True))
    return ComparedRow(
        tuple(cell for cell, column in both if column.kind != "real"),
        tuple(cell for cell, column in both if column.kind == "real"),
    )


def _as_read(value: Any, column: Column) -> Any:
    """Return a cell as it is read back from a file."""
    if value is None or column.kind != "text":
        return value
    text = column.write(value).strip()
    return None if stands_for_nothing(text) else text
