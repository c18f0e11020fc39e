"""Sheets as rows of texts, the lines of their cells, and the inputs that the cells contain.

A row knows its file and number. A cell's lines are read in order, each by the form in which it is
written. Inputs and their changes are read in the form that the sheets use.
"""

import re
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, TypeVar

from openpyxl import load_workbook

from stimuli.errors import UserError, first_line
from stimuli.studies.simulatability.stimulus import Edit, TableInput, TextInput, edits_between
from xai_backend.studies.simulatability.trained import AnyInput

_FIELDS: Final[Mapping[str, str]] = {
    "text": r"(.+?)",
    "number": r"([+-]?\d+\.\d+)",
    "count": r"(\d+)",
}
T = TypeVar("T")
_MARKED: Final = re.compile(r"\*\*(.+)\*\*")


class Lines:
    """Lines still to be read, without empty lines and surrounding blanks.

    A line's form is written with the fields ``{text}``, ``{number}`` (such as -0.25) and
    ``{count}``, as in ``{text} | {number}``; one blank in it stands for any number of them.
    """

    def __init__(self, text: str) -> None:
        self._left = deque(line.strip() for line in text.splitlines() if line.strip())

    def __bool__(self) -> bool:
        return bool(self._left)

    def next(self, *forms: str) -> tuple[str, ...]:
        """Read the next line, and return its fields by the first form that fits.

        Raises
        ------
        ValueError
            If no line is left, or it has none of the forms.
        """
        for form in forms:
            found = self._fields(form)
            if found is not None:
                self._left.popleft()
                return found
        said = repr(self._left[0]) if self._left else "nothing"
        raise ValueError(f"{said} instead of {' or '.join(map(repr, forms))}")

    def all_of(self, form: str) -> list[tuple[str, ...]]:
        """Read lines as long as they fit a form, and return the fields of each."""
        found = []
        while (fields := self._fields(form)) is not None:
            self._left.popleft()
            found.append(fields)
        return found

    def end(self) -> None:
        """Check that all lines are read.

        Raises
        ------
        ValueError
            If one is left.
        """
        if self._left:
            raise ValueError(f"{self._left[0]!r} after the end of the explanation")

    def _fields(self, form: str) -> tuple[str, ...] | None:
        found = _pattern(form).fullmatch(self._left[0]) if self._left else None
        return found.groups() if found else None


@cache
def _pattern(form: str) -> re.Pattern[str]:
    written, *rest = re.split(r"\{(\w+)\}", form)
    parts = [_literal(written)]
    for field, then in zip(rest[::2], rest[1::2], strict=True):
        parts += [_FIELDS[field], _literal(then)]
    return re.compile("".join(parts))


def _literal(written: str) -> str:
    return r"\s+".join(re.escape(word) for word in written.split(" "))


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a sheet.

    Attributes
    ----------
    place
        File and row, for messages.
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
        """Read and return the content of cells.

        Parameters
        ----------
        columns
            The cells' columns.
        how
            Reads the cells from their lines; raises ValueError if it can't.

        Raises
        ------
        UserError
            If ``how`` can't read them, or lines are left.
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
    except Exception:  # openpyxl may raise anything on a damaged part
        raise UserError(f"{path}: isn't an xlsx file, or is damaged; copy it again") from None
    return [tuple("" if cell is None else str(cell).strip() for cell in line) for line in lines]


def read_sentence(lines: Lines) -> TextInput:
    """Read a sentence: a line whose tokens have blanks between them.

    Raises
    ------
    ValueError
        If there is no line.
    """
    return TextInput(tokens=tuple(lines.next("{text}")[0].split()))


def read_row(lines: Lines) -> TableInput:
    """Read a table's row: a line for each column, with its value.

    Raises
    ------
    ValueError
        If there is none.
    """
    pairs = [lines.next("{text} = {text}"), *lines.all_of("{text} = {text}")]
    columns, values = zip(*pairs, strict=True)
    return TableInput(columns=columns, values=values)


def read_edits(lines: Lines, original: AnyInput) -> tuple[Edit, ...]:
    """Read the changes of an input; return them by place.

    A changed sentence is a line that marks its new words, as in ``a **new** film``. For a table's
    row, each changed column has a line with its old and new value.

    Raises
    ------
    ValueError
        If a changed sentence doesn't have as many tokens as the original; if an unmarked word
        differs or a marked one doesn't; if the original doesn't hold a column's old value; if a
        column comes twice; if nothing is changed.
    """
    if isinstance(original, TextInput):
        edits = _marked_edits(lines, original)
    else:
        edits = _listed_edits(lines, original)
    if not edits:
        raise ValueError("no change is marked")
    return edits


def _marked_edits(lines: Lines, original: TextInput) -> tuple[Edit, ...]:
    shown = lines.next("{text}")[0].split()
    marks = [_MARKED.fullmatch(token) for token in shown]
    tokens = [mark[1] if mark else token for mark, token in zip(marks, shown, strict=True)]
    if len(tokens) != len(original.tokens):
        raise ValueError(
            f"the changed sentence has {len(tokens)} tokens, the original {len(original.tokens)}"
        )
    edits = edits_between(original, original.replaced(tokens))
    marked = {place for place, mark in enumerate(marks) if mark}
    for place in sorted(marked ^ {edit.place for edit in edits}):
        raise ValueError(
            f"token {place + 1}, {tokens[place]!r}, is marked or changed, but not both"
        )
    return edits


def _listed_edits(lines: Lines, original: TableInput) -> tuple[Edit, ...]:
    values = dict(zip(original.columns, original.values, strict=True))
    edits: dict[int, Edit] = {}
    for column, old, new in lines.all_of("{text} : {text} --> {text}"):
        if values.get(column) != old:
            raise ValueError(f"the row doesn't contain {column} = {old}")
        place = original.columns.index(column)
        if place in edits or old == new:
            raise ValueError(f"{column} is changed twice, or to its old value")
        edits[place] = Edit(place=place, old=old, new=new)
    return tuple(edits[place] for place in sorted(edits))
