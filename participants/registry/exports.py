"""Exports in the registry: what was handed on, and whose data were in it."""

from collections.abc import Collection

from sqlalchemy import Connection, insert, select

from participants.clock import utc_text
from participants.registry.registry import Registry
from participants.registry.tables import exported, exports, people


def known_codes(registry: Registry) -> frozenset[str]:
    """Return the codes of everybody in a registry."""
    return registry.transact(
        lambda connection: frozenset(connection.scalars(select(people.c.code)))
    )


def note_export(
    registry: Registry, kind: str, place: str, purpose: str, codes: Collection[str]
) -> None:
    """Note that data were handed on, so that a later withdrawal can name the export.

    Parameters
    ----------
    registry
        The lab's registry.
    kind
        The standard: ``bids`` or ``psych-ds``.
    place
        The folder.
    purpose
        What the sessions in it were for.
    codes
        Whose data are in it.
    """

    def work(connection: Connection) -> None:
        stamp = utc_text(registry.now())
        row = {"kind": kind, "place": place, "purpose": purpose, "made_utc": stamp}
        made = connection.execute(insert(exports).values(**row))
        key = made.inserted_primary_key
        assert key is not None
        (number,) = key
        if codes:
            rows = [{"export_id": number, "code": code} for code in sorted(codes)]
            connection.execute(insert(exported), rows)

    registry.transact(work)
