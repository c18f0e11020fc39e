"""Tables as other programs write them: delimiter, byte-order mark, quotes, lines that count."""

import csv
import io
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from stimuli.errors import UserError
from stimuli.io.inside import refuse_odd

Array = np.ndarray

DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs"}
LONGEST_HEADER = 100_000  # characters; a longer first line isn't a header
_MISSING = frozenset({"", "NA", "N/A", "NaN", "nan"})
_SPREADSHEETS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")


@dataclass(frozen=True, slots=True)
class TextColumn:
    """A column's cells as text, each distinct text held once.

    Attributes
    ----------
    texts
        (k,) distinct cells, stripped; several may be equal after stripping.
    codes
        (n,) place in `texts` of every row's cell.
    """

    texts: Array
    codes: Array

    @property
    def missing(self) -> Array:
        """(k,) whether a text stands for no value: empty, NA, N/A or NaN."""
        return pd.Series(self.texts, dtype=object).isin(_MISSING).to_numpy()

    def first(self, odd: Array) -> int:
        """Return the first row whose text is among the (k,) odd ones; -1 for none."""
        rows = np.flatnonzero(np.asarray(odd, dtype=bool)[self.codes])
        return int(rows[0]) if len(rows) else -1

    def spread(self, values: Array) -> Array:
        """Return (n,) each row's value of (k,) values of the distinct texts."""
        return np.asarray(values)[self.codes]


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table's columns as text.

    Attributes
    ----------
    columns
        By name, in the file's order.
    delimiter
        The character between cells.
    lines
        (n,) line of the file on which each row begins, from 1.
    """

    columns: Mapping[str, TextColumn]
    delimiter: str
    lines: Array

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.lines)

    @property
    def decimal_comma(self) -> bool:
        """Whether commas are decimal points: they are if semicolons separate the cells."""
        return self.delimiter == ";"

    def with_columns(self, columns: Mapping[str, Sequence[str]]) -> "TextTable":
        """Return a table with the same rows and other columns."""
        made = {}
        for name, cells in columns.items():
            codes, texts = pd.factorize(np.asarray(cells, dtype=object))
            made[name] = TextColumn(np.asarray(texts, dtype=object), codes)
        return TextTable(made, self.delimiter, self.lines)


def read_text(path: Path, schema_names: Collection[str]) -> TextTable:
    """Return the cells of a CSV or TSV in UTF-8.

    Commas, semicolons or tabs separate the cells: the one with which the header holds the most
    known names, or in a tie the most names. Rows without any text are left out, but count as lines.

    Raises
    ------
    UserError
        One line, if the file can't be read, is empty, isn't such a table, names a column twice, or
        has a row with more cells than the header.
    """
    try:
        header, first = _top(path)
        delimiter = _delimiter(header, schema_names)
        names = [name.strip() for name in _cells(header, delimiter)]
        _check_names(path, names)
        columns = _read_columns(path, delimiter, names)
    except OSError as error:
        raise UserError(f"{path}: can't be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise UserError(f"{path}: is not UTF-8 text; save it as UTF-8 CSV") from None
    return _without_blank_rows(columns, delimiter, first)


def _top(path: Path) -> tuple[str, int]:
    """Return the header's record, and the line on which the first row begins."""
    refuse_odd(path)
    with path.open("rb") as stream:
        if stream.read(4) in _SPREADSHEETS:
            raise UserError(f"{path}: is a spreadsheet; save the sheet as CSV")
    with path.open(encoding="utf-8-sig", newline=None) as stream:
        header = stream.readline(LONGEST_HEADER)
        lines = 1
        while header.count('"') % 2 and len(header) < LONGEST_HEADER:
            more = stream.readline(LONGEST_HEADER)
            if not more:
                break
            header += more
            lines += 1
    if len(header) >= LONGEST_HEADER:
        raise UserError(f"{path}: its first line is longer than any header; is it a table?")
    if not header.strip():
        raise UserError(f"{path}: " + ("begins with an empty line" if header else "is empty"))
    return header, lines + 1


def _cells(record: str, delimiter: str) -> list[str]:
    return next(csv.reader(io.StringIO(record, newline=""), delimiter=delimiter), [])


def _delimiter(header: str, schema_names: Collection[str]) -> str:
    def fits(delimiter: str) -> tuple[int, int]:
        names = [name.strip() for name in _cells(header, delimiter)]
        return sum(name in schema_names for name in names), len(names)

    return max(DELIMITERS, key=fits)


def _check_names(path: Path, names: list[str]) -> None:
    twice = sorted({name for name in names if name and names.count(name) > 1})
    if twice:
        raise UserError(f"{path}: column occurs twice: {', '.join(twice)}")


def _read_columns(path: Path, delimiter: str, names: list[str]) -> dict[str, TextColumn]:
    try:
        with warnings.catch_warnings():
            # Becomes an error below: otherwise pandas would drop the cells beyond the header.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            frame = pd.read_csv(
                path,
                sep=delimiter,
                dtype="category",  # each distinct text once: text cells take several times as much
                keep_default_na=False,
                skip_blank_lines=False,
                index_col=False,
                encoding="utf-8-sig",
                compression=None,
            )
    except pd.errors.ParserWarning:
        raise UserError(f"{path}: a row has more cells than the header") from None
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        reason = " ".join(str(error).removeprefix("Error tokenizing data. C error: ").split())
        raise UserError(f"{path}: is not a CSV or TSV table ({reason})") from None
    frame.columns = pd.RangeIndex(len(names))
    return {
        name or f"column {place + 1}": _column(frame.iloc[:, place])
        for place, name in enumerate(names)
    }


def _column(cells: pd.Series) -> TextColumn:
    texts = [str(text).strip() for text in cells.cat.categories]
    codes = cells.cat.codes.to_numpy(dtype=np.int32)
    if len(codes) and codes.min() < 0:
        texts, codes = [*texts, ""], np.where(codes < 0, len(texts), codes)
    return TextColumn(np.array(texts, dtype=object), codes)


def _without_blank_rows(
    columns: dict[str, TextColumn], delimiter: str, first_line: int
) -> TextTable:
    n = len(next(iter(columns.values())).codes)
    breaks = np.zeros(n, dtype=np.int64)
    blank = np.ones(n, dtype=bool)
    for column in columns.values():
        breaks_inside = np.array([text.count("\n") for text in column.texts], dtype=np.int64)
        if breaks_inside.any():
            breaks += column.spread(breaks_inside)
        blank &= column.spread(column.texts == "")
    lines = first_line + np.arange(n) + np.concatenate([[0], np.cumsum(breaks)[:-1]])[:n]
    if blank.any():
        lines = lines[~blank]
        columns = {
            name: TextColumn(column.texts, column.codes[~blank]) for name, column in columns.items()
        }
    return TextTable(columns, delimiter, lines)


def or_none(values: Iterable[Any], empty: Sequence[bool] | np.ndarray | pd.Series) -> np.ndarray:
    """Return values (n,) as objects, with None if a cell is empty."""
    cells = np.array(list(values), dtype=object)
    cells[np.asarray(empty, dtype=bool)] = None
    return cells
