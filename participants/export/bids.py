"""A selection in the form of the Brain Imaging Data Structure: files by their paths.

Behavioural data as of the Brain Imaging Data Structure 1.10, "Modality specific files:
Behavioral experiments (with no neural recordings)".
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any, Final

from participants.export import description
from participants.export.selection import ExportedSession, ExportedStudy, Selection, ShownFiles
from stimuli.io.tables import Cell, Column, Row, TableSchema, levels, sidecar, text_of
from stimuli.versions import suite_version

VERSION: Final = "1.10.0"
TRIAL_TYPE: Final = "trial_type"
NOTHING: Final = "n/a"
FORM: Final = f"the Brain Imaging Data Structure (BIDS) {VERSION}"
FILES: Final = """\
- `participants.tsv`: who took part. `sub-CODE/sub-CODE_sessions.tsv`: their sessions.
- `sub-CODE/ses-NN/beh/*_beh.tsv`: a row a trial, in the columns of Plainsight's trial table.
  Times in its `onset_s` begin anew where a session was resumed.
- `sub-CODE/ses-NN/beh/*_events.tsv`: onsets since the session's first start.
- `task-NAME_beh.json`, `task-NAME_events.json`: what each column means, and the instructions.
- `phenotype/`: a row a session with answers that were given once.
- `stimuli/`: tables of what was shown, and the files that were shown where they were exported.
- `code/`: the protocols, every field spelled out."""

PARTICIPANT: Final = Column("participant_id", "text", "sub- and the participant's code.")
SESSION: Final = Column("session_id", "text", "ses- and the session's number, from 01.")
ROLE: Final = Column(
    "role",
    "text",
    "The person's role.",
    levels=levels(
        lead="decides on solutions",
        expert="solves tasks and marks what the solution rests on",
        participant="takes part where there is one role",
    ),
)
SESSIONS: Final = (
    SESSION,
    Column("study", "text", "The study, by its name in Plainsight."),
    Column("language", "text", "Language of the texts, by IETF tag."),
    Column("complete", "boolean", "Whether the session was finished."),
    Column("parts", "integer", "Number of times it was started or continued."),
)
STIM_FILE: Final = Column(
    "stim_file", "text", "What was shown, below the folder stimuli.", optional=True
)
EVENTS: Final = (
    Column("onset", "real", "Onset of the stimulus since the session's first start.", unit="s"),
    Column("duration", "real", "How long the stimulus was on the screen.", "s", optional=True),
    Column(TRIAL_TYPE, "text", "The study's arm or cell."),
    Column("trial", "integer", "Place of the trial in the session, as in the file of its name."),
    Column("item", "text", "The stimulus, regardless of what was shown with it."),
    Column("response_time", "real", "From onset to answer.", unit="s", optional=True),
)

Files = Iterator[tuple[str, bytes]]


def bids_files(
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
    yield "dataset_description.json", description.pretty(_description(selection, about))
    yield "README.md", description.readme(selection, about, FORM, FILES).encode("utf-8")
    yield "CHANGES", description.changes(today).encode("utf-8")
    yield from _people(selection)
    for study in selection.studies:
        yield from _study(selection, study, about, shown_files)
    yield from description.protocol_files(selection, "code")
    for path, content in shown_files.files():
        yield f"stimuli/{path}", content


def _description(selection: Selection, about: description.About) -> dict[str, Any]:
    fields = {
        "Authors": list(about.authors),
        "License": about.license,
        "Acknowledgements": about.acknowledgements,
        "Funding": list(about.funding),
        "EthicsApprovals": list(about.ethics),
        "ReferencesAndLinks": list(about.references),
    }
    return {
        "Name": description.title_of(selection, about),
        "BIDSVersion": VERSION,
        "DatasetType": "raw",
        **{name: value for name, value in fields.items() if value},
        "GeneratedBy": [
            {
                "Name": "Plainsight",
                "Version": suite_version(),
                "Description": "Written from the sessions' journals by export bids. Labels of "
                "tasks are names of studies without signs that are no letter or digit: "
                + ", ".join(f"{study.name} is {study.label}" for study in selection.studies)
                + ".",
            }
        ],
        "SourceDatasets": [
            {"Version": f"SHA-256 of the journals' chains: {description.source_of(selection)}"}
        ],
    }


def _people(selection: Selection) -> Files:
    by_code: dict[str, list[tuple[ExportedStudy, ExportedSession]]] = {}
    for study in selection.studies:
        for session in study.sessions:
            by_code.setdefault(session.participant, []).append((study, session))
    rows = [
        {"participant_id": f"sub-{code}", "role": pairs[0][1].header["role"]}
        for code, pairs in sorted(by_code.items())
    ]
    yield from _table("participants", (PARTICIPANT, ROLE), rows)
    yield "sessions.json", description.pretty(_columns_json(SESSIONS))
    for code, pairs in sorted(by_code.items()):
        ordered = sorted(pairs, key=lambda pair: pair[1].number)
        sessions = [_session_row(study, session) for study, session in ordered]
        yield f"sub-{code}/sub-{code}_sessions.tsv", tsv(SESSIONS, sessions)


def _session_row(study: ExportedStudy, session: ExportedSession) -> Row:
    return {
        "session_id": f"ses-{session.label}",
        "study": study.name,
        "language": session.header["language"],
        "complete": session.complete,
        "parts": session.parts,
    }


def _study(
    selection: Selection, study: ExportedStudy, about: description.About, shown_files: ShownFiles
) -> Files:
    with_files = any(shown_files.files_of(session) for session in study.sessions)
    columns = selection.columns(study.tables.trials) + ((STIM_FILE,) if with_files else ())
    events = _events_columns(study) + ((STIM_FILE,) if with_files else ())
    task = _task(study, about, selection.texts)
    yield f"task-{study.label}_beh.json", description.pretty(task | _columns_json(columns))
    presented = task | {"StimulusPresentation": _software(study)}
    yield f"task-{study.label}_events.json", description.pretty(presented | _columns_json(events))
    for session in study.sessions:
        files = shown_files.files_of(session)
        rows = [row | {"stim_file": files.get(row.get("presentation"))} for row in session.rows]
        stem = _stem(study, session)
        yield f"{stem}_beh.tsv", tsv(columns, rows)
        yield f"{stem}_events.tsv", tsv(events, _events(session, rows))
    yield from _phenotype(selection, study)
    for name, beside in study.beside.items():
        schema = study.tables.schema(name)
        yield from _table(f"stimuli/{study.label}_{name}", selection.columns(schema), beside)


def _events_columns(study: ExportedStudy) -> tuple[Column, ...]:
    """Return the columns of events; they point to the table that says what the arms are."""
    arms = study.tables.arms
    if arms is None:
        return EVENTS
    where = f" stimuli/{study.label}_{arms.name}.tsv says who made what each arm shows, and how."
    return tuple(
        replace(column, description=column.description + where)
        if column.name == TRIAL_TYPE
        else column
        for column in EVENTS
    )


def _task(study: ExportedStudy, about: description.About, texts: Path | None) -> dict[str, Any]:
    fields = {
        "Instructions": description.instructions_of(study, texts),
        "InstitutionName": about.institution,
        "InstitutionalDepartmentName": about.department,
        "InstitutionAddress": about.address,
    }
    return {
        "TaskName": study.label,
        "TaskDescription": description.what_is_done(study),
        **{name: value for name, value in fields.items() if value},
    }


def _software(study: ExportedStudy) -> dict[str, str]:
    """Return what presented the stimuli, as the first session's journal says it."""
    versions: Mapping[str, str] = study.sessions[0].header["versions"]
    known = ", ".join(f"{name} {version}" for name, version in sorted(versions.items()))
    return {"SoftwareName": "Plainsight", "SoftwareVersion": known or NOTHING}


