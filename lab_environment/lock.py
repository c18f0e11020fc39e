"""One caller at a time: a lock on an open file that goes with its holder."""

import io
import os
import time

from lab_environment.words import say


def take_lock(file: io.BufferedIOBase) -> None:
    """Lock an open file exclusively; wait for another holder. Closing the file releases it."""
    if not try_lock(file):
        say("another call is making the environment: waiting for it")
        while not try_lock(file):
            time.sleep(0.25)


def try_lock(file: io.BufferedIOBase) -> bool:
    """Try to lock an open file; return whether it worked."""
    try:
        if os.name == "nt":
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
