"""Read one table and check it column by column.

Each column's text becomes values, or an error says what is wrong with it. If a column is missing,
the error suggests the column that may have been meant.
"""

import difflib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.data.made_tables import TRIALS
from analysis.data.table_text import TextColumn, TextTable, or_none, read_text
from participants.dataset import table_files
from participants.dataset.study_tables import version_of
from stimuli.errors import UserError
from stimuli.io.tables import Column, TableSchema

Array = np.ndarray

TRUE = frozenset({"true", "t", "yes", "y", "1", "1.0", "wahr", "ja"})
FALSE = frozenset({"false", "f", "no", "n", "0", "0.0", "falsch", "nein"})
NOT_NEGATIVE = frozenset({"rt_s", "cutoff_s"})
TIMES = frozenset({"rt_s", "own_rt_s", "rt_corrected_s", "rating_rt_s", "typing_s"})
LONGEST_USUAL_S = 300.0
"""If half of the times to an answer are longer, they aren't in seconds."""
_LARGEST_WHOLE = 2.0**53

# What other programs call the columns that every study needs; compared without regard to case and
# punctuation.
_ALSO_CALLED = {
    "participant": ("subject", "subj", "subjectid", "sub", "id", "code", "person", "worker"),
    "item": ("stimulus", "stim", "image", "plate", "itemid", "trialitem"),
    "explained": ("explanation", "withexplanation", "condition"),
    "solver": ("source", "agent"),
    "decision": ("response", "answer", "choice", "verdict"),
    "method": ("condition", "explainer", "xai", "xaimethod", "technique"),
    "class": ("label", "category", "truelabel", "target", "classname"),
    "recognised": ("recognized", "correct", "success", "solved", "hit"),
    "step": ("revelationstep", "steps", "revealstep"),
    "pixels": ("pixel", "npixels", "pixelcount", "uncovered"),
    "rt_s": ("rt", "rts", "rtms", "reactiontime", "responsetime", "latency", "time"),
}

_ALIKE = 0.75

TRIAL: Final = "trial"


def typed(
    cells: TextColumn, column: Column, filled: bool, table: TextTable, *, by_suite: bool = False
) -> pd.Series:
    """Return a column's values as its schema says.

    Parameters
    ----------
    cells
        The column's text.
    column
        What it should hold.
    filled
        Whether no cell may be empty.
    table
        Its table, which gives line numbers and tells whether commas are decimal points.
    by_suite
        Whether the suite wrote the table: then no text but an empty one stands for nothing, since
        ``nan`` and ``NA`` may be labels. In the texts of other tables ``NA`` does, which R writes.

    Raises
    ------
    ValueError
        If a cell is empty but must not be, or doesn't fit the schema. The message names the first
        such cell and its line.
    """
    free = column.kind == "text" and column.levels is None
    nothing = ("",) if by_suite else ("", "NA")
    empty = np.isin(cells.texts, nothing) if free or (by_suite and column.levels) else cells.missing
    if filled and cells.first(empty) >= 0:
        raise ValueError(f"{column.name} is empty in line {table.lines[cells.first(empty)]}")
    refuse = _refuser(cells, column, table)
    if column.levels is not None:
        levels = list(column.levels)
        refuse(~empty & ~np.isin(cells.texts, levels), f"one of {', '.join(levels)}")
    if column.kind == "boolean":
        return _booleans(cells, empty, refuse)
    if column.kind in ("real", "integer"):
        return _numbers(cells, empty, column, table, refuse)
    return pd.Series(cells.spread(or_none(cells.texts, empty)), dtype=object)


def _refuser(cells: TextColumn, column: Column, table: TextTable) -> Callable[[Array, str], None]:
    def refuse(odd: Array, kind: str) -> None:
        row = cells.first(odd)
        if row >= 0:
            text = cells.texts[cells.codes[row]]
            excerpt = text if len(text) <= 60 else text[:57] + "..."
            raise ValueError(f"{column.name} is {excerpt!r} in line {table.lines[row]}, not {kind}")

    return refuse


def _booleans(cells: TextColumn, empty: Array, refuse: Callable[[Array, str], None]) -> pd.Series:
    folded = [text.casefold() for text in cells.texts]
    true = np.array([text in TRUE for text in folded], dtype=bool)
    false = np.array([text in FALSE for text in folded], dtype=bool)
    refuse(~empty & ~true & ~false, "true or false")
    values = pd.array(or_none(true, empty), dtype="boolean")
    return pd.Series(values.take(cells.codes))


