"""An export in the form of Psych-DS: its files by path, and the rules that they must follow.

Names of files and fields of the metadata follow the Psych-DS schema 1.5, "Rules and Conventions".
Rules that give an error if broken are checked without a network. They come from the same schema
(``rules/errors``, ``rules/files``): the metadata file, the names of data files, the tables
themselves, and the match of columns and metadata. One rule is stricter than the standard, which
only warns: keywords must come from its own list.
"""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any, Final

from participants.export import description
from participants.export.selection import ExportedSession, ExportedStudy, Selection, ShownFiles
from stimuli.io.tables import Column, Row, TableSchema

FORM: Final = "Psych-DS 1.5"
FILES: Final = """\
- `data/study-NAME_description-trials_data.csv`: a row a trial, in the columns of Plainsight's trial
  table. Times in `onset_s` begin anew where a session was resumed.
- `data/study-NAME_description-people_data.csv`: a row a session with answers given once.
- Other tables in `data/`: what was shown.
- `dataset_description.json`: what each column means.
- `materials/`: the protocols, every field spelled out, and the files that were shown where they
  were exported.

In the tables an empty cell means that there is no value. A text that begins with `=`, `+`, `-`,
`@`, a tab or `'` stands behind one more `'`, so that no spreadsheet takes it for a formula."""

ROW_ID: Final = Column("row_id", "integer", "Number of the row in its table, from 1.")
PARTICIPANT: Final = Column("participant", "text", "Pseudonymous code.")
SESSION: Final = Column(
    "session", "text", "Number of the session among the participant's, from 01."
)
STIM_FILE: Final = Column(
    "stim_file", "text", "What was shown, below the folder materials.", optional=True
)

Files = Iterator[tuple[str, bytes]]
Tables = dict[str, tuple[TableSchema, list[Row]]]


def psych_ds_files(
    selection: Selection, about: description.About, shown_files: ShownFiles, today: date
) -> Files:
    """Yield all files of a dataset by path.

    Parameters
    ----------
    selection, about
        What goes out, and what the lab says of it.
    shown_files
        Files that people were shown.
    today
        Date of the export.
    """
    tables = {
        f"study-{study.label}_description-{_letters(name)}": table
        for study in selection.studies
        for name, table in tables_of(selection, study, shown_files).items()
    }
    schemas = [schema for schema, _ in tables.values()]
    yield "dataset_description.json", description.pretty(_description(selection, about, schemas))
    yield "README.md", description.readme(selection, about, FORM, FILES).encode("utf-8")
    yield "CHANGES.md", description.changes(today).encode("utf-8")
    for name, (schema, rows) in tables.items():
        yield f"data/{name}_data.csv", schema.to_csv(rows)
    yield from description.protocol_files(selection, "materials")
    for path, content in shown_files.files():
        yield f"materials/{path}", content


def tables_of(selection: Selection, study: ExportedStudy, shown_files: ShownFiles) -> Tables:
    """Return a study's tables that have rows, by name."""
    tables = {"trials": _trials(selection, study, shown_files)}
    people = study.tables.people
    if people is not None:
        rows = [
            _named(session, session.person)
            for session in study.sessions
            if session.person is not None
        ]
        tables["people"] = _table((PARTICIPANT, SESSION, *selection.columns(people)), rows)
    for name, beside in study.beside.items():
        tables[name] = _table(selection.columns(study.tables.schema(name)), beside)
    return {name: table for name, table in tables.items() if table[1]}


def _trials(
    selection: Selection, study: ExportedStudy, shown_files: ShownFiles
) -> tuple[TableSchema, list[Row]]:
    rows = []
    for session in study.sessions:
        files = shown_files.files_of(session)
        rows += [
            _named(session, row) | {"stim_file": files.get(row.get("presentation"))}
            for row in session.rows
        ]
    more = (STIM_FILE,) if any(row["stim_file"] for row in rows) else ()
    columns = (PARTICIPANT, SESSION, *selection.columns(study.tables.trials), *more)
    return _table(columns, rows)


def _table(columns: tuple[Column, ...], rows: Iterable[Row]) -> tuple[TableSchema, list[Row]]:
    """Return a table with numbered rows, and with only these columns."""
    every = (ROW_ID, *columns)
    numbered = (row | {"row_id": number} for number, row in enumerate(rows, start=1))
    return TableSchema("export", "", every), [
        {column.name: row[column.name] for column in every} for row in numbered
    ]


def _named(session: ExportedSession, row: Row) -> Row:
    return {**row, "participant": session.participant, "session": session.label}


def _letters(name: str) -> str:
    return "".join(sign for sign in name if sign.isalnum())


def _description(
    selection: Selection, about: description.About, schemas: Iterable[TableSchema]
) -> dict[str, Any]:
    fields = {
        "author": [{"@type": "Person", "name": name} for name in about.authors],
        "license": about.license,
        "funding": list(about.funding),
        "citation": list(about.references),
    }
    return {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "name": description.title_of(selection, about),
        "description": " ".join(
            f"{study.name}: {description.what_is_done(study)}" for study in selection.studies
        ),
        "version": "1.0.0",
        "identifier": f"SHA-256 of the journals' chains: {description.source_of(selection)}",
        **{name: value for name, value in fields.items() if value},
        "variableMeasured": _variables(schemas),
    }


