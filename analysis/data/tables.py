"""Trial tables in: from a dataset folder or from anywhere, checked column by column."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from analysis.data.made_tables import TRIALS, StoredTables
from analysis.data.own_rows import own_rows, own_trials
from analysis.data.sessions import Sessions, read_sessions
from analysis.data.shown_packs import open_copies, protocol_of
from analysis.data.table_text import TextTable, read_text
from analysis.data.typed_cells import missing_words, typed
from analysis.statistics.bootstrap.draws import Means
from participants.dataset import sidecar
from participants.dataset.columns import versions
from participants.folder import DataFolder
from stimuli.catalogue import studies_of
from stimuli.errors import UserError
from stimuli.io.tables import TableSchema
from stimuli.pack import Pack
from stimuli.protocol import Protocol, load_protocol

COUNTS, TRIAL = "counts", "trial"
_MAY_LACK = frozenset({"robot", "repeat_of", COUNTS, "solver_origin", "map_origin"})


@dataclass(frozen=True, slots=True)
class _Wanted:
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


@dataclass(frozen=True, slots=True)
class _Schemas:
    """The columns of a study's tables.

    Attributes
    ----------
    recorded
        The study as journals and tables name it; two studies may share their tables.
    trials
        Of the trial table.
    beside
        Of the tables beside it, by file stem.
    required_outside
        Columns that an outside trial table must have.
    """

    recorded: str
    trials: TableSchema
    beside: Mapping[str, TableSchema]
    required_outside: tuple[str, ...]


def _schemas(study: str) -> _Schemas:
    recorded = load_protocol(study).study
    declared = studies_of("participants")
    trials, *beside = declared[recorded].tables.schemas().items()
    return _Schemas(recorded, trials[1], dict(beside), declared[study].outside)


@dataclass(frozen=True, slots=True)
class Dataset:
    """A study's trials with the rules under which they were recorded.

    Attributes
    ----------
    study
        Name of the study as its tables bear it.
    source
        Name of the folder or file; the path may hold a name that no report should.
    trials
        One row for each trial; columns typed as the schema says, others kept as text.
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
    folder
        The dataset folder; None for an outside table.
    beside
        Further tables that lie beside the trial table, by file stem.
    copies
        The dataset folder's copies of packs by their ids, that with most trials first.
    pack
        The pack that was shown, with its pictures; None where it isn't at hand.
    means
        Where intervals of means come from; as in `Resampling`.
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
    folder: Path | None = None
    beside: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    copies: Mapping[str, Pack] = field(default_factory=dict)
    pack: Pack | None = None
    means: Means = "two_way"


def read_folder(study: str, folder: Path) -> Dataset:
    """Return a study's trials from a dataset folder (``tables/``, ``packs/``).

    Raises
    ------
    UserError
        If there is no trial table, it contains no trial of the study, a column is missing or
        ill-typed, or a copy of a pack isn't as it was built.
    """
    declared, schemas = studies_of("analysis").require(study), _schemas(study)
    tables = sidecar.tables_of(DataFolder(folder), schemas.recorded)
    path = tables / "trials.csv"
    if not path.is_file():
        raise UserError(
            f"{folder}: contains no tables/trials.csv of {study}; is it a dataset folder? "
            "(a session writes its tables when it ends)"
        )
    schema = schemas.trials
    filled = {column.name for column in schema.columns if not column.optional}
    required = [name for name in schema.names if name not in _MAY_LACK]
    compared = any(True for _ in DataFolder(folder).sessions())
    whole, _ = _read(path, _Wanted(schema, required, filled, compared=compared))
    trials, repeated = _that_count(whole)
    own, shared = own_trials(trials, study, str(folder))
    paths = {stem: tables / f"{stem}.csv" for stem in declared.beside}
    there = {stem: place for stem, place in paths.items() if place.is_file()}
    beside, _ = _beside(study, schemas, there, compared=compared)
    copies = open_copies(own, folder)
    protocol, source, notes = protocol_of(study, own, copies, folder)
    left_out = sidecar.read_sidecar(path).left_out
    stored = StoredTables(
        {TRIALS: whole, **dict.fromkeys(paths), **beside},
        {stem: sidecar.read_sidecar(place).tag for stem, place in {TRIALS: path, **there}.items()},
        sidecar.read_sidecar(path).sessions,
    )
    sessions = read_sessions(DataFolder(folder), study, stored)
    beside = {
        stem: own_rows(trusted_rows(table, sessions), stem, study)
        for stem, table in beside.items()
        if len(table) and (sessions is None or stem not in sessions.suspect_tables)
    }
    return Dataset(
        schemas.recorded,
        folder.resolve().name,
        trusted_trials(own, sessions, folder),
        beside.pop("items", None),
        protocol,
        source,
        absent=tuple(name for name in schema.names if name not in trials),
        notes=(
            *notes,
            *repeated,
            *_missing(left_out),
            *shared,
        ),
        protocol_known=source.startswith("pack "),
        sessions=sessions,
        folder=folder,
        beside=beside,
        copies=copies,
    )


