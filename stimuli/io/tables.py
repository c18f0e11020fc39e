"""Tables with a schema: one description makes writer, reader, sidecar and docs."""

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from stimuli.errors import UserError
from stimuli.io.given_files import read_bytes

Kind = Literal["text", "integer", "real", "boolean"]
Cell = str | int | float | bool | None
Row = dict[str, Cell]
TextColumns = Mapping[str, Sequence[str]]
"""A table as in a file: the texts of each column, in order."""

TRUE, FALSE = "true", "false"
FORMULA_STARTS = ("=", "+", "-", "@", "\t")
"""Characters that begin a spreadsheet formula, so that it would run what a participant typed."""
QUOTE = "'"
"""Prefix for text cells that begin with one of `FORMULA_STARTS` or with this character."""


def whole_number(cell: Cell) -> int:
    """Return the value of a non-empty cell of an integer column."""
    assert isinstance(cell, int)
    return cell


def text_or_none(cell: Cell) -> str | None:
    """Return the value of a cell of a text column, None where it is empty."""
    assert cell is None or isinstance(cell, str)
    return cell


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name, what its cells are and what they mean.

    Attributes
    ----------
    name
        As in the header; a unit is part of the name (``_s``, ``_px``).
    kind
        ``text``, ``integer``, ``real`` or ``boolean`` (written ``true``/``false``).
    description
        One sentence for the data dictionary.
    unit
        Unit in words or symbols; empty where there is none.
    levels
        All allowed values, with their meaning; empty if any value is allowed.
    optional
        Whether a cell may be empty (read as None).
    typed
        Whether the column holds words that people typed; exports leave these out unless asked.
    scale
        Smallest and largest allowed value, such as a rating's; None for any number.
    """

    name: str
    kind: Kind
    description: str
    unit: str = ""
    levels: Mapping[str, str] | None = None
    optional: bool = False
    typed: bool = False
    scale: tuple[int, int] | None = None

    def parse(self, text: str) -> Cell:
        """Return a cell's value.

        Raises
        ------
        ValueError
            If the text is not of this column's kind, not one of its levels, or off its scale.
        """
        if text == "":
            if self.optional:
                return None
            raise ValueError("is empty")
        if self.levels is not None and text not in self.levels:
            raise ValueError(f"is {text!r}, not one of {', '.join(self.levels)}")
        value = _PARSERS[self.kind](_unquoted(text) if self.kind == "text" else text)
        if self.scale is not None and not self.scale[0] <= float(value) <= self.scale[1]:
            raise ValueError(f"is {text}, not from {self.scale[0]} to {self.scale[1]}")
        return value

    def write(self, value: Cell) -> str:
        """Return a value's text.

        Raises
        ------
        ValueError
            If the value could not be read back by `parse`.
        """
        text = text_of(value)
        if self.kind == "real" and isinstance(value, int) and not isinstance(value, bool):
            text = repr(float(value))
        if "\r" in text or "\0" in text:
            raise ValueError("holds a carriage return or a null, which no CSV reader keeps")
        free = self.kind == "text" and self.levels is None
        if free and text.startswith((*FORMULA_STARTS, QUOTE)):
            text = QUOTE + text
        self.parse(text)
        return text


@dataclass(frozen=True, slots=True)
class TableSchema:
    """A table's name, meaning and columns, in order.

    Raises
    ------
    UserError
        If two columns have the same name, such as a study's own and one that all tables have.
    """

    name: str
    description: str
    columns: tuple[Column, ...]

    def __post_init__(self) -> None:
        names = self.names
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise UserError(f"table {self.name}: has two columns {twice}; leave out your own")

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns, in order."""
        return tuple(column.name for column in self.columns)

    def column(self, name: str) -> Column:
        """Return the column of that name; KeyError if there is none."""
        return {column.name: column for column in self.columns}[name]

    def to_csv(self, rows: Iterable[Mapping[str, Cell]]) -> bytes:
        """Return rows as CSV: UTF-8, header first, ``\\n`` line ends, empty for None.

        Raises
        ------
        ValueError
            If a row lacks a column, has one too many, or a cell is not of its kind.
        """
        stream = io.StringIO(newline="")
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(self.names)
        for number, row in enumerate(rows, start=1):
            if set(row) != set(self.names):
                odd = sorted(set(row) ^ set(self.names))
                raise ValueError(f"table {self.name}, row {number}: columns differ: {odd}")
            writer.writerow([self._write_cell(column, row, number) for column in self.columns])
        return stream.getvalue().encode("utf-8")

    def from_csv(
        self, data: bytes, where: str, upgrade: Callable[[TextColumns], TextColumns] | None = None
    ) -> list[Row]:
        """Return the rows of a CSV; columns that the schema doesn't know stay as text.

        Parameters
        ----------
        data
            The file's bytes, UTF-8.
        where
            The file, for the message.
        upgrade
            Returns an earlier version's columns as this schema's.

        Raises
        ------
        UserError
            If a column is missing or a cell is not of its kind; the message names it and the row.
        """
        columns = text_columns(data, where)
        if upgrade is not None:
            columns = upgrade(columns)
        missing = [name for name in self.names if name not in columns]
        if missing:
            raise UserError(f"{where}: column missing: {', '.join(missing)}")
        try:
            values = {name: self._read_column(name, texts) for name, texts in columns.items()}
        except ValueError:
            return self._read_rows(columns, where)
        return _rows_of(values)

    def read(
        self, path: Path, upgrade: Callable[[TextColumns], TextColumns] | None = None
    ) -> list[Row]:
        """Return the rows of a CSV file; UserError as in `from_csv`, or if it can't be read."""
        return self.from_csv(read_bytes(path), str(path), upgrade)

    def _read_column(self, name: str, texts: Sequence[str]) -> Sequence[Cell]:
        """Return a column's cells; each text is parsed once, however often it occurs."""
        column = next((column for column in self.columns if column.name == name), None)
        if column is None:
            return texts
        parsed = {text: column.parse(text) for text in set(texts)}
        return [parsed[text] for text in texts]

    def _read_rows(self, columns: TextColumns, where: str) -> list[Row]:
        """Read row by row, to find the first cell that is wrong."""
        rows = enumerate(_rows_of(columns), start=2)
        return [self._read_row(row, number, where) for number, row in rows]

    def _read_row(self, row: Mapping[str, str], number: int, where: str) -> Row:
        known = {column.name: column for column in self.columns}
        values: Row = {}
        for name, text in row.items():
            try:
                values[name] = known[name].parse(text) if name in known else text
            except ValueError as error:
                raise UserError(f"{where}, line {number}: {name} {error}") from None
        return values

    def _write_cell(self, column: Column, row: Mapping[str, Cell], number: int) -> str:
        try:
            return column.write(row[column.name])
        except ValueError as error:
            message = f"table {self.name}, row {number}: {column.name} {error}"
            raise ValueError(message) from None


