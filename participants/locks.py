"""Lock files that only their owner may open, like the data that they guard."""

from pathlib import Path
from typing import Any

from filelock import FileLock

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