def _variables(schemas: Iterable[TableSchema]) -> list[dict[str, Any]]:
    """Return every column once, with all descriptions if tables describe it differently."""
    columns_by_name: dict[str, list[Column]] = {}
    for schema in schemas:
        for column in schema.columns:
            columns_by_name.setdefault(column.name, []).append(column)
    return [_variable(name, columns) for name, columns in columns_by_name.items()]


def _variable(name: str, columns: list[Column]) -> dict[str, Any]:
    unit = next((column.unit for column in columns if column.unit), "")
    return {
        "@type": "PropertyValue",
        "name": name,
        "description": " / ".join(dict.fromkeys(_meaning(column) for column in columns)),
        **({"unitText": unit} if unit else {}),
    }


def _meaning(column: Column) -> str:
    if column.levels is None:
        return column.description
    known = "; ".join(
        name if name == meaning else f"{name}: {meaning}" for name, meaning in column.levels.items()
    )
    return f"{column.description} ({known})"


METADATA: Final = "dataset_description.json"
DATA: Final = "data"
NAME: Final = re.compile(r"([a-z]+-[a-zA-Z0-9]+)(_[a-z]+-[a-zA-Z0-9]+)*_data\.csv")
KEYWORDS: Final = frozenset(
    {"study", "site", "subject", "session", "task", "condition", "trial", "stimulus", "description"}
)
NAMESPACES: Final = frozenset(
    f"{scheme}://schema.org{end}" for scheme in ("http", "https") for end in ("", "/")
)
REQUIRED: Final = ("name", "description", "variableMeasured")


def faults_of(root: Path) -> tuple[str, ...]:
    """Return the rules that a dataset breaks, one sentence each; empty if it breaks none.

    Parameters
    ----------
    root
        The dataset's folder.
    """
    return tuple(_faults(root))


def _faults(root: Path) -> Iterator[str]:
    metadata = _metadata(root / METADATA)
    if isinstance(metadata, str):
        yield metadata
        metadata = {}
    else:
        yield from _metadata_faults(metadata)
    files = sorted((root / DATA).rglob("*.csv"))
    if not files:
        yield f"{DATA}: has no data file"
    columns: set[str] = set()
    for file in files:
        where = file.relative_to(root).as_posix()
        yield from _name_faults(file.name, where)
        table = _read_table(file, where)
        if isinstance(table, str):
            yield table
            continue
        yield from _table_faults(table, where)
        columns |= set(table[0])
    yield from _variable_faults(metadata.get("variableMeasured", []), columns)


def _metadata(path: Path) -> dict[str, Any] | str:
    """Return what the metadata file says, or what is wrong with it."""
    if not path.is_file():
        return f"{METADATA}: is missing"
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        return f"{METADATA}: is not UTF-8"
    except ValueError:
        return f"{METADATA}: is no JSON"
    return document if isinstance(document, dict) else f"{METADATA}: is no JSON object"


def _metadata_faults(metadata: Mapping[str, Any]) -> Iterator[str]:
    if metadata.get("@context") not in NAMESPACES:
        yield f"{METADATA}: @context is not https://schema.org/"
    kind = metadata.get("@type", metadata.get("type"))
    if kind not in ("Dataset", "https://schema.org/Dataset"):
        yield f"{METADATA}: @type is not Dataset"
    for key in REQUIRED:
        if not metadata.get(key):
            yield f"{METADATA}: {key} is missing"


def _name_faults(name: str, where: str) -> Iterator[str]:
    if not NAME.fullmatch(name):
        yield f"{where}: is not named key-value_key-value_data.csv"
        return
    keys = [part.partition("-")[0] for part in name.removesuffix("_data.csv").split("_")]
    for key in keys:
        if key not in KEYWORDS:
            yield f"{where}: {key} is no keyword of the standard"


def _read_table(path: Path, where: str) -> list[list[str]] | str:
    """Return a table's lines, the header first, or what is wrong with it."""
    try:
        lines = list(csv.reader(io.StringIO(path.read_text(encoding="utf-8"), newline=""),
                                strict=True))  # fmt: skip
    except UnicodeDecodeError:
        return f"{where}: is not UTF-8"
    except csv.Error as error:
        return f"{where}: is not a CSV table ({error})"
    return lines if lines and any(lines[0]) else f"{where}: has no header"


def _table_faults(table: list[list[str]], where: str) -> Iterator[str]:
    header, *rows = table
    if len(set(header)) < len(header):
        yield f"{where}: has two columns of one name"
    for number, row in enumerate(rows, start=2):
        if len(row) != len(header):
            yield f"{where}, line {number}: not as many cells as the header has"
    if "row_id" in header:
        place = header.index("row_id")
        ids = [row[place] for row in rows if len(row) > place]
        if len(set(ids)) < len(ids):
            yield f"{where}: row_id is not unique"


def _variable_faults(variables: Any, columns: set[str]) -> Iterator[str]:
    if not isinstance(variables, list):
        yield f"{METADATA}: variableMeasured is no list"
        return
    named = {
        str(variable.get("name") if isinstance(variable, dict) else variable)
        for variable in variables
    }
    for name in sorted(columns - named):
        yield f"{METADATA}: variableMeasured lacks the column {name}"
    for name in sorted(named - columns):
        yield f"{METADATA}: variableMeasured has {name}, which is in no data file"
