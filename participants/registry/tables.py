"""Tables of the registry, and the connection to its database."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Connection,
    Engine,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    create_engine,
    event,
    inspect,
    select,
    text,
)
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, NoSuchModuleError

from participants.files import make_private
from stimuli.errors import UserError
from stimuli.io.schema import Schema

REGISTRY_SCHEMA: Final = Schema(
    "registry", 1, 2, {minor: lambda document: document for minor in (0, 1)}
)
# What brings a database from a minor version to the next.
MIGRATIONS: Final = {
    0: ("ALTER TABLE assignments ADD COLUMN accept_side VARCHAR",),
    1: ("ALTER TABLE sessions ADD COLUMN disqualified_utc VARCHAR",),
}
BUSY_TIMEOUT_S: Final = 30.0
SCHEMA_KEY: Final = "schema"
OWNER_ONLY: Final = 0o600

metadata = MetaData()

# Times are ISO 8601 in UTC with microseconds and Z: they sort and compare as text, on
# every database alike.

meta = Table(
    "meta",
    metadata,
    Column("key", String, primary_key=True),
    Column("value", String, nullable=False),
)

people = Table(
    "people",
    metadata,
    Column("code", String(16), primary_key=True),
    Column("role", String, nullable=False),
    Column("purpose", String, nullable=False),
    Column("axis", String),
    Column("rung", Integer),
    Column("enrolled_utc", String, nullable=False),
    CheckConstraint("role IN ('lead', 'expert', 'participant')", name="role_known"),
    CheckConstraint("(axis IS NULL) = (rung IS NULL)", name="axis_with_rung"),
)

assignments = Table(
    "assignments",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("code", ForeignKey("people.code"), nullable=False),
    Column("study", String, nullable=False),
    Column("pack_id", String, nullable=False),
    Column("purpose", String, nullable=False),
    Column("rig", String, nullable=False),
    Column("list", String, nullable=False),
    Column("order", String, nullable=False),
    Column("assigned_utc", String, nullable=False),
    Column("accept_side", String),
    Index("one_assignment_a_pack", "code", "pack_id", "purpose", unique=True),
)

sessions = Table(
    "sessions",
    metadata,
    Column("session", String(120), primary_key=True),
    Column("code", ForeignKey("people.code"), nullable=False),
    Column("study", String, nullable=False),
    Column("pack_id", String, nullable=False),
    Column("purpose", String, nullable=False),
    Column("rig", String, nullable=False),
    Column("state", String, nullable=False),
    Column("trials_done", Integer, nullable=False),
    Column("started_utc", String, nullable=False),
    Column("heard_utc", String, nullable=False),
    Column("ended_utc", String),
    Column("disqualified_utc", String),
    CheckConstraint("state IN ('running', 'stopped', 'complete')", name="state_known"),
    Index("sessions_of_a_code", "code"),
)

consents = Table(
    "consents",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("code", ForeignKey("people.code"), nullable=False),
    Column("session", String(120)),
    Column("text", String, nullable=False),
    Column("version", String, nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("language", String, nullable=False),
    Column("agreed", Boolean, nullable=False),
    Column("answered_utc", String, nullable=False),
    Index("consents_of_a_code", "code"),
)

# A withdrawal outlives the person's other rows: no foreign key.
withdrawals = Table(
    "withdrawals",
    metadata,
    Column("code", String(16), primary_key=True),
    Column("withdrawn_utc", String, nullable=False),
)


def connect(url: str) -> Engine:
    """Return the engine of a registry's database, its tables made at first use.

    Raises
    ------
    UserError
        If the URL is no database's, the database can't be opened, or a newer version
        made it.
    """
    try:
        parsed = make_url(url)
        if parsed.get_backend_name() == "sqlite":
            if parsed.database in (None, "", ":memory:"):
                raise UserError(f"registry {url}: names no file, so it keeps nothing; see lab.toml")
            make_private(Path(parsed.database).parent)
            _make_private_file(Path(parsed.database))
        engine = create_engine(parsed, connect_args=_arguments(parsed.get_backend_name()))
    except (ArgumentError, NoSuchModuleError, ImportError) as error:
        raise UserError(
            f"registry {url.partition('://')[0]}://…: no such database ({error}); see lab.toml"
        ) from None
    if engine.dialect.name == "sqlite":
        _take_over_transactions(engine)
    with transaction(engine) as connection:
        _make_or_check(connection, engine.url.render_as_string(hide_password=True))
    return engine


@contextmanager
def transaction(engine: Engine) -> Iterator[Connection]:
    """Give a connection inside one serialisable transaction.

    On SQLite it is BEGIN IMMEDIATE: writers queue up for up to 30 s. A server database must
    run these blocks as SERIALIZABLE and repeat one that is refused.

    Raises
    ------
    UserError
        If the database can't be reached or written.
    """
    try:
        with engine.begin() as connection:
            yield connection
    except IntegrityError:
        raise
    except DBAPIError as error:
        name = engine.url.render_as_string(hide_password=True)
        raise UserError(
            f"registry {name}: {error.orig}; is it this lab's own, in a writable file "
            "on a local disk?"
        ) from error


def _make_private_file(file: Path) -> None:
    """Make a database's file for its owner alone; SQLite gives its journals the same rights."""
    # What is there keeps its rights; where the file can't be made, SQLite says why.
    with suppress(OSError):
        file.touch(mode=OWNER_ONLY, exist_ok=False)


def _arguments(backend: str) -> dict[str, Any]:
    return {"timeout": BUSY_TIMEOUT_S} if backend == "sqlite" else {}


def _take_over_transactions(engine: Engine) -> None:
    """Begin transactions ourselves: Python's driver would only begin at the first write."""

    @event.listens_for(engine, "connect")
    def _no_implicit_begin(connection: Any, _record: Any) -> None:
        connection.isolation_level = None
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = FULL")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")


def _make_or_check(connection: Connection, where: str) -> None:
    if not inspect(connection).has_table(meta.name):
        metadata.create_all(connection)
        connection.execute(meta.insert().values(key=SCHEMA_KEY, value=REGISTRY_SCHEMA.tag))
        return
    tag = connection.scalar(select(meta.c.value).where(meta.c.key == SCHEMA_KEY))
    REGISTRY_SCHEMA.upgrade({"schema": tag}, f"registry {where}")
    if tag != REGISTRY_SCHEMA.tag:
        _migrate(connection, int(str(tag).rpartition(".")[2]))


def _migrate(connection: Connection, minor: int) -> None:
    """Bring the tables of an older minor version to the present one, in this transaction."""
    for version in range(minor, REGISTRY_SCHEMA.minor):
        for statement in MIGRATIONS[version]:
            connection.execute(text(statement))
    connection.execute(
        meta.update().where(meta.c.key == SCHEMA_KEY).values(value=REGISTRY_SCHEMA.tag)
    )
