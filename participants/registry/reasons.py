"""Why the registry's database can't be used, in one line that says what to do."""

import re
from typing import Final

from sqlalchemy.exc import DBAPIError

# Servers speak the language that they were set up in; connections have no error codes yet.
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
NO_FILE: Final = "is it this lab's own, in a writable file on a local disk?"


def why(error: DBAPIError, name: str, dialect: str) -> str:
    """Return one line: which database, what it said, what to do.

    Parameters
    ----------
    error
        What the driver raised.
    name
        The database's URL without its password.
    dialect
        sqlite or postgresql.
    """
    said = " ".join(str(error.orig).split())
    if dialect == "sqlite":
        return f"registry {name}: {said}; {NO_FILE}"
    remedies = (then for pattern, then in REMEDIES if re.search(pattern, said, re.IGNORECASE))
    return f"registry {name}: {said}; {next(remedies, AWAY)}"
