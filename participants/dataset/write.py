"""Tables of a data folder: each a CSV with a JSON sidecar, replaced whole."""

from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Final

from participants.dataset.columns import (
    ANNOTATIONS,
    CURVE_TABLES,
    EXPERTS,
    ITEM_TABLES,
    PEOPLE_TABLES,
    TRIALS,
)
from participants.dataset.sidecar import (
    of_present_version,
    sidecar_bytes,
    sidecar_of,
    tables_of,
)
from participants.files import make_private, write_file
from participants.folder import DataFolder
from stimuli.errors import UserError
from stimuli.io.tables import Cell, Row, TableSchema

TRIALS_TABLE: Final = "trials"
ITEMS_TABLE: Final = "items"
CURVES_TABLE: Final = "curves"
PEOPLE_TABLE: Final = "people"
ANNOTATIONS_TABLE: Final = "annotations"
EXPERTS_TABLE: Final = "experts"


def write_trials(
    data: DataFolder,
    study: str,
    rows: Iterable[Mapping[str, Cell]],
    left_out: Mapping[str, str] | None = None,
) -> Path:
    """Write ``trials.csv`` and its sidecar to the study's tables, and return the table's path.

    The folder is that of `participants.dataset.sidecar.tables_of`.

    Parameters
    ----------
    data
        The data folder.
    study
        Whose columns the rows have; see `participants.dataset.columns.TRIALS`.
    rows
        One a main trial, in order.
    left_out
        Why a session's trials are not among them, by its id; the sidecar says it.

    Raises
    ------
    ValueError
        If a row doesn't fit the columns; nothing is written then.
    UserError
        If the folder can't be written or another program keeps the file open.
    """
    schema = _schema(TRIALS, study)
    described = sidecar_bytes(schema, study, left_out or {})
    return _write(tables_of(data, study), TRIALS_TABLE, schema, rows, described)


def write_items(data: DataFolder, study: str, rows: Iterable[Mapping[str, Cell]]) -> Path:
    """Write ``items.csv``, one row as in the pack's item table; as `write_trials`."""
    schema = _schema(ITEM_TABLES, study)
    place = tables_of(data, study)
    return _write(place, ITEMS_TABLE, schema, rows, sidecar_bytes(schema, study))


def has_curves(study: str) -> bool:
    """Return whether a study has a table of curves by step."""
    return study in CURVE_TABLES


def write_curves(data: DataFolder, study: str, rows: Iterable[Mapping[str, Cell]]) -> Path:
    """Write ``curves.csv``, one row an item × method × step; as `write_trials`."""
    schema = _schema(CURVE_TABLES, study)
    place = tables_of(data, study)
    return _write(place, CURVES_TABLE, schema, rows, sidecar_bytes(schema, study))


def has_people(study: str) -> bool:
    """Return whether a study has a table of the people who took part."""
    return study in PEOPLE_TABLES


def write_people(data: DataFolder, study: str, rows: Iterable[Mapping[str, Cell]]) -> Path:
    """Write ``people.csv``, one row a person's session; as `write_trials`."""
    schema = _schema(PEOPLE_TABLES, study)
    place = tables_of(data, study)
    return _write(place, PEOPLE_TABLE, schema, rows, sidecar_bytes(schema, study))


def write_annotations(
    data: DataFolder,
    rows: Iterable[Mapping[str, Cell]],
    left_out: Mapping[str, str] | None = None,
) -> Path:
    """Write ``tables/annotations.csv``, one row an expert's answer; as `write_trials`."""
    described = sidecar_bytes(ANNOTATIONS, left_out=left_out or {})
    return _write(data.tables, ANNOTATIONS_TABLE, ANNOTATIONS, rows, described)


def write_experts(data: DataFolder, rows: Iterable[Mapping[str, Cell]]) -> Path:
    """Write ``tables/experts.csv``, one row an expert's session; as `write_trials`."""
    return _write(data.tables, EXPERTS_TABLE, EXPERTS, rows, sidecar_bytes(EXPERTS))


def read_trials(data: DataFolder, study: str) -> list[Row]:
    """Return the rows of a study's ``trials.csv``; UserError if it is missing or ill-typed."""
    return _read(tables_of(data, study), TRIALS_TABLE, _schema(TRIALS, study))


def read_items(data: DataFolder, study: str) -> list[Row]:
    """Return the rows of a study's ``items.csv``; UserError if it is missing or ill-typed."""
    return _read(tables_of(data, study), ITEMS_TABLE, _schema(ITEM_TABLES, study))


def read_curves(data: DataFolder, study: str) -> list[Row]:
    """Return the rows of a study's ``curves.csv``; UserError if it is missing or ill-typed."""
    return _read(tables_of(data, study), CURVES_TABLE, _schema(CURVE_TABLES, study))


def read_people(data: DataFolder, study: str) -> list[Row]:
    """Return the rows of a study's ``people.csv``; UserError if it is missing or ill-typed."""
    return _read(tables_of(data, study), PEOPLE_TABLE, _schema(PEOPLE_TABLES, study))


def holds_experts(data: DataFolder) -> bool:
    """Return whether ``tables/experts.csv`` was ever written."""
    return _table(data.tables, EXPERTS_TABLE).exists()


def read_annotations(data: DataFolder) -> list[Row]:
    """Return the rows of ``tables/annotations.csv``; UserError if missing or ill-typed."""
    return _read(data.tables, ANNOTATIONS_TABLE, ANNOTATIONS)


def read_experts(data: DataFolder) -> list[Row]:
    """Return the rows of ``tables/experts.csv``; UserError if missing or ill-typed."""
    return _read(data.tables, EXPERTS_TABLE, EXPERTS)


def _schema(schemas: Mapping[str, TableSchema], study: str) -> TableSchema:
    if study not in schemas:
        raise UserError(f"no study {study!r}; there is: {', '.join(sorted(schemas))}")
    return schemas[study]


def _table(folder: Path, name: str) -> Path:
    return folder / f"{name}.csv"


def _read(folder: Path, name: str, schema: TableSchema) -> list[Row]:
    path = _table(folder, name)
    return schema.read(path, partial(of_present_version, table=path, schema=schema))


def _write(
    folder: Path,
    name: str,
    schema: TableSchema,
    rows: Iterable[Mapping[str, Cell]],
    described: bytes,
) -> Path:
    table = schema.to_csv(rows)
    path = _table(folder, name)
    make_private(path.parent)
    write_file(sidecar_of(path), described)
    write_file(path, table)
    return path
