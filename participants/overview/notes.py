"""Notes on people and on the lab: incidents, compensation, anything else; never names."""

from collections.abc import Iterator, Mapping
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, insert, select

from participants.clock import utc_text
from participants.folder import DataFolder, SessionPaths
from participants.journal import read_journal
from participants.nameless import check_nameless
from participants.registry import Registry
from participants.registry.sessions import person_row
from participants.registry.tables import NOTE_KINDS, notes
from stimuli.errors import UserError

IN_SESSIONS = "incident"
"""The kind of the notes that are written during a session, or at its end."""


def note(registry: Registry, kind: str, text: str, code: str | None = None) -> None:
    """Enter a note.

    Parameters
    ----------
    registry
        The lab's registry.
    kind
        incident, compensation or note.
    text
        What happened; see `check_nameless`.
    code
        Whom it is about; None for the lab.

    Raises
    ------
    UserError
        If the kind or the code is unknown, the person has withdrawn, or the text names somebody.
    """
    if kind not in NOTE_KINDS:
        raise UserError(f"no kind of note {kind!r}; take one of {', '.join(NOTE_KINDS)}")
    row = {"code": code, "kind": kind, "text": check_nameless(text, own=code)}

    def work(connection: Connection) -> None:
        if code is not None:
            person_row(connection, code)
        connection.execute(insert(notes).values(noted_utc=utc_text(registry.now()), **row))

    registry.transact(work)


def notes_of(registry: Registry, data: DataFolder) -> tuple[Mapping[str, Any], ...]:
    """Return all notes, oldest first, those that sessions' journals hold among them.

    Each has when, kind, code (None for the lab's), session (None outside of sessions) and text.
    """

    def work(connection: Connection) -> list[Mapping[str, Any]]:
        columns = (notes.c.noted_utc, notes.c.kind, notes.c.code, notes.c.text)
        rows = connection.execute(select(*columns).order_by(notes.c.id))
        return [dict(row._mapping) for row in rows]

    known = [{**row, "session": None} for row in registry.transact(work)]
    in_sessions = (row for paths in data.sessions() for row in notes_in(paths))
    return tuple(sorted([*known, *in_sessions], key=itemgetter("noted_utc")))


def notes_in(paths: SessionPaths) -> Iterator[Mapping[str, Any]]:
    """Yield the notes that a session's journal holds; none if there is no whole journal."""
    # Most journals have none, and needn't be read line by line.
    if not paths.journal.exists() or b'"event":"note"' not in paths.journal.read_bytes():
        return
    try:
        journal = read_journal(paths.journal)
    except UserError:
        return
    for event in journal.of("note"):
        yield {
            "noted_utc": event.t_utc,
            "kind": IN_SESSIONS,
            "code": journal.header["participant"],
            "session": paths.session,
            "text": event["text"],
        }
