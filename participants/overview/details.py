"""All that a lab holds of one person, told without the arm."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from operator import itemgetter
from typing import Any, Final

from sqlalchemy import Connection

from participants.folder import LabFolder
from participants.notes import notes_in
from participants.registry import Registry
from participants.registry.records import BLIND, exports_of, records_of, tombstones
from stimuli.errors import UserError

Section = tuple[Mapping[str, Any], ...]
OF_THE_DATABASE: Final = frozenset({"id", "code", "export_id", "lease_until_utc", "lease_pc"})
ORDER: Final = (
    "people", "sessions", "assignments", "consents", "screenings", "choices", "demographics",
    "payments", "appointments", "notes",
)  # fmt: skip


NOTE_COLUMNS: Final = ("kind", "text", "noted_utc", "session")


def details_of(
    lab: LabFolder, registry: Registry, code: str, *, unblind: bool = False
) -> Mapping[str, Section]:
    """Return what is recorded of a person, by the registry's tables.

    Parameters
    ----------
    lab, registry
        The lab. Each session is marked by whether its journal lies in the lab's data folder.
    code
        Who.
    unblind
        Include the assigned list, order and side.

    Raises
    ------
    UserError
        If the code is unknown, or nothing but the tombstone is left.
    """
    rows, exports, withdrawn_utc = registry.transact(
        lambda connection: (
            records_of(connection, code),
            exports_of(connection, code),
            _withdrawn(connection, code),
        )
    )
    if not rows:
        raise UserError(
            f"code {code}: withdrew on {withdrawn_utc[:10]}; nothing else is kept"
            if withdrawn_utc
            else f"code {code}: is not in this registry; see: participants list"
        )
    left_out = OF_THE_DATABASE | (frozenset() if unblind else BLIND)
    recorded: dict[str, tuple[dict[str, Any], ...]] = {
        name: tuple(_shown_fields(row, left_out) for row in rows[name])
        for name in ORDER
        if name in rows
    }
    known = [{**row, "session": None} for row in recorded.pop("notes", ())]
    for session in recorded.get("sessions", ()):
        paths = lab.data.session(session["session"])
        session["journal_here"] = paths.journal.exists()
        known += ({name: row[name] for name in NOTE_COLUMNS} for row in notes_in(paths))
    if known:
        recorded["notes"] = tuple(sorted(known, key=itemgetter("noted_utc")))
    if exports:
        recorded["exports"] = tuple(asdict(export) for export in exports)
    if withdrawn_utc:
        recorded["withdrawal"] = ({"withdrawn_utc": withdrawn_utc},)
    return recorded


def _withdrawn(connection: Connection, code: str) -> str | None:
    return tombstones(connection).get(code)


def _shown_fields(row: Mapping[str, Any], left_out: frozenset[str]) -> dict[str, Any]:
    fields = {name: value for name, value in row.items() if name not in left_out}
    if "result" in fields:
        fields["result"] = json.loads(fields["result"])
    return fields
