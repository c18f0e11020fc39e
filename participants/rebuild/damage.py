"""Registries whose file is damaged: set aside, never deleted."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from participants.lab_settings import SQLITE
from participants.withdrawal.holdings import BESIDE
from stimuli.errors import UserError


def set_damaged_aside(url: str) -> Path | None:
    """Rename a registry's file if it is no intact database; return its new place, None if it is.

    Only SQLite's files are looked at; a server mends its databases itself.

    Parameters
    ----------
    url
        The registry.

    Raises
    ------
    UserError
        If another program uses the file, or it can't be renamed.
    """
    path = Path(url.removeprefix(SQLITE))
    if not url.startswith(SQLITE) or not path.exists() or _is_intact(path):
        return None
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    aside = path.with_name(f"{path.stem}.damaged-{stamp}{path.suffix}")
    try:
        for end in ("", *BESIDE):
            part = path.with_name(path.name + end)
            if part.exists():
                part.rename(aside.with_name(aside.name + end))
    except OSError as error:
        raise UserError(
            f"{path}: can't be renamed ({error.strerror}); close what uses it"
        ) from None
    return aside


def _is_intact(path: Path) -> bool:
    try:
        with closing(sqlite3.connect(path)) as database:
            return database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    except sqlite3.OperationalError as error:
        raise UserError(f"{path}: {error}; close what uses it, then rebuild again") from None
    except sqlite3.DatabaseError:
        return False
