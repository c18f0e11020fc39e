"""Databases written anew, so that nothing of deleted rows is left in their files."""

import sqlite3
from contextlib import closing

from sqlalchemy import create_engine
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError

from participants.registry.database import BUSY_TIMEOUT_S
from stimuli.errors import UserError


def compact(url: str) -> None:
    """Write a registry's database anew: deleted rows are in no page of it afterwards.

    Parameters
    ----------
    url
        The registry, which is there.

    Raises
    ------
    UserError
        If the database can't be written.
    """
    parsed = make_url(url)
    try:
        if parsed.get_backend_name() == "sqlite":
            with closing(sqlite3.connect(str(parsed.database), timeout=BUSY_TIMEOUT_S)) as database:
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
