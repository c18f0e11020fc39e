"""Trial tables in: from a dataset folder or from anywhere, checked column by column."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.data.column_names import missing_words
from analysis.data.sessions import Sessions, read_sessions
from analysis.data.table_text import TextTable, read_text
from analysis.data.typed_cells import typed
from participants.dataset import sidecar
from participants.dataset.columns import (
    CURVE_TABLES,
    ITEM_TABLES,
    OUTSIDE_REQUIRED,
    PEOPLE_TABLES,
    TRIALS,
)
from participants.folder import DataFolder
from stimuli.errors import UserError
from stimuli.io.tables import TableSchema
from stimuli.pack.folder import read_manifest
from stimuli.protocol import Protocol, load_protocol, protocol_from_resolved, read_protocol

PURPOSES = ("main", "pilot", "test", "robot")
COUNTS = "counts"
CURVES_NEEDED = ("item", "method", "step", "pixels")
_MAY_LACK = frozenset({"robot", "repeat_of", COUNTS})
# Of a round without the right answer step and pixels may be left to the analysis.
_MAY_BE_EMPTY = frozenset({"rt_s", "step", "pixels"})


@dataclass(frozen=True, slots=True)
class Dataset:
    """A study's trials with the rules under which they were recorded.

    Attributes
    ----------
    study
        Name of the study.
    source
        Name of the folder or file; the path may hold a name that no report should.
    trials
        One row a trial; columns typed as the schema says, others kept as text.
    items
        The item table, if there is one.
    protocol
        The protocol of the pack with most trials, the given one, or the published.
    protocol_source
        Which of these, in words.
    absent
        Columns of the schema that the table doesn't have.
    notes
        What the reader should know, one sentence each.
    protocol_known
        Whether the protocol is that of the data; False where the published one stands in.
    sessions
        What the journals say; None where there are none.
    """

    study: str
    source: str
    trials: pd.DataFrame
    items: pd.DataFrame | None
    protocol: Protocol
    protocol_source: str
    absent: tuple[str, ...]
    notes: tuple[str, ...]
    protocol_known: bool = True
    sessions: Sessions | None = None


def read_folder(study: str, folder: Path) -> Dataset:
    """Return a study's trials from a dataset folder (``tables/``, ``packs/``).

    Raises
    ------
    UserError
        If there is no trial table, or a column is missing or ill-typed.
    """
    tables = sidecar.tables_of(DataFolder(folder), study)
    path = tables / "trials.csv"
    if not path.is_file():
        raise UserError(
            f"{folder}: holds no tables/trials.csv of {study}; is it a dataset folder? "
            "(a session writes its tables when it ends)"
        )
    schema = TRIALS[study]
    filled = {column.name for column in schema.columns if not column.optional}
    required = [name for name in schema.names if name not in _MAY_LACK]
    trials, repeated = _that_count(read_table(path, schema, required, filled))
    item_path = tables / "items.csv"
    items = (
        read_table(item_path, ITEM_TABLES[study], ["item"], {"item"})
        if item_path.is_file()
        else None
    )
    protocol, source, notes = _protocol_of_packs(study, trials, folder)
    notes += repeated
    notes += tuple(
        f"Session {session} is not in the table: {reason}."
        for session, reason in sidecar.read_sidecar(path).left_out.items()
    )
    return Dataset(
        study,
        folder.resolve().name,
        trials,
        items,
        protocol,
        source,
        absent=tuple(name for name in schema.names if name not in trials),
        notes=notes,
        protocol_known=source.startswith("pack "),
        sessions=read_sessions(folder, trials, study),
    )


def read_curves(study: str, folder: Path) -> pd.DataFrame | None:
    """Return what each item uncovers step by step, from a dataset folder; None without it.

    Raises
    ------
    UserError
        If the table is there and a column is missing or ill-typed.
    """
    return _beside(CURVE_TABLES, study, folder, "curves", CURVES_NEEDED)


def read_outside_curves(study: str, path: Path) -> pd.DataFrame:
    """Return what each item uncovers step by step, from any CSV or TSV.

    Raises
    ------
    UserError
        If the study's items aren't uncovered in steps, the file can't be read, or a column is
        missing or ill-typed.
    """
    if study not in CURVE_TABLES:
        raise UserError(
            f"--curves: items of {study} aren't uncovered step by step; leave the option out"
        )
    return read_table(path, CURVE_TABLES[study], CURVES_NEEDED, CURVES_NEEDED)


def read_people(study: str, folder: Path) -> pd.DataFrame | None:
    """Return what is known of each person's session, from a dataset folder; None without it.

    Raises
    ------
    UserError
        If the table is there and a column is missing or ill-typed.
    """
    return _beside(PEOPLE_TABLES, study, folder, "people", ("participant", "session"))


def _beside(
    schemas: Mapping[str, TableSchema], study: str, folder: Path, stem: str, needed: Sequence[str]
) -> pd.DataFrame | None:
    path = sidecar.tables_of(DataFolder(folder), study) / f"{stem}.csv"
    if study not in schemas or not path.is_file():
        return None
    return read_table(path, schemas[study], needed, needed)


def read_outside(
    study: str, trials_path: Path, items_path: Path | None, protocol_path: Path | None
) -> Dataset:
    """Return a study's trials from any CSV or TSV with at least the study's own columns.

    Raises
    ------
    UserError
        If the file can't be read, or a column is missing or ill-typed.
    """
    protocol = load_protocol(study) if protocol_path is None else read_protocol(protocol_path)
    if protocol.study != study:
        found = protocol.catalogue_name
        raise UserError(f"{protocol_path}: is a protocol of {found}, not of {study}")
    required = OUTSIDE_REQUIRED[protocol.catalogue_name]
    filled = set(required) - _MAY_BE_EMPTY
    trials, notes = _read(trials_path, TRIALS[study], required, filled)
    trials, repeated = _that_count(trials)
    notes += repeated
    items = None
    if items_path is not None:
        items, more = _read(items_path, ITEM_TABLES[study], ["item"], {"item"})
        notes += more
    return Dataset(
        study,
        trials_path.name,
        trials,
        items,
        protocol=protocol,
        protocol_source=protocol_path.name
        if protocol_path
        else "the published defaults (none was given)",
        absent=tuple(name for name in TRIALS[study].names if name not in trials),
        notes=notes,
        protocol_known=protocol_path is not None,
    )


def read_table(
    path: Path, schema: TableSchema, required: Collection[str], filled: Collection[str]
) -> pd.DataFrame:
    """Return a CSV or TSV with the schema's columns typed; others stay text.

    Parameters
    ----------
    path
        UTF-8; commas, semicolons (numbers may then have decimal commas) or tabs.
    schema
        What is known of the columns.
    required
        Columns that must be there.
    filled
        Columns (where there) without an empty cell; elsewhere empty or ``NA`` is missing.

    Returns
    -------
    DataFrame
        text as object (None where missing), real as float64, integer as Int64, boolean
        as boolean; columns that the schema doesn't know as text, empty where empty.

    Raises
    ------
    UserError
        One line that names every missing and every ill-typed column.
    """
    return _read(path, schema, required, filled)[0]


def _read(
    path: Path, schema: TableSchema, required: Collection[str], filled: Collection[str]
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Return a table as `read_table` does, and what was odd about it."""
    text = _of_present_version(read_text(path, schema.names), path, schema)
    missing = [name for name in required if name not in text.columns]
    if missing:
        raise UserError(
            f"{path}: column missing: {missing_words(missing, text.columns, schema.names)}"
        )
    if not text.rows:
        raise UserError(f"{path}: has a header and no rows")
    columns: dict[str, Any] = {}
    faults: list[str] = []
    known = {column.name: column for column in schema.columns}
    for name, cells in text.columns.items():
        if name not in known:
            columns[name] = cells.spread(cells.texts)
            continue
        try:
            columns[name] = typed(cells, known[name], name in filled, text)
        except ValueError as error:
            faults.append(str(error))
    if faults:
        raise UserError(f"{path}: " + "; ".join(faults))
    return pd.DataFrame(columns), _reading_notes(path, text)


