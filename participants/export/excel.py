"""A selection as workbooks of Excel, which opens CSV files by the rules of the PC's own country.

Where a comma is the decimal sign, it takes a CSV's 2.5 for a date, and umlauts for other signs.
"""

import io
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from participants.export.description import About, changes, protocol_files, readme
from participants.export.psych_ds import Tables, tables_of
from participants.export.selection import Selection, ShownFiles
from stimuli.io.tables import Cell

FORM = "workbooks of Excel"
FILES = """\
- `NAME.xlsx`: a study's tables, a sheet each. `columns` says what each column means.
- `materials/`: the protocols, every field spelled out, and the files that were shown where they
  were exported."""
LONGEST_NAME = 31
"""Largest number of characters in the name of a sheet."""


def excel_files(
    selection: Selection, about: About, shown_files: ShownFiles, today: date
) -> Iterator[tuple[str, bytes]]:
    """Yield all files by path; parameters as of `participants.export.psych_ds.psych_ds_files`."""
    yield "README.md", readme(selection, about, FORM, FILES).encode("utf-8")
    yield "CHANGES.md", changes(today).encode("utf-8")
    for study in selection.studies:
        yield f"{study.label}.xlsx", workbook(tables_of(selection, study, shown_files))
    yield from protocol_files(selection, "materials")
    for path, content in shown_files.files():
        yield f"materials/{path}", content


def workbook(tables: Tables) -> bytes:
    """Return tables as a workbook with a sheet for each, and one that describes all columns."""
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    described: list[list[Cell]] = [
        [name, column.name, column.unit, column.description]
        for name, (schema, _) in tables.items()
        for column in schema.columns
    ]
    sheets: Mapping[str, list[list[Cell]]] = {
        name: [list(schema.names), *([row[column] for column in schema.names] for row in rows)]
        for name, (schema, rows) in tables.items()
    } | {"columns": [["table", "column", "unit", "meaning"], *described]}
    for name, rows in sheets.items():
        sheet = book.create_sheet(name[:LONGEST_NAME])
        for row in rows:
            sheet.append([_cell(sheet, value) for value in row])
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def _cell(sheet: Any, value: Cell) -> Any:
    """Return a cell; a text stays a text, whatever it begins with."""
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

    if not isinstance(value, str):
        return value
    cell = WriteOnlyCell(sheet, ILLEGAL_CHARACTERS_RE.sub(" ", value))
    cell.data_type = "s"
    return cell
