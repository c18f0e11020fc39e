"""A session's sidecar: how the session was run, in one file that people can read.

It is made from the journal alone, so an edited one is noticed wherever its journal is.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from participants.anchor import SIDECAR, refuse_unless_kept, stated_anchor
from participants.journal.recorded import Event, Journal
from stimuli.errors import UserError
from stimuli.io.inside import refuse_odd
from stimuli.versions import Schema

SESSION_SCHEMA: Final = Schema("session")
_AGAIN: Final = "put the one of a backup in its place; if there is none, delete it"
# Fields that stay the same in every part of a session.
KEPT: Final = (
    "session", "participant", "role", "study", "purpose", "pack_id", "protocol_hash", "list",
    "order", "language", "robot",
)  # fmt: skip
# Fields that may differ after an interruption.
OF_A_PART: Final = (
    "resumed", "rig", "refresh_hz", "pacing", "keyboard_backend", "clock", "display", "versions",
    "time_zone",
)  # fmt: skip


def session_sidecar(journal: Journal) -> dict[str, Any]:
    """Return the content of a journal's sidecar, made from the journal alone.

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


def refuse_edited_sidecar(journal: Journal, path: Path) -> None:
    """Refuse a journal if the sidecar beside it isn't the one that was made from it.

    The journal may go on after the lines that the sidecar was made from. Without a sidecar (e.g.
    the session was killed) nothing is refused.

    Parameters
    ----------
    journal
        A journal.
    path
        Its file, for the message.

    Raises
    ------
    UserError
        If the sidecar can't be read, knows lines that the journal lacks, or says something else.
    """
    beside = path.with_name(SIDECAR)
    refuse_odd(beside)
    try:
        stated: Any = json.loads(beside.read_bytes())
    except FileNotFoundError:
        return
    except (OSError, ValueError, RecursionError):
        stated = None
    if not isinstance(stated, Mapping):
        raise UserError(
            f"{path}: {SIDECAR} beside it can't be read; copy both again from the PC where the "
            "session ran"
        )
    document = SESSION_SCHEMA.upgrade(dict(stated), str(beside))
    anchor = stated_anchor(document)
    refuse_unless_kept(journal.links, anchor, str(path))
    lines = len(journal.links) if anchor is None else anchor.lines
    made = json.loads(json.dumps(session_sidecar(journal.first(lines))))
    names = made.keys() | document.keys()
    if odd := sorted(name for name in names if document.get(name) != made.get(name)):
        raise UserError(f"{path}: {SIDECAR} beside it was edited ({', '.join(odd)}); {_AGAIN}")


def _parts(journal: Journal) -> list[list[Event]]:
    parts: list[list[Event]] = []
    for event in journal.events:
        if event.event == "session":
            parts.append([])
        parts[-1].append(event)
    return parts


def _part(events: list[Event]) -> dict[str, Any]:
    begun = events[0]
    fields_of = {event.event: dict(event.fields) for event in events}
    return {
        "begun_utc": begun.t_utc,
        "ended_utc": events[-1].t_utc,
        **{name: begun[name] for name in OF_A_PART},
        "checks": fields_of.get("checks"),
        "checklist": fields_of.get("checklist"),
    }
