"""All journals of a data folder, with the copies of their packs.

A data folder's copy of a pack has the manifest and tables, without stimuli.
"""

import json
import os
from dataclasses import replace
from pathlib import Path

from participants.anchor import Anchor
from participants.dataset.custody import Roll
from participants.files import write_file
from participants.folder import DataFolder, SessionPaths, is_kept
from participants.journal import Journal, read_journal
from participants.journal.sidecar import session_sidecar
from participants.new_person import REHEARSAL
from participants.replaced_codes import REPLACED, is_replaced
from participants.tombstones import read_tombstones
from stimuli.errors import UserError
from stimuli.io.files import is_left_over
from stimuli.io.given_files import read_bytes
from stimuli.pack import Pack
from stimuli.pack.folder import Damage, damage_of, read_manifest, refuse_damage
from stimuli.pack.model import Manifest

Readings = tuple[dict[str, Journal], dict[str, str]]
"""Journals by session, and why others can't be trusted, by session."""


def read_journals(data: DataFolder, roll: Roll | None = None) -> Readings:
    """Return the journals that were begun, and why others can't be trusted, by session.

    Journals of rehearsals are left out, wherever they lie.

    Parameters
    ----------
    data
        The data folder.
    roll
        What is known of it; by default only what it says itself.
    """
    roll = roll or Roll.without_registry(data)
    journals: dict[str, Journal] = {}
    suspect: dict[str, str] = {}
    for paths in roll.sessions():
        try:
            journal = roll.read(paths)
        except UserError as error:
            suspect[paths.session] = why(data, paths, error)
            continue
        if journal.events and journal.header["purpose"] != REHEARSAL:
            journals[paths.session] = journal
    return journals, suspect


def suspect_in(roll: Roll) -> tuple[str, ...]:
    """Return why records of a data folder can't be trusted, one line each.

    These are sessions that are missing or were changed, copies of packs, and tombstones.
    """
    journals, suspect = read_journals(roll.data, roll)
    packs = dict.fromkeys(str(journal.header["pack_id"]) for journal in journals.values())
    damaged: list[str] = []
    for pack_id in packs:
        try:
            open_pack_copy(roll.data, pack_id)
        except UserError as error:
            damaged.append(within(roll.data, error))
    return (*suspect.values(), *damaged, *roll.disputes())


def why(data: DataFolder, paths: SessionPaths, error: UserError) -> str:
    """Return why a session can't be trusted, in one line that begins with its id."""
    line = within(data, error).replace(within(data, UserError(str(paths.journal))), paths.session)
    return line if line.startswith(paths.session) else f"{paths.session}: {line}"


def within(data: DataFolder, error: UserError) -> str:
    """Shorten a message's paths to those within the data folder."""
    return str(error).replace(f"{data.root}{os.sep}", "")


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


def open_pack_copy(data: DataFolder, pack_id: str) -> Pack:
    """Return a data folder's copy of a pack after checking its seal.

    All its tables must be there, as they were built. Stimuli may lie beside them if somebody put
    the whole pack there; then all must be there, and are checked too. The code of somebody who took
    their data back may be replaced (`participants.replaced_codes`).

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
    refuse_damage(folder, _damage_of_copy(data, folder, manifest))
    return Pack(manifest, lambda path: read_bytes(folder / path))


def _damage_of_copy(data: DataFolder, folder: Path, manifest: Manifest) -> Damage:
    """Compare a copy's files with the manifest, as far as a copy keeps them."""
    kept = {path: sha256 for path, sha256 in manifest.files.items() if is_kept(path)}
    whole = any((folder / path).exists() for path in manifest.files if path not in kept)
    files = manifest.files if whole else kept
    damage = damage_of(folder, replace(manifest, files=files), beside=(REPLACED,))
    codes = read_tombstones(data)
    changed = tuple(
        path for path in damage.changed if not is_replaced(folder / path, files[path], codes)
    )
    # Copies aren't passed on, so leftovers of a file manager or a power cut do no harm.
    foreign = tuple(path for path in damage.foreign if not is_left_over(folder / path))
    return replace(damage, litter=(), foreign=foreign, changed=changed)
