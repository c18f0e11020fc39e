"""Tables of a data folder: each a CSV with a JSON sidecar, replaced whole."""

from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path

from participants.anchor import Anchor
from participants.dataset.sidecar import (
    of_present_version,
    sidecar_bytes,
    sidecar_of,
    tables_of,
)
from participants.dataset.study_tables import study_tables
from participants.files import make_private, write_file
from participants.folder import DataFolder
from stimuli.errors import UserError
from stimuli.io.tables import Cell, Row, TableSchema


def write_table(
    data: DataFolder,
    study: str,
    table: str,
    rows: Iterable[Mapping[str, Cell]],
    left_out: Mapping[str, str] | None = None,
    sessions: Mapping[str, Anchor] | None = None,
) -> Path:
    """Write one of a study's tables with its sidecar, and return the table's path.

    The folder is that of `participants.dataset.sidecar.tables_of`.

    Parameters
    ----------
    data
        The data folder.
    study, table
        Whose table, and which: ``trials``, ``items`` …
    rows
        In order.
    left_out
        Why a session's rows are not among them, by its id; the sidecar says it.
    sessions
        The anchors of the journals that the rows are made from, by session; the sidecar has them.

    Raises
    ------
    ValueError
        If a row doesn't fit the columns; nothing is written then.
    UserError
        If the folder can't be written or another program keeps the file open.
    """
    schema = schema_of(study, table)
    described = sidecar_bytes(schema, study, left_out, sessions)
    return put_table(tables_of(data, study), table, schema, rows, described)


def read_table(data: DataFolder, study: str, table: str) -> list[Row]:
    """Return the rows of one of a study's tables; UserError if it is missing or ill-typed."""
    return get_table(tables_of(data, study), table, schema_of(study, table))


def schema_of(study: str, table: str) -> TableSchema:
    """Return the columns of a study's table; UserError if there is no such study or table."""
    schemas = study_tables(study).schemas()
    if table not in schemas:
        raise UserError(f"study {study}: has no table {table!r}; take one of {', '.join(schemas)}")
    return schemas[table]


def get_table(folder: Path, name: str, schema: TableSchema) -> list[Row]:
    """Return the rows of a table in a folder, of any version; UserError if missing or ill-typed."""
    path = folder / f"{name}.csv"
    return schema.read(path, partial(of_present_version, table=path, schema=schema))


def put_table(
    folder: Path,
    name: str,
    schema: TableSchema,
    rows: Iterable[Mapping[str, Cell]],
    described: bytes,
) -> Path:
    """Write a table and what stands beside it into a folder, which is made."""
    table = schema.to_csv(rows)
    path = folder / f"{name}.csv"
    make_private(path.parent)
    write_file(sidecar_of(path), described)
    write_file(path, table)
    return path
