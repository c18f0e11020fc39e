"""The database behind the registry: it survives, and what is wrong with it is one line."""

import sqlite3

import pytest
from sqlalchemy import update

from participants.registry import Registry, tables, waiting
from stimuli.errors import UserError


def test_a_newer_registry_is_one_clear_line(url):
    registry = Registry.open(url)
    with registry._engine.begin() as connection:
        connection.execute(update(tables.meta).values(value="registry/2.0"))
    with pytest.raises(UserError, match=r"another version \(registry/2\.0\)"):
        Registry.open(url)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ("nonsense", "no such database"),
        ("foo://user:secret@host/db", "no such database"),
    ],
)
def test_a_url_of_no_database_is_one_clear_line_without_passwords(bad, message):
    with pytest.raises(UserError, match=message) as error:
        Registry.open(bad)
    assert "secret" not in str(error.value)


def test_a_file_that_is_no_registry_is_one_clear_line(tmp_path):
    path = tmp_path / "registry.sqlite"
    path.write_bytes(b"not a database at all, but long enough to be looked at" * 40)
    with pytest.raises(UserError, match="file is not a database"):
        Registry.open(f"sqlite:///{path.as_posix()}")


def test_a_registry_that_stays_locked_is_one_clear_line(registry, url, monkeypatch):
    monkeypatch.setattr(waiting, "BUSY_TIMEOUT_S", 0.05)
    hasty = Registry.open(url)
    blocker = sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")
    with pytest.raises(UserError, match="database is locked; another program holds it"):
        hasty.enrol("lead")
    blocker.close()
    hasty.enrol("lead")


def test_a_full_disk_is_one_clear_line_and_nobody_is_enrolled(registry):
    def fill(rows):
        rows.exec_driver_sql("PRAGMA max_page_count = 1")
        rows.exec_driver_sql("CREATE TABLE more AS SELECT zeroblob(100000)")

    with pytest.raises(UserError, match="disk is full; free space on its disk"):
        registry.transact(fill)
    assert registry.list() == ()
