"""The rules of Psych-DS whose breach is an error, checked without a network.

They are those of the Psych-DS schema 1.5 (``rules/errors``, ``rules/files``): the metadata file,
the names of data files, the tables themselves, and the match of columns and metadata. One rule is
stricter than the standard, which only warns: keywords of its own list alone.
"""

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

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
    """Return which rules a dataset breaks, one sentence each; empty if it keeps all of them.

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
        table = _table(file, where)
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


def _table(path: Path, where: str) -> list[list[str]] | str:
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
    named = {str(one.get("name") if isinstance(one, dict) else one) for one in variables}
    for name in sorted(columns - named):
        yield f"{METADATA}: variableMeasured lacks the column {name}"
    for name in sorted(named - columns):
        yield f"{METADATA}: variableMeasured has {name}, which is in no data file"