def _numbers(
    cells: TextColumn,
    empty: Array,
    column: Column,
    table: TextTable,
    refuse: Callable[[Array, str], None],
) -> pd.Series:
    texts = pd.Series(or_none(cells.texts, empty), dtype=object)
    if table.decimal_comma:
        # A single comma is a decimal point. If there is a point too, we would have to guess.
        one_comma = texts.str.count(",").eq(1) & ~texts.str.contains(".", regex=False, na=False)
        texts = texts.where(~one_comma, texts.str.replace(",", ".", regex=False))
    values = pd.to_numeric(texts, errors="coerce").to_numpy(dtype=float)
    refuse(~empty & ~np.isfinite(values), "a number")
    if column.name in NOT_NEGATIVE:
        refuse(values < 0, "0 or more")
    if column.scale is not None:
        low, high = column.scale
        refuse(~empty & ~((values >= low) & (values <= high)), f"from {low} to {high}")
    if column.name in TIMES:
        _refuse_milliseconds(values[cells.codes], column, table)
    if column.kind == "integer":
        odd = (values % 1 != 0) | (np.abs(values) > _LARGEST_WHOLE)
        refuse(~empty & odd, "a whole number")
        whole = pd.array(values, dtype="Float64").astype("Int64")
        return pd.Series(whole.take(cells.codes))
    return pd.Series(cells.spread(values))


def _refuse_milliseconds(times: Array, column: Column, table: TextTable) -> None:
    """Refuse a column of times (n,), NaN if missing, that isn't in seconds."""
    known = np.flatnonzero(np.isfinite(times))
    if len(known) and np.median(times[known]) > LONGEST_USUAL_S:
        row = known[np.argmax(times[known] > LONGEST_USUAL_S)]
        raise ValueError(
            f"{column.name} is {times[row]:g} in line {table.lines[row]}, and half of the column "
            f"is over {LONGEST_USUAL_S:g}: it holds seconds, so divide milliseconds by 1000"
        )


def near_miss(column: str, names: Collection[str], required: Collection[str] = ()) -> str:
    """Return the column that was probably meant; an empty string if no name is similar.

    Parameters
    ----------
    column
        The name that the table lacks.
    names
        The table's own names.
    required
        Required names, which can't have been meant.
    """
    free = {_bare(name): name for name in names if name not in required}
    if _bare(column) in free:
        return free[_bare(column)]
    for other in _ALSO_CALLED.get(column, ()):
        if other in free:
            return free[other]
    close = difflib.get_close_matches(_bare(column), list(free), n=1, cutoff=_ALIKE)
    return free[close[0]] if close else ""


def missing_words(missing: Sequence[str], names: Collection[str], needed: Collection[str]) -> str:
    """Return the missing columns as ``rt_s (is it 'RT'?), solver``."""
    parts = []
    for name in missing:
        near = near_miss(name, names, needed)
        parts.append(f"{name} (is it {near!r}?)" if near else name)
    return ", ".join(parts)


def _bare(name: str) -> str:
    return "".join(sign for sign in name.casefold() if sign.isalnum())


@dataclass(frozen=True, slots=True)
class ExpectedTable:
    """What is known of a table before it is read.

    Attributes
    ----------
    schema
        What is known of the columns.
    required
        Columns that must be there.
    filled
        Columns that, if present, must have no empty cell; in the others empty is missing,
        and outside Plainsight's own tables ``NA``, too.
    words
        Words that a table from elsewhere may use in place of levels; None for Plainsight's own.
    compared
        Whether its rows are compared with journals, which reveals copies of rows.
    may_be_empty
        Whether it may have no rows.
    """

    schema: TableSchema
    required: Collection[str]
    filled: Collection[str]
    words: Mapping[str, Mapping[str, str]] | None = None
    compared: bool = False
    may_be_empty: bool = False


