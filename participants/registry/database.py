"""The connection to the registry's database: tables, repeated transactions, plain errors.

A database can be written anew, so that nothing of deleted rows is left in its files.
"""

import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from socket import SHUT_RDWR, socket
from threading import Timer
from typing import Any, Final, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event, inspect, select, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, NoSuchModuleError

from participants.files import make_private
from participants.registry import waiting
from participants.registry.tables import REGISTRY_SCHEMA, SCHEMA_KEY, meta, metadata
from stimuli.errors import UserError
from stimuli.io.files import OWNER_ONLY_FILE

# Longer than an attempt may wait in the queue.
ANSWER_S: Final = 40.0
SERVER_OPTIONS: Final[Mapping[str, str]] = {
    "connect_timeout": "5",
    # A pulled cable is noticed within seconds, not after the system's quarter of an hour.
    "keepalives_idle": "5",
    "keepalives_interval": "2",
    "keepalives_count": "3",
    "tcp_user_timeout": "10000",
    "options": "-c lock_timeout=20s -c statement_timeout=30s "
    "-c idle_in_transaction_session_timeout=15s",
}
# The process with this lock writes; backups can still read.
LOCKED_TABLE: Final = "meta"
# Any number will do, as long as all versions of the suite take the same.
MAKING_LOCK: Final = 7_529_417

Result = TypeVar("Result")

# Servers answer in the language they were set up in; connection errors have no code yet.
REMEDIES: Final = (
    (
        r"password|passwor[dt]|no pg_hba\.conf|authenti",
        "the server doesn't let this user in: see user and password file (docs/several_pcs.md)",
    ),
    (
        r"(database|datenbank) .*(not exist|existiert nicht)",
        "make the database first: createdb (docs/several_pcs.md)",
    ),
    (
        r"(role|rolle) .*(not exist|existiert nicht)",
        "make the user first: createuser (docs/several_pcs.md)",
    ),
    (
        r"could not serialize|deadlock|timeout|nicht serialis|verklemmung",
        "other PCs write to it too; try again",
    ),
    (
        r"permission denied|keine berechtigung|read-only",
        "the database must belong to the user that lab.toml names",
    ),
)

AWAY: Final = "see that the server runs and that this PC reaches it, then try again"

FILE_REMEDIES: Final = (
    ("locked", "another program holds it; close that program, then try again"),
    ("full", "free space on its disk, then try again"),
)
NO_FILE: Final = "is it this lab's own, in a writable file on a local disk?"


def connect(url: str, *, new: bool = True) -> Engine:
    """Return the engine of a registry's database, with tables of the present version.

    Parameters
    ----------
    url
        ``sqlite:///FILE`` or ``postgresql+psycopg://USER@HOST/DATABASE``. What its query sets
        (``?connect_timeout=20``) goes before `SERVER_OPTIONS`.
    new
        Create the tables if they aren't there.

    Raises
    ------
    UserError
        If the URL isn't a database's, the database can't be opened, another version made it, or it
        isn't there and isn't to be created.
    """
    try:
        parsed = make_url(url)
        backend = parsed.get_backend_name()
        if backend == "sqlite":
            _prepare_file(parsed, new=new)
            engine = create_engine(parsed, connect_args={"timeout": waiting.BUSY_TIMEOUT_S})
            _take_over_transactions(engine)
        else:
            engine = _server(parsed)
    except (ArgumentError, NoSuchModuleError, ImportError) as error:
        raise UserError(
            f"registry {url.partition('://')[0]}://…: no such database ({error}); see lab.toml"
        ) from None
    name = _name(engine)
    _repeated(_one_at_a_time(engine), lambda connection: _make_or_check(connection, name, new=new))
    return engine


class LostRegistryError(UserError):
    """A registry isn't there any more."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"registry {name}: is gone, though this lab had one; restore brings it back from a "
            "backup, participants rebuild makes it again from the journals"
        )


def transact(engine: Engine, work: Callable[[Connection], Result]) -> Result:
    """Do some work in one serialisable transaction, and return its result.

    Transactions queue up (`participants.registry.waiting`). On SQLite they do before BEGIN
    IMMEDIATE, on PostgreSQL by a lock that they take first: without it, serialisable transactions
    on small tables refuse each other again and again. One that is refused nevertheless is repeated
    for up to a minute, after random pauses that grow.

    Parameters
    ----------
    engine
        The database.
    work
        Uses the connection. It may be called several times, so it must only read and write the
        database.

    Raises
    ------
    UserError
        If the database can't be reached or written.
    """

    return _repeated(engine, work, _queue_up)


def _queue_up(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        # The transaction's view of the data begins after it.
        connection.exec_driver_sql(f"LOCK TABLE {LOCKED_TABLE} IN EXCLUSIVE MODE")


def _repeated(
    engine: Engine,
    work: Callable[[Connection], Result],
    first: Callable[[Connection], None] = lambda connection: None,
) -> Result:
    patience = waiting.Patience(engine)
    while True:
        ended = False
        try:
            with _transaction(engine) as connection:
                first(connection)
                result = work(connection)
                ended = True
            return result
        except DBAPIError as error:
            if patience.outlasts(error, ended=ended):
                continue
            if isinstance(error, IntegrityError):
                raise
            raise UserError(why(error, _name(engine), engine.dialect.name)) from error


@contextmanager
def _transaction(engine: Engine) -> Iterator[Connection]:
    """Yield a connection in a transaction; a server that doesn't answer is disconnected."""
    with engine.connect() as connection:
        if engine.dialect.name == "sqlite":
            with connection.begin():
                yield connection
            return
        # Nothing else notices a server that hangs while its operating system answers.
        driver = connection.connection.driver_connection
        assert driver is not None
        wire = driver.pgconn.socket
        timer = Timer(ANSWER_S, _hang_up, (wire,))
        timer.daemon = True
        timer.start()
        try:
            with connection.begin():
                yield connection
        finally:
            timer.cancel()


