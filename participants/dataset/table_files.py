"""Tables of a data folder: each a CSV with a JSON sidecar, replaced as a whole.

A sidecar has the table's version, what is left out, and the meanings of the columns.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from participants.anchor import Anchor, stated_anchor
from participants.dataset.study_tables import study_tables, version_of
from participants.files import make_private, write_file
from participants.folder import DataFolder
from stimuli.errors import UserError
from stimuli.io.inside import refuse_odd
from stimuli.io.tables import Cell, Row, TableSchema, TextColumns, sidecar

SUFFIX: Final = ".json"
FIRST_TABLE: Final = "trials.csv"
LARGEST_BYTES: Final = 10_000_000
"""Largest sidecar; a larger file beside a table from elsewhere is something else."""
TAG: Final = re.compile(r"\w+/\d+\.\d+")


@dataclass(frozen=True, slots=True)
class Sidecar:
    """The content of a table's sidecar.

    Attributes
    ----------
    tag
        Schema and version of the table, e.g. ``trials/1.0``; None for a table from elsewhere.
    left_out
        Why a session is not in the table, by its id.
    study
        The study; None if the table is the same for all studies, or from elsewhere.
    sessions
        The anchors of the journals that were known when the table was made, by session.
    """

    tag: str | None = None
    left_out: Mapping[str, str] = field(default_factory=dict)
    study: str | None = None
    sessions: Mapping[str, Anchor] = field(default_factory=dict)


def sidecar_of(table: Path) -> Path:
    """Return the place of a table's sidecar."""
    return table.with_suffix(SUFFIX)


def sidecar_bytes(
    schema: TableSchema,
    study: str | None = None,
    left_out: Mapping[str, str] | None = None,
    sessions: Mapping[str, Anchor] | None = None,
) -> bytes:
    """Return the JSON that goes beside a table.

    Parameters
    ----------
    schema
        The table's columns.
    study
        The study; None if the table is the same for all studies.
    left_out
        Why a session is not in the table, by its id.
    sessions
        The anchors of the journals that are known, by session.
    """
    document = {
        "schema": version_of(schema.name).tag,
        **({} if study is None else {"study": study}),
        "description": schema.description,
        **({} if left_out is None else {"left_out": dict(left_out)}),
        **({} if sessions is None else {"sessions": _anchors_told(sessions)}),
        "columns": sidecar(schema),
    }
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode("utf-8")


def read_sidecar(table: Path) -> Sidecar:
    """Return a table's sidecar; an empty one if there is no sidecar of ours."""
    document = _object_in(sidecar_of(table))
    tag, left_out = document.get("schema"), document.get("left_out")
    if not TAG.fullmatch(str(tag)):
        return Sidecar()
    known = left_out if isinstance(left_out, Mapping) else {}
    reasons = {str(session): str(reason) for session, reason in known.items()}
    study = document.get("study")
    named = None if study is None else str(study)
    return Sidecar(str(tag), reasons, named, _anchors_in(document.get("sessions")))


def tables_of(data: DataFolder, study: str) -> Path:
    """Return the folder of a study's tables.

    It is the data folder's ``tables``, unless another study had its tables there first, as in
    a lab that runs several: then it is a folder of the study's name in that one.
    """
    owner = read_sidecar(data.tables / FIRST_TABLE).study
    return data.tables if owner in (None, study) else data.tables / study


def of_present_version(columns: TextColumns, table: Path, schema: TableSchema) -> TextColumns:
    """Return a table's columns, upgraded to the present version if they are older.

    A table without a sidecar of ours is taken to be of the present version.

    Parameters
    ----------
    columns
        As read from the file.
    table
        The file; its sidecar says the version.
    schema
        The columns that are wanted.

    Raises
    ------
    UserError
        If the table is of a newer version, or not the table that is wanted.
    """
    tag = read_sidecar(table).tag
    if tag is None:
        return columns
    document = {"schema": tag, "columns": columns}
    return version_of(schema.name).upgrade(document, str(table))["columns"]


def _anchors_told(sessions: Mapping[str, Anchor]) -> dict[str, dict[str, Any]]:
    return {name: asdict(kept) for name, kept in sorted(sessions.items())}


def _anchors_in(stated: Any) -> dict[str, Anchor]:
    sessions = stated if isinstance(stated, Mapping) else {}
    anchors = {str(session): stated_anchor(kept) for session, kept in sessions.items()}
    return {session: kept for session, kept in anchors.items() if kept is not None}


def _object_in(path: Path) -> Mapping[str, Any]:
    refuse_odd(path)
    try:
        if path.stat().st_size > LARGEST_BYTES:
            return {}
        document = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return {}
    return document if isinstance(document, Mapping) else {}


def write_table(
    data: DataFolder,
    study: str,
    table: str,
    rows: Iterable[Mapping[str, Cell]],
    left_out: Mapping[str, str] | None = None,
    sessions: Mapping[str, Anchor] | None = None,
) -> Path:
    """Write one of a study's tables with its sidecar, and return the table's path.

    The folder is that of `tables_of`.

    Parameters
    ----------
    data
        The data folder.
    study, table
        Whose table, and which: ``trials``, ``items`` …
    rows
        In order.
    left_out
        Why a session's rows are not among them, by its id; goes into the sidecar.
    sessions
        The anchors of the journals that are known, by session; go into the sidecar.

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
    refuse_odd(path)
    return schema.read(path, partial(of_present_version, table=path, schema=schema))


def put_table(
    folder: Path,
    name: str,
    schema: TableSchema,
    rows: Iterable[Mapping[str, Cell]],
    described: bytes,
) -> Path:
    """Write a table and its sidecar into a folder, which is made."""
    table = schema.to_csv(rows)
    path = folder / f"{name}.csv"
    make_private(path.parent)
    write_file(sidecar_of(path), described)
    write_file(path, table)
    return path
