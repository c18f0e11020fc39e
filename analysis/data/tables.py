"""Read a study's trial table and the tables beside it, from a dataset folder or any file.

Each table is checked column by column. A dataset folder also has copies of the packs that people
were shown: their tables and their protocols.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from analysis.data.checked_table import ExpectedTable, read_table
from analysis.data.made_tables import TRIALS, StoredTables
from analysis.data.selected import own_rows, own_trials
from analysis.data.sessions import Sessions, read_sessions
from analysis.statistics.bootstrap.draws import Means
from participants.dataset import table_files
from participants.dataset.journals import open_pack_copy
from participants.folder import DataFolder
from stimuli.catalogue import studies_of
from stimuli.errors import UserError
from stimuli.io.tables import TableSchema
from stimuli.pack import Pack
from stimuli.protocol import Protocol, load_protocol

COUNTS = "counts"
_MAY_LACK = frozenset({"robot", "repeat_of", COUNTS, "solver_origin", "map_origin"})


def open_copies(trials: pd.DataFrame, folder: Path) -> dict[str, Pack]:
    """Return a dataset folder's copies of packs by id, the pack with the most trials first.

    Raises
    ------
    UserError
        If a copy isn't as it was built; the message names the file.
    """
    data, pack_ids = DataFolder(folder), trials["pack_id"].value_counts().index
    return {
        pack_id: open_pack_copy(data, pack_id)
        for pack_id in pack_ids
        if data.pack_copy(pack_id).is_dir()
    }


def protocol_of(
    study: str, trials: pd.DataFrame, copies: Mapping[str, Pack], folder: Path
) -> tuple[Protocol, str, tuple[str, ...]]:
    """Return the protocol of the pack with the most trials, its source, and remarks.

    Parameters
    ----------
    study
        As the catalogue names it.
    trials
        The study's trials.
    copies
        The packs, from `open_copies`.
    folder
        The dataset, for messages.

    Raises
    ------
    UserError
        If the pack is of another study.
    """
    notes = [
        f"Pack {pack_id} is not in the dataset; its protocol is not known."
        for pack_id in trials["pack_id"].value_counts().index
        if pack_id not in copies
    ]
    if not copies:
        unknown = "the published defaults (the dataset holds no pack)"
        return load_protocol(study), unknown, tuple(notes)
    protocols = [pack.protocol for pack in copies.values()]
    pack_id, protocol = next(iter(copies)), protocols[0]
    if protocol.catalogue_name != study:
        other = protocol.catalogue_name
        raise UserError(
            f"{folder}: pack {pack_id} is of {other}, not of {study}; "
            f"python3 lab.py analyse {other}"
        )
    if any(other != protocol for other in protocols[1:]):
        notes.append(
            f"The packs were built under {len({p.name for p in protocols})} protocol names and "
            f"differ; the analysis follows that of pack {pack_id}, which has most trials."
        )
    return protocol, f"pack {pack_id}", tuple(notes)


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
        The study as its tables name it.
    source
        Name of the folder or file. The path isn't used, since it may hold a name that reports must
        not show.
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
        Whether the protocol is that of the data; False if the published one is used instead.
    sessions
        What the journals say; None if there are none.
    folder
        The dataset folder; None for an outside table.
    beside
        Further tables that lie beside the trial table, by file stem.
    copies
        The dataset folder's copies of packs by id, the pack with the most trials first.
    pack
        The pack that was shown, with its pictures; None if it isn't available.
    screens
        The folder of the pictures of its screens; None without them.
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
    screens: Path | None = None
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
    tables = table_files.tables_of(DataFolder(folder), schemas.recorded)
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
    whole, _ = read_table(path, ExpectedTable(schema, required, filled, compared=compared))
    trials, repeated = _that_count(whole)
    of_study, shared = own_trials(trials, study, str(folder))
    paths = {stem: tables / f"{stem}.csv" for stem in declared.beside}
    there = {stem: place for stem, place in paths.items() if place.is_file()}
    # A pack without boxes has no metrics of maps, say.
    beside, _ = _beside(study, schemas, there, compared=compared, may_be_empty=True)
    copies = open_copies(of_study, folder)
    protocol, source, notes = protocol_of(study, of_study, copies, folder)
    left_out = table_files.read_sidecar(path).left_out
    stored = StoredTables({TRIALS: whole, **dict.fromkeys(paths), **beside})
    sessions = read_sessions(DataFolder(folder), study, stored)
    beside = {
        stem: own_rows(trusted_rows(table, sessions), stem, study)
        for stem, table in beside.items()
        if len(table) and (sessions is None or stem not in sessions.suspect_tables)
    }
    return Dataset(
        schemas.recorded,
        folder.resolve().name,
        trusted_trials(of_study, sessions, folder),
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
    wanted = ExpectedTable(schemas.trials, schemas.required_outside, filled, declared.words)
    trials, notes = read_table(trials_path, wanted)
    trials, repeated = _that_count(trials)
    of_study, shared = own_trials(trials, study, str(trials_path))
    tables, more = _beside(study, schemas, beside_paths or {})
    beside = {stem: own_rows(table, stem, study) for stem, table in tables.items()}
    return Dataset(
        schemas.recorded,
        trials_path.name,
        of_study,
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
        why: [name for name, reason in left_out.items() if reason == why]
        for why in left_out.values()
    }
    return tuple(
        f"Session {names[0]} is not in the table: {why}."
        if len(names) == 1
        else f"{len(names)} sessions are not in the table: {why}."
        for why, names in named.items()
    )


def _beside(
    study: str,
    schemas: _Schemas,
    paths: Mapping[str, Path],
    *,
    compared: bool = False,
    may_be_empty: bool = False,
) -> tuple[dict[str, pd.DataFrame], tuple[str, ...]]:
    """Return the tables beside a trial table by file stem, and what was odd about them."""
    tables, notes = {}, []
    for stem, path in paths.items():
        needed = studies_of("analysis")[study].beside[stem].needed
        wanted = ExpectedTable(
            schemas.beside[stem], needed, needed, compared=compared, may_be_empty=may_be_empty
        )
        table, odd = read_table(path, wanted)
        tables[stem] = table
        notes += odd
    return tables, tuple(notes)


def _that_count(trials: pd.DataFrame) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Leave out presentations that don't count: a repeated trial is analysed once."""
    if COUNTS not in trials:
        return trials, ()
    keep = trials[COUNTS].fillna(True).astype(bool)
    dropped = int((~keep).sum())
    if not dropped:
        return trials, ()
    rows = "1 row of a trial" if dropped == 1 else f"{dropped} rows of trials"
    note = (
        f"{rows} that lost a frame and had a second showing: the table holds both, the one "
        "without a lost frame was analysed."
    )
    return trials[keep].reset_index(drop=True), (note,)


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
