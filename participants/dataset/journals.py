"""All journals of a data folder, with their sidecars and the copies of their packs.

A session's sidecar says how the session was run, in one file that people can read. A data folder's
copy of a pack has the manifest and tables, without stimuli.
"""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from participants.anchor import Anchor, refuse_unless_kept
from participants.files import write_file
from participants.folder import REPLACED, DataFolder, SessionPaths, is_kept, replaced_hashes
from participants.journal import Event, Journal, read_journal
from participants.registry.people import REHEARSAL
from stimuli.errors import UserError
from stimuli.io.files import is_left_over
from stimuli.pack import Pack
from stimuli.pack.folder import Damage, damage_of, read_manifest, refuse_damage
from stimuli.pack.model import Manifest
from stimuli.versions import Document, Schema

NO_ANCHORS: Final[Mapping[str, Anchor]] = MappingProxyType({})

Readings = tuple[dict[str, Journal], dict[str, str]]
"""Journals by session, and why others can't be read, by session."""


def read_journals(data: DataFolder, known: Mapping[str, Anchor] = NO_ANCHORS) -> Readings:
    """Return the journals that were begun, and why others can't be read, by session.

    Journals of rehearsals are left out, wherever they lie.

    Parameters
    ----------
    data
        The data folder.
    known
        Which lines of journals the registry knows, by session.
    """
    journals: dict[str, Journal] = {}
    unreadable: dict[str, str] = {}
    for paths in known_sessions(data, known):
        try:
            journal = read_known_journal(paths, known)
        except UserError as error:
            unreadable[paths.session] = within(data, error)
            continue
        if journal.events and journal.header["purpose"] != REHEARSAL:
            journals[paths.session] = journal
    return journals, unreadable


def known_sessions(data: DataFolder, known: Mapping[str, Anchor]) -> Iterator[SessionPaths]:
    """Yield the sessions of a data folder that have a journal or should have one, oldest first."""
    for paths in data.session_folders():
        if paths.session in known or paths.began:
            yield paths


def read_known_journal(paths: SessionPaths, known: Mapping[str, Anchor]) -> Journal:
    """Return a session's journal if it still has the lines that the registry knows.

    Raises
    ------
    UserError
        As `read_journal`, or if these lines are missing or were changed.
    """
    journal = read_journal(paths.journal)
    refuse_unless_kept(journal.links, known.get(paths.session), paths.session, "the registry")
    return journal


def within(data: DataFolder, error: UserError) -> str:
    """Shorten a message's paths to those within the data folder."""
    return str(error).replace(f"{data.root}{os.sep}", "")


def _without_anchor(document: Document) -> Document:
    """1.0 → 1.1: the journal's last link wasn't kept."""
    return {**document, "lines": None, "chain": None}


SESSION_SCHEMA: Final = Schema("session", 1, 1, {0: _without_anchor})
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


def write_session_sidecar(paths: SessionPaths) -> Anchor | None:
    """Write a session's sidecar again, and return the anchor of its journal.

    If the session's data were withdrawn, the sidecar is deleted and None returned.

    Raises
    ------
    UserError
        If the journal can't be read or the file not be written.
    """
    # Commands that only read journals don't need sessions.
    from participants.session import withdrawal_in

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


def open_pack_copy(data: DataFolder, pack_id: str) -> Pack:
    """Return a data folder's copy of a pack after checking its seal.

    All its tables must be there, as they were built. Stimuli may lie beside them if somebody put
    the whole pack there; then all must be there, and are checked too. The code of somebody who took
    their data back may be replaced (`participants.folder`).

    Raises
    ------
    UserError
        If the copy is missing or is of another pack, or if files are missing, extra or changed; the
        message names them.
    """
    folder = data.pack_copy(pack_id)
    if not folder.is_dir():
        raise UserError(f"{folder}: is missing; copy pack {pack_id}'s folder there")
    manifest = read_manifest(folder)
    if manifest.pack_id != pack_id:
        raise UserError(f"{folder}: contains pack {manifest.pack_id}")
    refuse_damage(folder, _damage_of_copy(folder, manifest))

    def read(path: str) -> bytes:
        try:
            return (folder / path).read_bytes()
        except OSError as error:
            raise UserError(f"{folder / path}: can't be read ({error.strerror})") from None

    return Pack(manifest, read)


def _damage_of_copy(folder: Path, manifest: Manifest) -> Damage:
    """Compare a copy's files with the manifest, as far as a copy keeps them."""
    kept = {path: sha256 for path, sha256 in manifest.files.items() if is_kept(path)}
    whole = any((folder / path).exists() for path in manifest.files if path not in kept)
    files = manifest.files if whole else kept
    damage = damage_of(
        folder, replace(manifest, files=files), replaced_hashes(folder), beside=(REPLACED,)
    )
    # Copies aren't passed on, so leftovers of a file manager or a power cut do no harm.
    foreign = tuple(path for path in damage.foreign if not is_left_over(folder / path))
    return replace(damage, litter=(), foreign=foreign)
