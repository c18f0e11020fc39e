"""Sheets as rows of texts, each of which knows its file and number."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from openpyxl import load_workbook

from stimuli.errors import UserError, first_line
from xai_backend.studies.simulatability.sheets.lines import Lines

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a sheet.

    Attributes
    ----------
    place
        File and row, as they stand in messages.
    cells
        Texts by column, without surrounding blanks.
    """

    place: str
    cells: Mapping[str, str]

    @property
    def source_id(self) -> str:
        """The item's id in the data."""
        return self.cells["id"]

    def read(self, columns: Sequence[str], how: Callable[..., T]) -> T:
        """Return what cells say.

        Parameters
        ----------
        columns
            Their columns.
        how
            Reads them, from the lines of each; raises ValueError where it can't.

        Raises
        ------
        UserError
            If it can't, or leaves lines.
        """
        cells = [Lines(self.cells[column]) for column in columns]
        try:
            found = how(*cells)
            for lines in cells:
                lines.end()
        except ValueError as fault:
            said = first_line(fault)
            raise UserError(f"{self.place}, {' and '.join(columns)}: {said}") from None
        return found


def read_rows(path: Path, columns: Sequence[str]) -> tuple[Row, ...]:
    """Return the rows of a file's first sheet.

    Parameters
    ----------
    path
        An xlsx file whose first row names the columns.
    columns
        Columns to read; ``id`` is one of them. Others are left out.

    Raises
    ------
    UserError
        If the file is missing or damaged, a column is missing, a cell is empty, or an id comes
        twice.
    """
    header, *lines = _cells(path) or [()]
    missing = [name for name in columns if name not in header]
    if missing:
        raise UserError(f"{path}: column missing: {', '.join(missing)}")
    places = [header.index(name) for name in columns]
    rows: dict[str, Row] = {}
    for number, line in enumerate(lines, start=2):
        if not any(line):
            continue
        cells = {name: line[place] for name, place in zip(columns, places, strict=True)}
        empty = [name for name, cell in cells.items() if not cell]
        if empty:
            raise UserError(f"{path}, row {number}: {empty[0]} is empty")
        if cells["id"] in rows:
            raise UserError(f"{path}, row {number}: id {cells['id']} occurs twice")
        rows[cells["id"]] = Row(f"{path}, row {number}", cells)
    return tuple(rows.values())


def _cells(path: Path) -> list[tuple[str, ...]]:
    if not path.is_file():
        raise UserError(f"{path}: there is no such file; copy all published sheets")
    try:
        book = load_workbook(path, read_only=True, data_only=True)
        try:
            lines = list(book.worksheets[0].iter_rows(values_only=True))
        finally:
            book.close()
    except PermissionError:
        raise UserError(f"{path}: can't be read; change its permissions") from None
    except Exception:  # openpyxl fails in any way on a damaged part
        raise UserError(f"{path}: isn't an xlsx file, or is damaged; copy it again") from None
    return [tuple("" if cell is None else str(cell).strip() for cell in line) for line in lines]
