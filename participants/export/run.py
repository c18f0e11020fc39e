"""Run an export: select the data, note the export in the registry, and write the folder as a whole.

The data come from a data folder's journals and copies of packs.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from participants.command_line import opened_lab
from participants.dataset.custody import Roll
from participants.dataset.derive import derive, distinct
from participants.dataset.fields import stamped
from participants.dataset.journals import Readings, open_pack_copy, read_journals
from participants.dataset.study_tables import study_tables
from participants.export.bids import Files, bids_files
from participants.export.description import read_about, typed_columns
from participants.export.excel import excel_files
from participants.export.psych_ds import faults_of, psych_ds_files
from participants.export.request import ExportRequest
from participants.export.selection import ExportedSession, ExportedStudy, Selection, shown_in
from participants.folder import DataFolder, LabFolder
from participants.journal import Journal
from participants.new_person import PURPOSES
from participants.registry import Registry
from participants.registry.records import forget_export, known_codes, note_export
from stimuli.catalogue import studies_of
from stimuli.errors import UserError
from stimuli.io.files import left_overs_of, whole_folder, write_private
from stimuli.io.inside import inside
from stimuli.io.tables import Cell, Row
from stimuli.maps.origin import BETWEEN_NAMES, names_in
from stimuli.pack import Pack
from stimuli.study import origins_in


@dataclass(frozen=True, slots=True)
class ExportContent:
    """The content that is wanted in an export.

    Attributes
    ----------
    study
        This study alone, by its name in the catalogue; None for all.
    purpose
        Sessions of this purpose alone.
    with_text
        Whether people's own typed words are in it.
    texts
        The lab's own texts (`LabFolder.texts`).
    """

    study: str | None = None
    purpose: str = "main"
    with_text: bool = False
    texts: Path | None = None


def select(data: DataFolder, content: ExportContent, roll: Roll | None = None) -> Selection:
    """Return what an export of a data folder holds.

    Parameters
    ----------
    data
        The data folder.
    content
        What it is to hold.
    roll
        What is known of the folder; by default only what it says itself. Of people who took their
        data back, neither sessions nor codes are exported.

    Raises
    ------
    UserError
        If the study is unknown, a copy of a pack was changed, or no session is left.
    """
    catalogue, study, purpose = studies_of("participants"), content.study, content.purpose
    if study is not None:
        catalogue.require(study, "--study")
    roll = roll or Roll.without_registry(data)
    readings = read_journals(data, roll)
    journals = readings[0].values()
    withdrawn_people = roll.gone(journals)
    packs = _packs(data, journals)
    readable, left_out, suspect = _readable(data, readings, packs, roll)
    wanted = [session for session in readable if study in (None, session.study)]
    chosen = [session for session in wanted if session.journal.header["purpose"] == purpose]
    if not chosen:
        others = sorted({session.journal.header["purpose"] for session in wanted})
        there = f"; there are sessions of purpose {', '.join(others)}" if others else ""
        first = next(iter(suspect.values()), "")
        why = f"; the first that can't be trusted: {first}" if first else ""
        raise UserError(f"{data.root}: no session of purpose {purpose} to export{there}{why}")
    numbers = _numbers(chosen)
    studies = tuple(
        _study(
            name,
            [session for session in chosen if session.study == name],
            packs,
            numbers,
            withdrawn_people,
        )
        for name in catalogue
        if any(session.study == name for session in chosen)
    )
    _refuse_equal_labels(studies)
    return Selection(
        studies,
        purpose,
        left_out,
        content.with_text,
        content.texts,
        roll.notes(),
        (*suspect.values(), *roll.disputes()),
    )


@dataclass(frozen=True, slots=True)
class _Readable:
    """A readable session, before it is decided which ones are exported."""

    study: str
    session: str
    journal: Journal
    rows: tuple[Row, ...]
    person: Row | None

    @property
    def participant(self) -> str:
        return str(self.journal.header["participant"])


def _packs(data: DataFolder, journals: Iterable[Journal]) -> dict[str, Pack]:
    """Return the copies of packs by their ids; UserError if one isn't as it was built.

    An export that others rely on can't be made from the remaining copies.
    """
    pack_ids = sorted({str(journal.header["pack_id"]) for journal in journals})
    there = (pack_id for pack_id in pack_ids if data.pack_copy(pack_id).is_dir())
    return {pack_id: open_pack_copy(data, pack_id) for pack_id in there}


def _readable(
    data: DataFolder, readings: Readings, packs: Mapping[str, Pack], roll: Roll
) -> tuple[list[_Readable], dict[str, str], dict[str, str]]:
    """Return the sessions that have rows, why others aren't used, and which can't be trusted."""
    journals = {str(journal.header["session"]): journal for journal in readings[0].values()}
    readable: list[_Readable] = []
    left_out: dict[str, str] = {}
    suspect = dict(readings[1])
    for study in sorted({str(journal.header["study"]) for journal in journals.values()}):
        tables = derive(data, study, roll=roll, readings=readings)
        left_out |= tables.unused
        suspect |= tables.left_out
        rows: dict[str, list[Row]] = {}
        for row in tables.trials:
            rows.setdefault(str(row["session"]), []).append(row)
        people = {str(row["session"]): row for row in tables.beside.get("people", ())}
        for session in sorted({*rows, *people}):
            journal = journals[session]
            name = packs[str(journal.header["pack_id"])].protocol.catalogue_name
            trials = tuple(rows.get(session, ()))
            readable.append(_Readable(name, session, journal, trials, people.get(session)))
    return readable, left_out, suspect


def _numbers(chosen: list[_Readable]) -> dict[str, int]:
    """Return the number of each session among those of its participant, oldest first."""
    counts: dict[str, int] = {}
    numbers: dict[str, int] = {}
    for session in sorted(
        chosen, key=lambda session: (session.journal.header.t_utc, session.session)
    ):
        counts[session.participant] = counts.get(session.participant, 0) + 1
        numbers[session.session] = counts[session.participant]
    return numbers


def _study(
    name: str,
    chosen: list[_Readable],
    copies: Mapping[str, Pack],
    numbers: Mapping[str, int],
    withdrawn: frozenset[str],
) -> ExportedStudy:
    tables = study_tables(str(chosen[0].journal.header["study"]))
    pack_ids = sorted({str(session.journal.header["pack_id"]) for session in chosen})
    packs = {pack_id: copies[pack_id] for pack_id in pack_ids}
    contents = [tables.read_pack(pack) for pack in packs.values()]
    beside = {
        table: distinct(
            [_without(row, withdrawn) for row in pack.beside[table]] for pack in contents
        )
        for table in tables.of_packs
    }
    sessions = tuple(
        _session(session, numbers[session.session], withdrawn)
        for session in sorted(
            chosen, key=lambda session: (session.participant, numbers[session.session])
        )
    )
    made = {
        (what, replace(origin, note=str(_without_codes(origin.note, withdrawn) or "")).words): None
        for pack in packs.values()
        for what, origin in origins_in(pack).items()
    }
    return ExportedStudy(name, tables, packs, sessions, beside, tuple(made))


def _session(session: _Readable, number: int, withdrawn: frozenset[str]) -> ExportedSession:
    journal, header = session.journal, session.journal.header
    before_s = _seconds_before_parts(journal)
    return ExportedSession(
        participant=session.participant,
        number=number,
        header=header,
        parts=len(journal.of("session")),
        complete=journal.complete,
        pack_id=str(header["pack_id"]),
        rows=tuple(_without(row, withdrawn) for row in session.rows),
        onsets_s=tuple(
            stamped(float(row["onset_s"] or 0.0) + before_s.get(row["trial"], 0.0))
            for row in session.rows
        ),
        person=session.person,
        chain=journal.chain,
    )


def _seconds_before_parts(journal: Journal) -> dict[Any, float]:
    """Return, for each trial, the time from the session's start to the start of its part.

    Time stamps of two parts can't be compared, so the time of day is used.
    """
    start = datetime.fromisoformat(journal.header.t_utc)
    before_s, by_trial = 0.0, {}
    for event in journal.of("session", "trial_end"):
        if event.event == "session":
            before_s = (datetime.fromisoformat(event.t_utc) - start).total_seconds()
        else:
            by_trial[event["trial"]] = before_s
    return by_trial


def _without(row: Row, withdrawn: frozenset[str]) -> Row:
    """Return a row without the codes of people who took their data back."""
    return {name: _without_codes(cell, withdrawn) for name, cell in row.items()}


def _without_codes(cell: Cell, withdrawn: frozenset[str]) -> Cell:
    if not isinstance(cell, str) or withdrawn.isdisjoint(codes := names_in(cell)):
        return cell
    return BETWEEN_NAMES.join(code for code in codes if code not in withdrawn) or None


def _refuse_equal_labels(studies: tuple[ExportedStudy, ...]) -> None:
    """Refuse studies with equal labels: file names drop all signs but letters and digits."""
    names: dict[str, str] = {}
    for study in studies:
        other = names.setdefault(study.label, study.name)
        if other != study.name:
            raise UserError(
                f"studies {other} and {study.name} would have the same files; "
                "export one at a time with --study"
            )


BIDS, PSYCH_DS, EXCEL = "bids", "psych-ds", "excel"


@dataclass(frozen=True, slots=True)
class Exported:
    """A finished export.

    Attributes
    ----------
    out
        The dataset.
    participants, sessions
        How many are in it.
    left_out
        Why sessions are not, by their ids.
    noted
        Whether a registry has noted the export.
    remarks
        What the experimenter should know, one sentence each.
    suspect
        Why sessions or tombstones can't be trusted; one line each.
    """

    out: Path
    participants: int
    sessions: int
    left_out: Mapping[str, str]
    noted: bool
    remarks: tuple[str, ...]
    suspect: tuple[str, ...] = ()


def export_bids(request: ExportRequest) -> Exported:
    """Write a BIDS dataset; UserError if nothing can be exported or the folder not be written."""

    def warnings(out: Path, lacking: Sequence[str]) -> list[str]:
        return [f"The validator of BIDS will warn of what isn't said: {', '.join(lacking)}; write "
                "it into dataset.toml (docs/exports.md)."] if lacking else []  # fmt: skip

    return _export(request, BIDS, bids_files, warnings)


def export_psych_ds(request: ExportRequest) -> Exported:
    """Write a Psych-DS dataset; UserError as for BIDS.

    Raises
    ------
    ValueError
        If the dataset breaks a rule of the standard, which would be a fault of ours.
    """

    def check(out: Path, lacking: Iterable[str]) -> list[str]:
        if faults := faults_of(out):
            raise ValueError(f"the dataset breaks rules of Psych-DS: {'; '.join(faults)}")
        return []

    return _export(request, PSYCH_DS, psych_ds_files, check)


def export_excel(request: ExportRequest) -> Exported:
    """Write workbooks of Excel; UserError as for BIDS."""
    return _export(request, EXCEL, excel_files, lambda out, lacking: [])


def _export(
    request: ExportRequest,
    kind: str,
    files: Callable[..., Files],
    check: Callable[[Path, tuple[str, ...]], list[str]],
) -> Exported:
    out = request.out.expanduser().absolute()
    _refuse_full(out)
    if request.purpose not in PURPOSES:
        raise UserError(f"--purpose {request.purpose!r}: not one of {', '.join(PURPOSES)}")
    with _lab(request) as (lab, registry):
        about, selection = read_about(request.about, lab), _selected(request, lab, registry)
        shown_files = shown_in(selection, request.packs)
        people = frozenset(session.participant for session in selection.sessions)
        try:
            if registry and left_overs_of(out):
                forget_export(registry, kind, str(out))
            with whole_folder(out) as aside, _noted(registry, kind, out, request, selection):
                _write(aside, files(selection, about, shown_files, datetime.now(UTC).date()))
                remarks = check(aside, about.lacking())
        except OSError as error:
            raise UserError(f"--out {out}: can't be written ({error.strerror})") from None
    noted = registry is not None
    all_remarks = (*_remarks(selection, noted=noted), *remarks)
    return Exported(
        out,
        len(people),
        len(selection.sessions),
        selection.left_out,
        noted,
        all_remarks,
        selection.suspect,
    )


@contextmanager
def _noted(
    registry: Registry | None, kind: str, out: Path, request: ExportRequest, selection: Selection
) -> Iterator[None]:
    """Let the registry know of an export from before it is written until it fails, if it does.

    An export that the registry doesn't know can't be replaced, and what a kill leaves of one can't
    be found when somebody in it withdraws.
    """
    if registry is None:
        yield
        return
    people = frozenset(session.participant for session in selection.sessions)
    experts = selection.people_of(known_codes(registry))
    note_export(registry, kind, str(out), request.purpose, people | experts)
    try:
        yield
    except BaseException:
        forget_export(registry, kind, str(out))
        raise


def _selected(
    request: ExportRequest, lab: LabFolder | None, registry: Registry | None
) -> Selection:
    if request.data is None:
        assert lab is not None
        folder = lab.data
    else:
        folder = DataFolder(request.data.absolute())
    return select(
        folder,
        ExportContent(
            request.study, request.purpose, request.with_text, lab.texts if lab else None
        ),
        Roll.with_registry(folder, lab, registry)
        if lab and registry
        else Roll.of(folder, request.lab),
    )


@contextmanager
def _lab(request: ExportRequest) -> Iterator[tuple[LabFolder | None, Registry | None]]:
    """Yield the lab and its registry; None if a data folder is named and there is no lab."""
    try:
        LabFolder.open(request.lab)
    except UserError:
        if request.data is None or request.lab is not None:
            raise
        yield None, None
        return
    with opened_lab(request.lab) as opened:
        yield opened


def _refuse_full(out: Path) -> None:
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UserError(f"--out {out}: is not empty; name a new folder")


def _write(folder: Path, files: Files) -> None:
    for path, content in files:
        write_private(inside(folder, path), content)


def _remarks(selection: Selection, *, noted: bool) -> list[str]:
    named = selection.suspect
    parts = [
        f"Left out: session {name}: {why}"
        for name, why in selection.left_out.items()
        if why not in named
    ]
    parts += selection.notes
    if selection.with_text:
        parts.append(
            f"Typed words are in it ({typed_columns(selection)}): read them before you hand it on."
        )
    if not noted:
        parts.append(
            "There is no lab folder, so no registry notes this export: a withdrawal won't name it."
        )
    return parts
