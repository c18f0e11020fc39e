"""How transactions of several processes wait for one another, and when one gives up.

Each waits for a minute. The minute begins anew whenever somebody has written meanwhile: a busy
machine makes transactions slow, and they fail only if a process keeps the database to itself.
"""

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from filelock import Timeout
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from participants.files import private_lock

BUSY_TIMEOUT_S: Final = 60.0
# PostgreSQL refused a transaction because of another one: not serialisable, a deadlock, a row
# that both made (PostgreSQL's manual, 13.5).
REFUSED: Final = frozenset({"40001", "40P01", "23505"})
# It waited too long for a lock or in a statement, or this process stood still.
HELD_UP: Final = frozenset({"55P03", "57014", "25P03"})
FIRST_PAUSE_S: Final = 0.005
LONGEST_PAUSE_S: Final = 0.5
POLLED_S: Final = (0.005, 0.03)
# What a transaction wrote is counted when it ends, or a second later.
ROWS_WRITTEN: Final = "SELECT sum(n_tup_ins + n_tup_upd + n_tup_del) FROM pg_stat_user_tables"


@contextmanager
def in_turn(file: Path) -> Iterator[None]:
    """Be the next to use an SQLite file; whoever begins a transaction inside leaves the turn.

    SQLite has no queue: a process that begins one transaction after another leaves the file free
    for moments that the others hardly ever meet. So only one process at a time asks SQLite. The
    others wait for their turn, and who had it last waits with them.

    Parameters
    ----------
    file
        The database. If its folder allows no locks, nobody waits here.
    """
    lock = private_lock(file.with_name(f".{file.name}.lock"), fallback_to_soft=False)
    written = None
    while not lock.is_locked and written != (written := _changed_ns(file)):
        with suppress(Timeout, OSError, NotImplementedError):
            lock.acquire(BUSY_TIMEOUT_S, poll_interval=random.uniform(*POLLED_S))
    try:
        yield
    finally:
        lock.release()


def _changed_ns(file: Path) -> int:
    # It must not be opened: closing it would end this process's locks on it.
    return file.stat().st_mtime_ns if file.exists() else 0


class Patience:
    """Decides whether a transaction that failed is tried again; one for each piece of work."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._give_up_s = time.monotonic() + BUSY_TIMEOUT_S
        self._pause_s, self._is_stale = FIRST_PAUSE_S, True
        self._written: int | None = None

    def outlasts(self, error: DBAPIError, *, ended: bool) -> bool:
        """Return, after a random pause, whether the transaction is to be tried again.

        Parameters
        ----------
        error
            Why it failed.
        ended
            Whether its work was done, so that the server may have kept it.
        """
        # The connection may date from before a restart of the server, or the server cut it off
        # because this process stood still; one retry is enough.
        renewed = self._is_stale and error.connection_invalidated and not ended
        self._is_stale = False
        if not renewed and not self._lasts(getattr(error.orig, "sqlstate", None)):
            return False
        time.sleep(random.uniform(0.0, self._pause_s))
        self._pause_s = min(2 * self._pause_s, LONGEST_PAUSE_S)
        return True

    def _lasts(self, state: str | None) -> bool:
        if state in HELD_UP and self._written != (written := self._rows_written()):
            self._written = written
            self._give_up_s = time.monotonic() + BUSY_TIMEOUT_S
        return state in HELD_UP | REFUSED and time.monotonic() < self._give_up_s

    def _rows_written(self) -> int | None:
        try:
            with self._engine.connect() as connection:
                return connection.exec_driver_sql(ROWS_WRITTEN).scalar()
        except DBAPIError:
            return self._written