def _hang_up(wire: int) -> None:
    with suppress(OSError):
        ours = socket(fileno=wire)
        try:
            ours.shutdown(SHUT_RDWR)
        finally:
            # The driver closes it.
            ours.detach()


def _prepare_file(url: URL, *, new: bool) -> None:
    """Create a database's file for its owner only; SQLite's journals get the same permissions."""
    if url.database in (None, "", ":memory:"):
        raise UserError(f"registry {url}: names no file, so it keeps nothing; see lab.toml")
    file = Path(url.database)
    if not new and not file.exists():
        raise LostRegistryError(str(url))
    make_private(file.parent)
    # An existing file keeps its permissions; if the file can't be created, SQLite says why.
    with suppress(OSError):
        file.touch(mode=OWNER_ONLY_FILE, exist_ok=False)


def _server(url: URL) -> Engine:
    options = {name: value for name, value in SERVER_OPTIONS.items() if name not in url.query}
    if url.get_backend_name() != "postgresql":
        raise ArgumentError("take sqlite or postgresql+psycopg")
    return create_engine(
        url.set(drivername="postgresql+psycopg"),
        isolation_level="SERIALIZABLE",
        connect_args=options,
    )


def _one_at_a_time(engine: Engine) -> Engine:
    """Return the engine for making tables.

    A process that waited for the lock must see what the previous one made, so the transaction must
    not keep the view it had at its beginning.
    """
    if engine.dialect.name == "sqlite":
        return engine
    return engine.execution_options(isolation_level="READ COMMITTED")


def _take_over_transactions(engine: Engine) -> None:
    """Begin transactions explicitly: Python's driver would only begin at the first write."""

    @event.listens_for(engine, "connect")
    def _no_implicit_begin(connection: Any, _record: Any) -> None:
        connection.isolation_level = None
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = FULL")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        with waiting.in_turn(Path(str(engine.url.database))):
            connection.exec_driver_sql("BEGIN IMMEDIATE")


def _make_or_check(connection: Connection, where: str, *, new: bool) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": MAKING_LOCK})
    if not inspect(connection).has_table(meta.name):
        if not new:
            raise LostRegistryError(where)
        metadata.create_all(connection)
        connection.execute(meta.insert().values(key=SCHEMA_KEY, value=REGISTRY_SCHEMA.tag))
        return
    tag = connection.scalar(select(meta.c.value).where(meta.c.key == SCHEMA_KEY))
    if tag != REGISTRY_SCHEMA.tag:
        raise UserError(
            f"registry {where}: is of another version ({tag}), this Plainsight needs "
            f"{REGISTRY_SCHEMA.tag}: take the same version of Plainsight on all PCs"
        )


def _name(engine: Engine) -> str:
    return engine.url.render_as_string(hide_password=True)


def why(error: DBAPIError, name: str, dialect: str) -> str:
    """Return one line with the database, its message and the remedy.

    Parameters
    ----------
    error
        What the driver raised.
    name
        The database's URL without its password.
    dialect
        sqlite or postgresql.
    """
    message = " ".join(str(error.orig).split())
    known, otherwise = (FILE_REMEDIES, NO_FILE) if dialect == "sqlite" else (REMEDIES, AWAY)
    remedies = (then for pattern, then in known if re.search(pattern, message, re.IGNORECASE))
    return f"registry {name}: {message}; {next(remedies, otherwise)}"


def compact(url: str) -> None:
    """Rewrite a registry's database, so that no page of it holds deleted rows.

    Parameters
    ----------
    url
        An existing registry.

    Raises
    ------
    UserError
        If the database can't be written.
    """
    parsed = make_url(url)
    try:
        if parsed.get_backend_name() == "sqlite":
            file, timeout_s = Path(str(parsed.database)), waiting.BUSY_TIMEOUT_S
            with waiting.in_turn(file), closing(sqlite3.connect(file, timeout_s)) as database:
                database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                database.execute("VACUUM")
            return
        server = parsed.set(drivername="postgresql+psycopg")
        engine = create_engine(server, isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.exec_driver_sql("VACUUM FULL")
        engine.dispose()
    except (sqlite3.Error, DBAPIError) as error:
        name = parsed.render_as_string(hide_password=True)
        raise UserError(f"registry {name}: {error}; the same command tries it again") from None