def read_table(path: Path, expected: ExpectedTable) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Return a table with the schema's columns typed, and what was odd about it.

    Parameters
    ----------
    path
        UTF-8; commas, semicolons (numbers may then have decimal commas) or tabs.
    expected
        What is known of it.

    Returns
    -------
    table : DataFrame
        text as object (None if missing), real as float64, integer as Int64, boolean as boolean;
        columns that the schema doesn't know as text, with empty cells as empty strings.
    notes : tuple of str
        What was odd.

    Raises
    ------
    UserError
        One line that names every missing and every ill-typed column, or the first copy of a row.
    """
    schema = expected.schema
    text = _of_present_version(read_text(path, schema.names), path, schema)
    if expected.words is not None:
        text = _in_our_words(text, schema, expected.words)
    missing = [name for name in expected.required if name not in text.columns]
    if missing:
        raise UserError(
            f"{path}: column missing: {missing_words(missing, text.columns, schema.names)}"
        )
    if not text.rows and not expected.may_be_empty:
        raise UserError(f"{path}: has a header and no rows")
    cells_of: dict[str, Any] = {}
    faults: list[str] = []
    columns = {column.name: column for column in schema.columns}
    for name, cells in text.columns.items():
        if name not in columns:
            cells_of[name] = cells.spread(cells.texts)
            continue
        try:
            cells_of[name] = typed(
                cells, columns[name], name in expected.filled, text, by_suite=expected.words is None
            )
        except ValueError as error:
            faults.append(str(error))
    if faults:
        raise UserError(f"{path}: " + "; ".join(faults))
    if not expected.compared:
        _refuse_copies(path, text, schema)
    texts = [
        column.name for column in schema.columns if column.kind == "text" and column.levels is None
    ]
    labels = () if expected.words is None else _labels_of_missing(path, text, texts)
    return pd.DataFrame(cells_of, copy=False), (*_reading_notes(path, text), *labels)


def _labels_of_missing(path: Path, text: TextTable, names: Sequence[str]) -> Iterator[str]:
    """Yield what was read as text, though some programs write it where there is no value."""
    for name in (name for name in names if name in text.columns):
        cells = text.columns[name]
        odd = cells.missing & ~np.isin(cells.texts, ("", "NA"))
        if odd.any():
            cell, count = cells.texts[odd][0], int(cells.spread(odd).sum())
            yield (
                f"In {path.name}, {cell!r} in the column {name} ({count} of {text.rows} rows) was "
                "read as a name, not as an empty cell; leave cells without a value empty."
            )


def _refuse_copies(path: Path, text: TextTable, schema: TableSchema) -> None:
    """Refuse rows that are alike in every column that the schema knows."""
    columns = {name: text.columns[name] for name in schema.names if name in text.columns}
    if _differ(list(columns.values()), text.rows):
        return
    codes = pd.DataFrame({name: cells.codes for name, cells in columns.items()})
    copies = np.flatnonzero(codes.duplicated())
    alike = (codes == codes.iloc[copies[0]]).all(axis=1).to_numpy()
    lines = f"line {text.lines[copies[0]]} repeats line {text.lines[alike.argmax()]}"
    numbered = TRIAL in columns or schema.name != TRIALS
    raise UserError(
        f"{path}: {lines}; copies of rows: {len(copies)}. Leave them out"
        + ("" if numbered else f"; number trials that are alike in a column {TRIAL}")
    )


def _differ(columns: list[TextColumn], rows: int) -> bool:
    """Return whether no two rows are alike; a few columns with many texts usually tell."""
    alike = np.zeros(rows, dtype=np.int64)
    for cells in sorted(columns, key=lambda cells: -len(cells.texts)):
        alike, distinct = pd.factorize(alike * len(cells.texts) + cells.codes)
        if len(distinct) == rows:
            return True
    return False


def _in_our_words(
    text: TextTable, schema: TableSchema, words: Mapping[str, Mapping[str, str]]
) -> TextTable:
    """Return a table with levels spelled as the schema has them."""
    columns = dict(text.columns)
    for column in schema.columns:
        if column.levels is not None and column.name in columns:
            known = {level.casefold(): level for level in column.levels}
            known |= words.get(column.name, {})
            cells = columns[column.name]
            spelled = [known.get(str(cell).casefold(), cell) for cell in cells.texts]
            columns[column.name] = replace(cells, texts=np.array(spelled, dtype=object))
    return replace(text, columns=columns)


def _reading_notes(path: Path, text: TextTable) -> tuple[str, ...]:
    if not text.decimal_comma:
        return ()
    return (
        f"The cells of {path.name} stand between semicolons; commas in its numbers were read as "
        "decimal points.",
    )


def _of_present_version(text: TextTable, path: Path, schema: TableSchema) -> TextTable:
    """Return a Plainsight table of an earlier version as the present version would write it."""
    tag = table_files.read_sidecar(path).tag
    if tag is None or tag == version_of(schema.name).tag:
        return text
    texts = {name: cells.spread(cells.texts).tolist() for name, cells in text.columns.items()}
    return text.with_columns(table_files.of_present_version(texts, path, schema))
