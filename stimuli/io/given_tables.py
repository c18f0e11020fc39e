"""Tables that a user gives: rows of a CSV, a workbook, JSON or Parquet, all of them as texts."""

import csv
import io
import json
import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from zipfile import BadZipFile

from stimuli.errors import UserError, first_line
from stimuli.io.given_files import read_bytes, read_text
from stimuli.typed_text import JOINERS

SEPARATORS: Final = (",", ";", "\t")
"""What may stand between the cells of a CSV: Excel writes semicolons in many countries."""
SEPARATOR_LINE: Final = re.compile(r"\Asep=.\n")
"""What Excel writes above a table on request."""
PACKED: Final = b"PK\x03\x04"
"""How a workbook begins, whatever its name."""
OLD_WORKBOOK: Final = b"\xd0\xcf\x11\xe0"
Row = dict[str, str]


def rows_of(path: Path, needed: Sequence[str]) -> list[Row]:
    """Return a table's rows; see `numbered_rows`."""
    return [row for _, row in numbered_rows(path, needed)]


def numbered_rows(path: Path, needed: Sequence[str]) -> list[tuple[int, Row]]:
    """Return a table's rows as texts, without surrounding blanks and characters that show nothing.

    Rows have the numbers that a spreadsheet shows beside them, whatever the file: empty rows count,
    a cell of several lines is in one row, and in JSON and Parquet the columns' names are row 1.

    Parameters
    ----------
    path
        A text file of cells between commas, semicolons or tabs; or by its suffix a workbook
        (``.xlsx``) with one sheet, a list of objects (``.json``), one object a line (``.jsonl``),
        or Parquet (``.parquet``, ``.pq``).
    needed
        Columns that must be there and have no empty cell.

    Raises
    ------
    UserError
        If it can't be read, is empty, has a column twice or without a name beside cells, or lacks a
        column or a cell that is needed.
    """
    (_, head), *read = _READERS.get(path.suffix.lower(), _of_text)(path, needed)
    names = [_printable(name) for name in head]
    twice = sorted({name for name in names if name and names.count(name) > 1})
    if twice:
        raise UserError(f"{path}: the header names column {twice[0]} twice")
    missing = [name for name in needed if name not in names]
    if missing:
        raise UserError(f"{path}: column missing: {', '.join(missing)}")
    rows = []
    for number, cells in read:
        if len(cells) != len(names):
            raise UserError(
                f"{path}, row {number}: not as many cells as the header has; put a cell with a "
                "separator in it between quotes"
            )
        row = dict(zip(names, map(_printable, cells), strict=True))
        empty = [name for name in needed if not row[name]]
        if empty:
            raise UserError(f"{path}, row {number}: {empty[0]} is empty")
        rows.append((number, row))
    return rows


def _printable(cell: str) -> str:
    """Return a cell without control characters, byte order marks and the like."""
    if cell.isprintable():
        return cell.strip()
    return "".join(
        sign
        for sign in cell
        if sign in JOINERS or sign.isspace() or unicodedata.category(sign) not in ("Cc", "Cf")
    ).strip()


Table = list[tuple[int, list[str]]]
"""The cells of each row with its number, the header's first."""


def _of_text(path: Path, needed: Sequence[str]) -> Table:
    beginning = read_bytes(path)[: len(PACKED)]
    if beginning == PACKED:
        raise UserError(f"{path}: is a workbook; let its name end in .xlsx")
    if beginning == OLD_WORKBOOK:
        raise UserError(f"{path}: is a workbook of an old format; save it as .xlsx")
    text = SEPARATOR_LINE.sub("", read_text(path))
    if not text.strip():
        raise UserError(f"{path}: is empty")
    try:
        lines = max(
            (_filled(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
             for separator in SEPARATORS),
            key=lambda lines: (len({*needed} & {name.strip() for name in lines[0][1]}),
                               len(lines[0][1])),
        )  # fmt: skip
    except csv.Error as error:
        raise UserError(f"{path}: can't be read as CSV ({error})") from None
    return lines


def _filled(rows: Iterable[list[str]]) -> Table:
    """Return the rows that have cells, with their numbers."""
    return [(number, cells) for number, cells in enumerate(rows, start=1) if cells]


def _of_workbook(path: Path, _: Sequence[str]) -> Table:
    from openpyxl import load_workbook

    data = io.BytesIO(read_bytes(path))
    try:
        book = load_workbook(data, read_only=True, data_only=True)
        sheets = {sheet.title: [list(row) for row in sheet.values] for sheet in book.worksheets}
    except (BadZipFile, KeyError, ValueError, OSError, SyntaxError) as fault:
        raise UserError(f"{path}: can't be read as a workbook ({first_line(fault)})") from None
    filled = {
        title: rows
        for title, rows in sheets.items()
        if any(cell is not None for row in rows for cell in row)
    }
    if len(filled) > 1:
        raise UserError(f"{path}: has the sheets {', '.join(filled)}; keep one in the file")
    if not filled:
        raise UserError(f"{path}: is empty")
    (lines,) = filled.values()
    width = max(at for row in lines for at, cell in enumerate(row, start=1) if cell is not None)
    texts = ([cell_text(cell) for cell in row[:width]] for row in lines)
    return _filled(cells if any(cells) else [] for cells in texts)


def _of_json(path: Path, _: Sequence[str]) -> Table:
    objects = _parsed(read_text(path), str(path))
    if not isinstance(objects, list):
        raise UserError(f"{path}: is no list of objects")
    return _of_objects(objects, path)


def _of_json_lines(path: Path, _: Sequence[str]) -> Table:
    lines = [line for line in read_text(path).split("\n") if line.strip()]
    return _of_objects(
        [_parsed(line, f"{path}, line {number}") for number, line in enumerate(lines, start=1)],
        path,
    )


def _of_parquet(path: Path, _: Sequence[str]) -> Table:
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import read_table
    except ImportError:
        raise UserError(f"{path}: reading Parquet needs pyarrow; python3 lab.py setup") from None
    try:
        table = read_table(io.BytesIO(read_bytes(path)))
    except (OSError, ValueError, ArrowException) as fault:
        raise UserError(f"{path}: can't be read as Parquet ({first_line(fault)})") from None
    columns = [list(map(cell_text, column.to_pylist())) for column in table.columns]
    rows = ([*row] for row in zip(*columns, strict=True))
    return [*enumerate([list(table.column_names), *rows], start=1)]


def _of_objects(objects: Sequence[Any], path: Path) -> Table:
    for number, entry in enumerate(objects, start=1):
        if not isinstance(entry, Mapping):
            raise UserError(f"{path}: entry {number} is no object with a value for each column")
    if not objects:
        raise UserError(f"{path}: is empty")
    names = list(dict.fromkeys(name for entry in objects for name in entry))
    rows = ([cell_text(entry.get(name)) for name in names] for entry in objects)
    return [*enumerate([names, *rows], start=1)]


def _parsed(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as fault:
        raise UserError(f"{where}: is not valid JSON ({first_line(fault)})") from None


def cell_text(value: object) -> str:
    """Return a value as a CSV's cell: empty for none, whole numbers without a point."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, Iterable) and not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


_READERS: Final[Mapping[str, Callable[[Path, Sequence[str]], Table]]] = {
    ".xlsx": _of_workbook,
    ".xlsm": _of_workbook,
    ".json": _of_json,
    ".jsonl": _of_json_lines,
    ".ndjson": _of_json_lines,
    ".parquet": _of_parquet,
    ".pq": _of_parquet,
}