def sidecar(schema: TableSchema) -> dict[str, Any]:
    """Return the JSON sidecar (BIDS style) that documents a table's columns."""
    described: dict[str, Any] = {}
    for column in schema.columns:
        entry: dict[str, Any] = {"Description": column.description}
        if column.unit:
            entry["Units"] = column.unit
        if column.levels is not None:
            entry["Levels"] = dict(column.levels)
        described[column.name] = entry
    return described


def levels(*names: str, **described: str) -> dict[str, str]:
    """Return levels: bare names describe themselves, keywords give a description."""
    return {**{name: name for name in names}, **described}


def _rows_of(columns: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def text_columns(data: bytes, where: str) -> TextColumns:
    """Return a CSV's columns as text; UserError if it isn't a table."""
    reader = csv.DictReader(io.StringIO(_decode(data, where), newline=""))
    try:
        names, rows = reader.fieldnames or (), list(reader)
    except csv.Error as error:
        raise UserError(f"{where}: is not a CSV table ({error})") from None
    for number, row in enumerate(rows, start=2):
        if None in row or None in row.values():
            raise UserError(f"{where}, line {number}: not as many cells as the header has")
    return {name: [row[name] for row in rows] for name in names}


def _decode(data: bytes, where: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UserError(f"{where}: is not UTF-8 text; save it as UTF-8 CSV") from None


def _unquoted(text: str) -> str:
    quoted = text.startswith(QUOTE) and text[1:].startswith((*FORMULA_STARTS, QUOTE))
    return text[1:] if quoted else text


def text_of(value: Cell) -> str:
    """Return a cell's text as written to files; empty for None."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return TRUE if value else FALSE
    return repr(value) if isinstance(value, float) else str(value)


def _parse_boolean(text: str) -> bool:
    folded = text.lower()
    if folded not in (TRUE, FALSE):
        raise ValueError(f"is {text!r}, not true or false")
    return folded == TRUE


def _parse_integer(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"is {text!r}, not a whole number") from None


def _parse_real(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"is {text!r}, not a number") from None


_PARSERS = {
    "text": str,
    "integer": _parse_integer,
    "real": _parse_real,
    "boolean": _parse_boolean,
}


def concatenate(parts: Sequence[TableSchema], name: str, description: str) -> TableSchema:
    """Return a schema with the columns of several, in order."""
    columns = tuple(column for part in parts for column in part.columns)
    return TableSchema(name, description, columns)