def read_outside(
    study: str,
    trials_path: Path,
    protocol_path: Path | None = None,
    beside_paths: Mapping[str, Path] | None = None,
) -> Dataset:
    """Return a study's trials from any CSV or TSV with at least the study's own columns.

    Parameters
    ----------
    study
        Name of the study.
    trials_path
        The trial table.
    protocol_path
        Its protocol; None for the published one.
    beside_paths
        Tables that lie beside it, by the stem under which the study declares them.

    Raises
    ------
    UserError
        If a file can't be read, holds no trial of the study, or a column is missing or
        ill-typed.
    """
    declared, schemas = studies_of("analysis").require(study), _schemas(study)
    protocol = load_protocol(study, protocol_path)
    optional = {column.name for column in schemas.trials.columns if column.optional}
    filled = set(schemas.required_outside) - optional - declared.may_be_empty
    wanted = _Wanted(schemas.trials, schemas.required_outside, filled, declared.words)
    trials, notes = _read(trials_path, wanted)
    trials, repeated = _that_count(trials)
    own, shared = own_trials(trials, study, str(trials_path))
    tables, more = _beside(study, schemas, beside_paths or {})
    beside = {stem: own_rows(table, stem, study) for stem, table in tables.items()}
    return Dataset(
        schemas.recorded,
        trials_path.name,
        own,
        beside.pop("items", None),
        protocol,
        protocol_source=protocol_path.name
        if protocol_path
        else "the published defaults (none was given)",
        absent=tuple(name for name in schemas.trials.names if name not in trials),
        notes=(*notes, *repeated, *more, *shared),
        protocol_known=protocol_path is not None,
        beside=beside,
    )


def _missing(left_out: Mapping[str, str]) -> tuple[str, ...]:
    """Say which sessions are not in the table; those with the same reason are counted."""
    named = {
        why: [name for name, one in left_out.items() if one == why] for why in left_out.values()
    }
    return tuple(
        f"Session {names[0]} is not in the table: {why}."
        if len(names) == 1
        else f"{len(names)} sessions are not in the table: {why}."
        for why, names in named.items()
    )


def _beside(
    study: str, schemas: _Schemas, paths: Mapping[str, Path], *, compared: bool = False
) -> tuple[dict[str, pd.DataFrame], tuple[str, ...]]:
    """Return the tables beside a trial table by file stem, and what was odd about them."""
    tables, notes = {}, []
    for stem, path in paths.items():
        needed = studies_of("analysis")[study].beside[stem].needed
        # A pack without boxes has no metrics of maps, say.
        wanted = _Wanted(
            schemas.beside[stem], needed, needed, compared=compared, may_be_empty=compared
        )
        table, odd = _read(path, wanted)
        tables[stem] = table
        notes += odd
    return tables, tuple(notes)


def _read(path: Path, wanted: _Wanted) -> tuple[pd.DataFrame, tuple[str, ...]]:
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
    if tag is None or tag == versions()[schema.name].tag:
        return text
    texts = {name: cells.spread(cells.texts).tolist() for name, cells in text.columns.items()}
    return text.with_columns(sidecar.of_present_version(texts, path, schema))


def trusted_trials(trials: pd.DataFrame, sessions: Sessions | None, folder: Path) -> pd.DataFrame:
    """Return the rows of sessions that can be trusted; UserError if there are none."""
    kept = trusted_rows(trials, sessions)
    if len(trials) and kept.empty:
        assert sessions is not None
        why = next(iter(sessions.suspect.values()), "everybody withdrew their data")
        raise UserError(
            f"{folder}: no session can be trusted, so nothing can be analysed; the first: {why}"
        )
    return kept


def trusted_rows(table: pd.DataFrame, sessions: Sessions | None) -> pd.DataFrame:
    """Return a table without rows of sessions that can't be trusted or were withdrawn."""
    if sessions is None or "session" not in table:
        return table
    withdrawn = {fact.session for fact in sessions.facts if fact.withdrawn}
    return table[~table["session"].isin({*sessions.suspect, *withdrawn})].reset_index(drop=True)
