"""What a lab holds, to compare with what was brought back; and what can go wrong."""

import os
import signal
import sqlite3
from datetime import UTC, datetime

from participants.backup.store import REGISTRY_COPY

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
NOT_KEPT = ("backups.json", ".lock")
NOTES = ("logs/", "data/untold/")
"""Logs aren't backed up; a restored lab reads unfinished sessions' journals again."""


def contents(root):
    """Return every file of a lab that a backup keeps; of a database its rows."""
    found = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_file() and not name.startswith(NOTES) and not name.endswith(NOT_KEPT):
            found[name] = rows_of(path) if path.name == REGISTRY_COPY else path.read_bytes()
    return found


def rows_of(path):
    with sqlite3.connect(path) as database:
        return "\n".join(database.iterdump())


def flip(path):
    """Change one bit of a file."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 4
    path.write_bytes(data)


def dying(name, step):
    """Replace a function of os by one that kills the process at its Nth call."""
    change, left = getattr(os, name), [step]

    def either(*arguments, **named):
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return change(*arguments, **named)

    setattr(os, name, either)


def killed(name, step, work):
    """Do some work in a child, killed at its Nth call of a function of os; return if it was."""
    child = os.fork()
    if child == 0:
        dying(name, step)
        work()
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])