def _stem(study: ExportedStudy, session: ExportedSession) -> str:
    who, which = f"sub-{session.participant}", f"ses-{session.label}"
    return f"{who}/{which}/beh/{who}_{which}_task-{study.label}"


def _events(session: ExportedSession, rows: Iterable[Row]) -> list[Row]:
    """Return the onsets, in the order of time."""
    in_order = sorted(zip(session.onsets_s, rows, strict=True), key=lambda pair: pair[0])
    return [
        {
            "onset": onset_s,
            "duration": row["shown_s"],
            "trial_type": row["condition"],
            "trial": row["trial"],
            "item": row["item"],
            "response_time": row["rt_s"],
            "stim_file": row["stim_file"],
        }
        for onset_s, row in in_order
    ]


def _phenotype(selection: Selection, study: ExportedStudy) -> Files:
    schema = study.tables.people
    if schema is None:
        return
    columns = (PARTICIPANT, SESSION, *selection.columns(schema))
    rows = [
        {
            "participant_id": f"sub-{session.participant}",
            "session_id": f"ses-{session.label}",
            **session.person,
        }
        for session in study.sessions
        if session.person is not None
    ]
    tool = {"MeasurementToolMetadata": {"Description": schema.description}}
    yield from _table(f"phenotype/{study.label}_people", columns, rows, tool)


def _table(
    stem: str, columns: tuple[Column, ...], rows: Iterable[Row], more: Mapping[str, Any] = {}
) -> Files:
    yield f"{stem}.tsv", tsv(columns, rows)
    yield f"{stem}.json", description.pretty({**more, **_columns_json(columns)})


def _columns_json(columns: tuple[Column, ...]) -> dict[str, Any]:
    return sidecar(TableSchema("", "", columns))


def tsv(columns: Iterable[Column], rows: Iterable[Row]) -> bytes:
    """Return rows as tab-separated values, with ``n/a`` for nothing."""
    columns = tuple(columns)
    lines = [[column.name for column in columns]]
    lines += [[_cell(row[column.name]) for column in columns] for row in rows]
    return "".join("\t".join(line) + "\n" for line in lines).encode("utf-8")


def _cell(value: Cell) -> str:
    """Return a cell's text; the format has no way to quote a tab or the end of a line."""
    return " ".join(text_of(value).split()) or NOTHING