def _that_count(trials: pd.DataFrame) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Leave out the showings that don't count: of a repeated trial one is analysed."""
    if COUNTS not in trials:
        return trials, ()
    keep = trials[COUNTS].fillna(True).astype(bool)
    gone = int((~keep).sum())
    if not gone:
        return trials, ()
    rows = "1 row of a trial" if gone == 1 else f"{gone} rows of trials"
    note = (
        f"{rows} that lost a frame and had a second showing: the table holds both, the one "
        "without a lost frame was analysed."
    )
    return trials[keep].reset_index(drop=True), (note,)


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
    if tag is None or tag == sidecar.VERSIONS[schema.name].tag:
        return text
    columns = {name: cells.spread(cells.texts).tolist() for name, cells in text.columns.items()}
    return text.with_columns(sidecar.of_present_version(columns, path, schema))


def select_purpose(trials: pd.DataFrame, wanted: str | None) -> tuple[pd.DataFrame, str, str]:
    """Return the trials of one purpose, which it is, and how it was chosen in words.

    Main unless told otherwise; where there is none of purpose main, the one purpose
    that there is.

    Raises
    ------
    UserError
        If there are no trials of the wanted purpose, or several purposes but no main.
    """
    if "purpose" not in trials:
        if wanted is not None:
            raise UserError("--purpose: the table has no column purpose; leave the option out")
        return trials, "", "The table has no column purpose: all its trials were taken."
    counts = trials["purpose"].value_counts().to_dict()
    have = ", ".join(f"{name} {counts[name]}" for name in sorted(counts))
    chosen = wanted or "main"
    reason = f"Trials of purpose {chosen} were taken (there are: {have})."
    if chosen not in counts:
        if wanted is not None:
            raise UserError(f"--purpose {wanted}: no such trials; there are: {have or 'none'}")
        if len(counts) != 1:
            raise UserError(
                f"no trials of purpose main, but of several others ({have}): choose with --purpose"
            )
        chosen = next(iter(counts))
        reason = f"There are no trials of purpose main; those of purpose {chosen} were taken."
    return trials[trials["purpose"] == chosen].reset_index(drop=True), chosen, reason


