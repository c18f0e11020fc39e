"""Databases of older versions get the tables of the present one, as if made anew."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, inspect, text

from participants.registry import Registry, database, tables
from participants.registry.migrate import SCRIPTS
from stimuli.errors import UserError

GOLDEN = Path(__file__).parents[2] / "golden"
VERSIONS = [f"1.{minor}" for minor in range(len(tables.REGISTRY_SCHEMA.steps) + 1)]


def copy(version, url):
    """Make a database as a version of the suite left it."""
    path = Path(url.removeprefix("sqlite:///"))
    path.parent.mkdir()
    script = (GOLDEN / f"registry-{version}" / "registry.sql").read_text(encoding="utf-8")
    with closing(sqlite3.connect(path)) as made:
        made.executescript(script)


def as_it_is(engine):
    """Return tables, columns and indices, and what alembic finds to differ from ours."""
    with engine.connect() as connection:
        found = inspect(connection)
        shape = {
            name: (
                sorted((column["name"], column["nullable"]) for column in found.get_columns(name)),
                sorted((index["name"], index["unique"]) for index in found.get_indexes(name)),
                sorted(key["referred_table"] for key in found.get_foreign_keys(name)),
                sorted(str(check["name"]) for check in found.get_check_constraints(name)),
            )
            for name in sorted(found.get_table_names())
        }
        differences = compare_metadata(MigrationContext.configure(connection), tables.metadata)
        stamps = connection.execute(text("SELECT version_num FROM alembic_version")).all()
    return shape, differences, stamps


@pytest.mark.parametrize("version", VERSIONS)
def test_a_migrated_database_has_the_tables_of_a_new_one(version, url, tmp_path):
    copy(version, url)
    old = database.connect(url)
    new = database.connect(f"sqlite:///{(tmp_path / 'new' / 'registry.sqlite').as_posix()}")
    shape, differences, stamps = as_it_is(old)
    assert differences == []
    assert (shape, [], stamps) == as_it_is(new)
    assert stamps == [(VERSIONS[-1],)]
    for engine in (old, new):
        engine.dispose()


def test_a_migrated_server_has_the_tables_of_a_new_one(server):
    """No server ever held an older version's tables but in a test: they are made as they were."""
    old, new = server.database(), server.database()
    own = {
        "exported",
        "exports",
        "demographics",
        "notes",
        "choices",
        "screenings",
        "takeovers",
        "payments",
    }
    engine = create_engine(old)
    with engine.begin() as connection:
        kept = [table for name, table in tables.metadata.tables.items() if name not in own]
        tables.metadata.create_all(connection, tables=kept)
        connection.execute(text("DROP TABLE alembic_version"))
        added = ("disqualified_utc", "lease_until_utc", "lease_pc")
        for column in (*added, "journal_lines", "journal_chain", "data_folder"):
            connection.execute(text(f"ALTER TABLE sessions DROP COLUMN {column}"))
        connection.execute(tables.meta.insert().values(key="schema", value="registry/1.1"))
    engine.dispose()
    engines = [database.connect(url) for url in (old, new)]
    first, second = map(as_it_is, engines)
    assert first == second
    assert first[1] == []
    for engine in engines:
        engine.dispose()


def test_versions_form_one_line_that_ends_with_the_present_one():
    scripts = ScriptDirectory(str(SCRIPTS))
    assert [script.revision for script in scripts.walk_revisions()] == VERSIONS[::-1]


def test_a_migration_that_breaks_off_leaves_the_database_as_it_was(url, monkeypatch):
    copy("1.1", url)
    path = Path(url.removeprefix("sqlite:///"))
    with closing(sqlite3.connect(path)) as before:
        was = list(before.iterdump())

    def broken(connection, version):
        connection.execute(text("ALTER TABLE sessions ADD COLUMN half VARCHAR"))
        raise UserError("broken off")

    monkeypatch.setattr("participants.registry.migrate.migrate", broken)
    with pytest.raises(UserError, match="broken off"):
        Registry.open(url)
    with closing(sqlite3.connect(path)) as after:
        assert list(after.iterdump()) == was
