"""What the registry holds of a person besides sessions: how it is entered and deleted.

People's choices, and what they stated about themselves, are rows that outlast a session. Rows of
exports say what was handed on, and whose data were in it.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, String, Table, and_, delete, func, insert, select, update

from participants.clock import utc_text
from participants.registry.people import as_people_write, check_code
from participants.registry.registry import Registry
from participants.registry.sessions import person_row
from participants.registry.tables import (
    choices,
    demographics,
    exported,
    exports,
    metadata,
    notes,
    payments,
    people,
    sessions,
    takeovers,
    withdrawals,
)

Rows = Mapping[str, tuple[Mapping[str, Any], ...]]
NAMELESS: Final = "somebody who took their data back"
BLIND: Final = frozenset({"list", "order", "accept_side"})
"""Columns that reveal a person's arm of a study."""


@dataclass(frozen=True, slots=True)
class Export:
    """Data that were exported; attributes as the columns of the registry's table."""

    id: int
    kind: str
    place: str
    purpose: str
    made_utc: str


def records_of(connection: Connection, code: str) -> Rows:
    """Return a person's rows by table, without the tombstone; tables without rows are left out."""
    by_table = {
        table.name: tuple(
            dict(row._mapping)
            for row in connection.execute(select(table).where(table.c.code == code))
        )
        for table in _of_people()
    }
    return {name: rows for name, rows in by_table.items() if rows}


def exports_of(connection: Connection, code: str) -> tuple[Export, ...]:
    """Return the exports that hold a person's data, in the order in which they were made."""
    wanted = (
        select(exports)
        .join(exported, exported.c.export_id == exports.c.id)
        .where(exported.c.code == code)
        .order_by(exports.c.id)
    )
    return tuple(Export(**row._mapping) for row in connection.execute(wanted))


def tombstones(connection: Connection) -> dict[str, str]:
    """Return when people took their data back, by code."""
    rows = connection.execute(select(withdrawals))
    return {row.code: row.withdrawn_utc for row in rows}


def bury(registry: Registry, withdrawn: Mapping[str, str | None]) -> dict[str, str]:
    """Enter tombstones; a code that has one keeps its date.

    Parameters
    ----------
    registry
        The lab's registry.
    withdrawn
        When, by code; None stands for now.

    Returns
    -------
    dict
        When, by code.
    """

    def work(connection: Connection) -> dict[str, str]:
        known = tombstones(connection)
        for code, when in withdrawn.items():
            if code not in known:
                known[code] = when or utc_text(registry.now())
                row = {"code": code, "withdrawn_utc": known[code]}
                connection.execute(insert(withdrawals).values(row))
        return {code: known[code] for code in withdrawn}

    return registry.transact(work)


def forget(connection: Connection, code: str, now: str) -> None:
    """Delete all rows of a person except the tombstone, and the code from other rows.

    For each export with the person's data, a note of the lab stays, which names nobody. Payments
    stay as sums without code and session.

    Parameters
    ----------
    connection
        Within a transaction.
    code
        Who.
    now
        The time of day, of `utc_text`.
    """
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("PRAGMA secure_delete = ON")
    for export in exports_of(connection, code):
        text = (
            f"Export {export.id} ({export.kind}, {export.place}, {export.made_utc}) holds data of "
            f"{NAMELESS}: make it anew, and replace it where it was handed on."
        )
        row = {"code": None, "kind": "note", "text": text, "noted_utc": now}
        connection.execute(insert(notes).values(row))
    paid = update(payments).where(payments.c.code == code)
    connection.execute(paid.values(code=None, session=None))
    of_person = select(sessions.c.session).where(sessions.c.code == code)
    connection.execute(delete(takeovers).where(takeovers.c.session.in_(of_person)))
    for table in _of_people():
        connection.execute(delete(table).where(table.c.code == code))
    _leave_out(connection, code)


def _of_people() -> tuple[Table, ...]:
    """Return the tables with rows of people; those that others refer to come last."""
    tables = reversed(metadata.sorted_tables)
    return tuple(table for table in tables if "code" in table.c and table is not withdrawals)


def _leave_out(connection: Connection, code: str) -> None:
    """Replace a code in free text, such as a note on somebody else."""
    written = as_people_write(code)
    for table in metadata.sorted_tables:
        for column in table.c:
            if table is withdrawals or not isinstance(column.type, String):
                continue
            texts = connection.scalars(select(column).where(column.is_not(None)).distinct()).all()
            for text in texts:
                nameless = written.sub(f"({NAMELESS})", text)
                if nameless != text:
                    changed = {column.name: nameless}
                    connection.execute(update(table).where(column == text).values(changed))


def record_choice(
    registry: Registry, code: str, name: str, value: str, session: str | None = None
) -> None:
    """Enter a person's choice; the last one of a name counts.

    Raises
    ------
    UserError
        If the code is unknown or withdrawn, or the registry can't be reached.
    """
    known = check_code(code)
    row = {"code": known, "name": name, "value": value, "session": session}

    def work(connection: Connection) -> None:
        person_row(connection, known)
        stamp = utc_text(registry.now())
        connection.execute(insert(choices).values(chosen_utc=stamp, **row))

    registry.transact(work)


def record_demographics(registry: Registry, code: str, answers: Mapping[str, str | None]) -> None:
    """Enter what a person stated about themselves; earlier answers are replaced.

    Parameters
    ----------
    registry, code
        Where, and who.
    answers
        ``age_band``, ``gender``, ``glasses``, ``acuity`` and ``language``; None for what was
        skipped.

    Raises
    ------
    UserError
        As `record_choice`.
    """
    code = check_code(code)

    def work(connection: Connection) -> None:
        person_row(connection, code)
        connection.execute(delete(demographics).where(demographics.c.code == code))
        row = {"code": code, "answered_utc": utc_text(registry.now()), **answers}
        connection.execute(insert(demographics).values(row))

    registry.transact(work)


def known_codes(registry: Registry) -> frozenset[str]:
    """Return the codes of everybody in a registry."""
    return registry.transact(
        lambda connection: frozenset(connection.scalars(select(people.c.code)))
    )


def note_export(
    registry: Registry, kind: str, place: str, purpose: str, codes: Collection[str]
) -> None:
    """Note that data were exported, so that a later withdrawal can name the export.

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
        Codes of the people whose data are in it.
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


def forget_export(registry: Registry, kind: str, place: str) -> None:
    """Delete the newest note of an export to a place, since that export came to nothing."""

    def work(connection: Connection) -> None:
        same_export = and_(exports.c.kind == kind, exports.c.place == place)
        newest = connection.scalar(select(func.max(exports.c.id)).where(same_export))
        connection.execute(delete(exported).where(exported.c.export_id == newest))
        connection.execute(delete(exports).where(exports.c.id == newest))

    registry.transact(work)
