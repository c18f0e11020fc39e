"""The sidecar of one session: how it was run, in one file that people can read."""

import json
from typing import Any, Final

from participants.anchor import Anchor
from participants.files import write_file
from participants.folder import SessionPaths
from participants.journal import Event, Journal, read_journal
from participants.session import withdrawal_in
from stimuli.versions import Document, Schema


def _without_anchor(document: Document) -> Document:
    """1.0 → 1.1: the journal's last link wasn't kept."""
    return {**document, "lines": None, "chain": None}


SESSION_SCHEMA: Final = Schema("session", 1, 1, {0: _without_anchor})
# What stays the same in every part of a session.
KEPT: Final = (
    "session", "participant", "role", "study", "purpose", "pack_id", "protocol_hash", "list",
    "order", "language", "robot",
)  # fmt: skip
# What may differ after an interruption.
OF_A_PART: Final = (
    "resumed", "rig", "refresh_hz", "pacing", "keyboard_backend", "clock", "display", "versions",
    "time_zone",
)  # fmt: skip


def session_sidecar(journal: Journal) -> dict[str, Any]:
    """Return what stands beside a journal, from the journal alone.

    Each part (the session, and every resumption) has the rig as it was, what the checks found
    and what was overridden, and the experimenter's checklist. `lines` and `chain` anchor the
    journal (`participants.anchor`).

    Raises
    ------
    UserError
        If the session never began.
    """
    header = journal.header
    return {
        "schema": SESSION_SCHEMA.tag,
        **{name: header[name] for name in KEPT},
        "complete": journal.complete,
        "lines": len(journal.links),
        "chain": journal.chain,
        "parts": [_part(events) for events in _parts(journal)],
    }


def write_session_sidecar(paths: SessionPaths) -> Anchor | None:
    """Write a session's sidecar again, and return the anchor of its journal.

    None is kept of a session whose data were withdrawn.

    Raises
    ------
    UserError
        If the journal can't be read or the file not be written.
    """
    journal = read_journal(paths.journal)
    if withdrawal_in(journal):
        paths.sidecar.unlink(missing_ok=True)
        return None
    text = json.dumps(session_sidecar(journal), indent=1, ensure_ascii=False) + "\n"
    write_file(paths.sidecar, text.encode("utf-8"))
    return journal.anchor


def _parts(journal: Journal) -> list[list[Event]]:
    parts: list[list[Event]] = []
    for event in journal.events:
        if event.event == "session":
            parts.append([])
        parts[-1].append(event)
    return parts


def _part(events: list[Event]) -> dict[str, Any]:
    begun = events[0]
    said = {event.event: dict(event.fields) for event in events}
    return {
        "begun_utc": begun.t_utc,
        "ended_utc": events[-1].t_utc,
        **{name: begun[name] for name in OF_A_PART},
        "checks": said.get("checks"),
        "checklist": said.get("checklist"),
    }
