"""All rows of a person, and how they go: on a file and on a server."""

from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import create_engine, insert, select

from participants.registry import Registry
from participants.registry.database import compact
from participants.registry.records import (
    NAMELESS,
    bury,
    exports_of,
    forget,
    records_of,
    tombstones,
)
from participants.registry.tables import (
    appointments,
    choices,
    consents,
    demographics,
    exported,
    exports,
    metadata,
    notes,
    payments,
    people,
    screenings,
    takeovers,
)
from tests.participants.registry.people import assign, lead, session_of

WHEN = "2026-01-01T00:00:00.000000Z"
NOT_OF_PEOPLE = {"meta", "withdrawals", "exports", "takeovers"}


@pytest.fixture
def both(either_url, clock):
    with closing(Registry.open(either_url, clock)) as opened:
        yield either_url, opened


def fill(registry, code, session):
    """Give a person a row in every table."""
    assign(registry, code)
    registry.start_session(session_of(code, session))
    rows = {
        consents: {
            "session": session, "text": "consent", "version": "1.0", "sha256": "0" * 64,
            "language": "en", "agreed": True, "answered_utc": WHEN,
        },
        screenings: {"procedure": "d15", "result": "{}", "screened_utc": WHEN},
        choices: {"name": "told_result", "value": "yes", "chosen_utc": WHEN},
        notes: {"kind": "note", "text": f"{code}: dizzy", "noted_utc": WHEN},
        demographics: {"age_band": "20-29", "answered_utc": WHEN},
        payments: {
            "session": session, "study": "accept_reject", "cents": 1200, "currency": "EUR",
            "paid_utc": WHEN,
        },
        appointments: {"study": "s", "rig": "a", "begins_utc": WHEN, "minutes": 60},
    }  # fmt: skip
    taken = {"from_rig": "a", "to_rig": "b", "reason": f"seat of {code}", "taken_utc": WHEN}
    shared = {"kind": "bids", "place": f"{code}/", "purpose": "sharing", "made_utc": WHEN}

    def work(connection):
        for table, row in rows.items():
            connection.execute(insert(table).values(code=code, **row))
        connection.execute(insert(takeovers).values(session=session, **taken))
        made = connection.execute(insert(exports).values(**shared)).inserted_primary_key[0]
        connection.execute(insert(exported).values(export_id=made, code=code))

    registry.transact(work)


def cells(registry):
    """Every cell of every table, as text, by table."""

    def work(connection):
        return {
            table.name: [str(cell) for row in connection.execute(select(table)) for cell in row]
            for table in metadata.sorted_tables
        }

    return registry.transact(work)


def bytes_of(url):
    """All that a database keeps in its files; a server's log of writes isn't among them."""
    if url.startswith("sqlite"):
        return Path(url.removeprefix("sqlite:///")).read_bytes()
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql("CHECKPOINT")
        place = Path(connection.exec_driver_sql("SHOW data_directory").scalar())
        own = connection.exec_driver_sql(
            "SELECT oid FROM pg_database WHERE datname = current_database()"
        ).scalar()
    engine.dispose()
    return b"".join(one.read_bytes() for one in (place / "base" / str(own)).iterdir())


def test_nothing_of_a_person_is_left_but_the_tombstone(both):
    url, registry = both
    code, other = lead(registry), lead(registry)
    for number, one in enumerate((code, other)):
        fill(registry, one, f"s-{number}")
    found = registry.transact(lambda connection: records_of(connection, code))
    assert set(found) == {table.name for table in metadata.sorted_tables} - NOT_OF_PEOPLE
    of_other = registry.transact(lambda connection: records_of(connection, other))
    (export,) = registry.transact(lambda connection: exports_of(connection, code))
    assert bury(registry, {code: None}) == {code: WHEN}
    registry.transact(lambda connection: forget(connection, code, WHEN))
    compact(url)
    assert {name for name, own in cells(registry).items() if any(code in cell for cell in own)} == {
        "withdrawals"
    }
    assert bytes_of(url).count(code.encode()) == 2
    assert registry.transact(lambda connection: records_of(connection, other)) == of_other
    text = f"Export {export.id} (bids, ({NAMELESS})/, {WHEN}) holds data of {NAMELESS}"
    assert any(cell.startswith(text) for cell in cells(registry)["notes"])
    # What was paid stays in the sum, without a name.
    paid = registry.transact(
        lambda connection: connection.execute(select(payments).order_by(payments.c.id)).all()
    )
    assert [(row.code, row.session, row.cents) for row in paid] == [
        (None, None, 1200), (other, "s-1", 1200),
    ]  # fmt: skip
    # The place in the design is free again.
    assert len(cells(registry)["assignments"]) == len(metadata.tables["assignments"].c)


def test_tombstones_keep_their_first_date_and_forgetting_twice_changes_nothing(both, clock):
    _, registry = both
    code = lead(registry)
    assert bury(registry, {code: "2025-01-01T00:00:00.000000Z"}) == bury(registry, {code: None})
    clock.wait(60)
    assert bury(registry, {code: None})[code].startswith("2025")
    for _ in range(2):
        registry.transact(lambda connection: forget(connection, code, WHEN))
    assert registry.transact(tombstones) == {code: "2025-01-01T00:00:00.000000Z"}
    assert cells(registry)["notes"] == []


def test_deleted_rows_would_stay_in_the_file_without_all_this(url):
    """SQLite itself may leave them in free pages, and the search finds them there."""

    def delete_most(connection):
        connection.exec_driver_sql("PRAGMA secure_delete = OFF")
        connection.execute(people.delete().where(people.c.code != codes[0]))

    with closing(Registry.open(url)) as registry:
        codes = [lead(registry) for _ in range(200)]
        registry.transact(delete_most)
    assert any(code.encode() in bytes_of(url) for code in codes[1:])
    compact(url)
    assert not any(code.encode() in bytes_of(url) for code in codes[1:])
    assert codes[0].encode() in bytes_of(url)
