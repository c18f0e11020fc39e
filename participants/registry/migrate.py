"""Databases of older versions, brought to the present one by alembic."""

from pathlib import Path
from typing import Final

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, inspect

from participants.registry.tables import alembic_version

SCRIPTS: Final = Path(__file__).parent / "migrations"


def migrate(connection: Connection, version: str) -> None:
    """Upgrade the tables of an older version, in the connection's transaction.

    Parameters
    ----------
    connection
        To the database.
    version
        The database's version, such as ``1.2``. A database from before alembic, which has no
        alembic version yet, is stamped with this one first.
    """
    config = Config(attributes={"connection": connection})
    # A percent sign would begin a reference to another option.
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    if not inspect(connection).has_table(alembic_version.name):
        command.stamp(config, version)
    command.upgrade(config, "head")
