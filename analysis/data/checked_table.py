"""One table in: read, and checked column by column."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.data.made_tables import TRIALS
from analysis.data.table_text import TextTable, read_text
from analysis.data.typed_cells import missing_words, typed
from participants.dataset import sidecar
from participants.dataset.columns import versions
from stimuli.errors import UserError
from stimuli.io.tables import TableSchema

TRIAL: Final = "trial"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is known of a table before it is read.

    Attributes
    ----------
    schema
        What is known of the columns.
    required
        Columns that must be there.
    filled
        Columns (where there) without an empty cell; elsewhere empty or ``NA`` is missing.
    words
        What a table from elsewhere may say in place of levels; None for ours.
    compared
        Whether its rows are compared with journals, which tell copies of rows.
    may_be_empty
        Whether it may have no rows.
    """

    schema: TableSchema
    required: Collection[str]
    filled: Collection[str]
    words: Mapping[str, Mapping[str, str]] | None = None
    compared: bool = False
    may_be_empty: bool = False


def read_table(path: Path, wanted: Wanted) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Return a table with the schema's columns typed, and what was odd about it.

    Parameters
    ----------
    path
        UTF-8; commas, semicolons (numbers may then have decimal commas) or tabs.
    wanted
        What is known of it.

    Returns
    -------
    table : DataFrame
        text as object (None where missing), real as float64, integer as Int64, boolean
        as boolean; columns that the schema doesn't know as text, empty where empty.
    notes : tuple of str
        What was odd.

    Raises
    ------
    UserError
        One line that names every missing and every ill-typed column, or the first copy of a row.
    """
    schema = wanted.schema
    text = _of_present_version(read_text(path, schema.names), path, schema)
    if wanted.words is not None:
        text = _in_our_words(text, schema, wanted.words)
    missing = [name for name in wanted.required if name not in text.columns]
    if missing:
        raise UserError(
            f"{path}: column missing: {missing_words(missing, text.columns, schema.names)}"
        )
    if not text.rows and not wanted.may_be_empty:
        raise UserError(f"{path}: has a header and no rows")
    cells_of: dict[str, Any] = {}
    faults: list[str] = []
    known = {column.name: column for column in schema.columns}
    for name, cells in text.columns.items():
        if name not in known:
            cells_of[name] = cells.spread(cells.texts)
            continue
        try:
            cells_of[name] = typed(cells, known[name], name in wanted.filled, text)
        except ValueError as error:
            faults.append(str(error))
    if faults:
        raise UserError(f"{path}: " + "; ".join(faults))
    if not wanted.compared:
        _refuse_copies(path, text, schema)
    return pd.DataFrame(cells_of), _reading_notes(path, text)


def _refuse_copies(path: Path, text: TextTable, schema: TableSchema) -> None:
    """Refuse rows that are alike in every column that the schema knows."""
    own = {name: text.columns[name].codes for name in schema.names if name in text.columns}
    codes = pd.DataFrame(own)
    copies = np.flatnonzero(codes.duplicated())
    if not len(copies):
        return
    alike = (codes == codes.iloc[copies[0]]).all(axis=1).to_numpy()
    lines = f"line {text.lines[copies[0]]} repeats line {text.lines[alike.argmax()]}"
    numbered = TRIAL in own or schema.name != TRIALS
    raise UserError(
        f"{path}: {lines}; copies of rows: {len(copies)}. Leave them out"
        + ("" if numbered else f"; number trials that are alike in a column {TRIAL}")
    )


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
            said = [known.get(str(cell).casefold(), cell) for cell in cells.texts]
            columns[column.name] = replace(cells, texts=np.array(said, dtype=object))
    return replace(text, columns=columns)


def _reading_notes(path: Path, text: TextTable) -> tuple[str, ...]:
    if not text.decimal_comma:
        return ()
    return (
        f"The cells of {path.name} stand between semicolons; commas in its numbers were read as "
        "decimal points.",
    )


def _of_present_version(text: TextTable, path: Path, schema: TableSchema) -> TextTable:
    """Return a table of ours that an older version wrote as this one would have."""
    tag = sidecar.read_sidecar(path).tag
    if tag is None or tag == versions()[schema.name].tag:
        return text
    texts = {name: cells.spread(cells.texts).tolist() for name, cells in text.columns.items()}
    return text.with_columns(sidecar.of_present_version(texts, path, schema))
