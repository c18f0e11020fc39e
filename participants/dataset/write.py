"""Tables of a data folder: each a CSV with a JSON sidecar, replaced whole."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from participants.dataset.columns import ANNOTATIONS, ITEM_TABLES, TRIALS
from participants.files import make_private, write_file
from participants.folder import DataFolder
from stimuli.errors import UserError
from stimuli.tables import Cell, Row, TableSchema, sidecar

TRIALS_TABLE: Final = "trials"
ITEMS_TABLE: Final = "items"
ANNOTATIONS_TABLE: Final = "annotations"


def write_trials(data: DataFolder, study: str, rows: Iterable[Mapping[str, Cell]]) -> Path:
    """Write ``tables/trials.csv`` and its sidecar, and return the table's path.

    Parameters
    ----------
    data
        The data folder.
    study
        Whose columns the rows have; see `participants.dataset.columns.TRIALS`.
    rows
        One a main trial, in order.

    Raises
    ------
    ValueError
        If a row doesn't fit the columns; nothing is written then.
    UserError
        If the folder can't be written or another program keeps the file open.
    """
    return _write(data, TRIALS_TABLE, _schema(TRIALS, study), rows)


def write_items(data: DataFolder, study: str, rows: Iterable[Mapping[str, Cell]]) -> Path:
    """Write ``tables/items.csv``, one row as in the pack's item table; as `write_trials`."""
    return _write(data, ITEMS_TABLE, _schema(ITEM_TABLES, study), rows)


def write_annotations(data: DataFolder, rows: Iterable[Mapping[str, Cell]]) -> Path:
    """Write ``tables/annotations.csv``, one row an expert's answer; as `write_trials`."""
    return _write(data, ANNOTATIONS_TABLE, ANNOTATIONS, rows)


def read_trials(data: DataFolder, study: str) -> list[Row]:
    """Return the rows of ``tables/trials.csv``; UserError if it is missing or ill-typed."""
    return _schema(TRIALS, study).read(_place(data, TRIALS_TABLE))


def read_items(data: DataFolder, study: str) -> list[Row]:
    """Return the rows of ``tables/items.csv``; UserError if it is missing or ill-typed."""
    return _schema(ITEM_TABLES, study).read(_place(data, ITEMS_TABLE))


def read_annotations(data: DataFolder) -> list[Row]:
    """Return the rows of ``tables/annotations.csv``; UserError if missing or ill-typed."""
    return ANNOTATIONS.read(_place(data, ANNOTATIONS_TABLE))


def _schema(schemas: Mapping[str, TableSchema], study: str) -> TableSchema:
    if study not in schemas:
        raise UserError(f"no study {study!r}; there is: {', '.join(sorted(schemas))}")
    return schemas[study]


def _place(data: DataFolder, name: str) -> Path:
    return data.tables / f"{name}.csv"


def _write(
    data: DataFolder, name: str, schema: TableSchema, rows: Iterable[Mapping[str, Cell]]
) -> Path:
    table = schema.to_csv(rows)
    described = json.dumps(sidecar(schema), indent=2, ensure_ascii=False) + "\n"
    path = _place(data, name)
    make_private(path.parent)
    write_file(path.with_suffix(".json"), described.encode("utf-8"))
    write_file(path, table)
    return path
