"""Lock files that only their owner may open, like the data that they guard."""

from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from stimuli.io.files import OWNER_ONLY_FILE


def private_lock(path: Path, **settings: Any) -> FileLock:
    """Return a lock on a file, which is made when the lock is taken first.

    Parameters
    ----------
    path
        The file.
    settings
        Of `filelock.FileLock`.
    """
    return FileLock(path, mode=OWNER_ONLY_FILE, **settings)


def is_locked(path: Path) -> bool:
    """Return whether a process, this one too, holds the lock on a file.

    It is the operating system's lock: it dies with its holder. Where files can't be locked nobody
    holds one.
    """
    try:
        private_lock(path, timeout=0, fallback_to_soft=False).acquire().lock.release()
    except Timeout:
        return True
    except (OSError, NotImplementedError):
        return False
    return False