def read_exclusions(path: Path, trials: pd.DataFrame) -> tuple[str, ...]:
    """Return the participants that a file names, one a line; ``#`` begins a comment.

    Raises
    ------
    UserError
        If the file can't be read or names someone who isn't in the table.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise UserError(f"{path}: can't be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise UserError(f"{path}: is not UTF-8 text; save it as UTF-8") from None
    codes = [line.partition("#")[0].strip() for line in lines]
    codes = list(dict.fromkeys(code for code in codes if code))
    unknown = sorted(set(codes) - set(trials["participant"]))
    if unknown:
        raise UserError(f"{path}: not in the trial table: {', '.join(unknown)}")
    return tuple(codes)


def _protocol_of_packs(
    study: str, trials: pd.DataFrame, folder: Path
) -> tuple[Protocol, str, tuple[str, ...]]:
    found: list[tuple[str, Protocol]] = []
    notes: list[str] = []
    for pack_id in trials["pack_id"].value_counts().index:
        place = folder / "packs" / pack_id
        if not place.is_dir():
            notes.append(f"Pack {pack_id} is not in the dataset; its protocol is not known.")
            continue
        manifest = read_manifest(place)
        found.append((pack_id, protocol_from_resolved(manifest.protocol, str(place))))
    if not found:
        return (
            load_protocol(study),
            "the published defaults (the dataset holds no pack)",
            tuple(notes),
        )
    pack_id, protocol = found[0]
    if any(other != protocol for _, other in found[1:]):
        notes.append(
            f"The packs were built under {len({p.name for _, p in found})} protocol names and "
            f"differ; the analysis follows that of pack {pack_id}, which has most trials."
        )
    return protocol, f"pack {pack_id}", tuple(notes)
