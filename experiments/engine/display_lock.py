"""One session and one start window a display: keys reach every window's program.

So a second one is refused. The lock is a file's, which the system frees however its process ends.
The note beside it says who holds it.
"""

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from filelock import Timeout

from participants.files import UNSAFE_SIGNS, make_private, write_file
from participants.locks import private_lock
from stimuli.errors import UserError

# Long enough for another process's look whether the display is free.
LOCKED_WITHIN_S: Final = 0.5
LOCAL_HOSTS: Final = frozenset({"", "unix", "localhost"})


@contextmanager
def display_taken(by: str) -> Iterator[Callable[[str], None]]:
    """Keep other processes from the display that this one uses while the block lasts.

    Gives what changes the name of who has taken it.

    Parameters
    ----------
    by
        Who takes it, as whoever is refused will read it, such as ``session ID``.

    Raises
    ------
    UserError
        If another process has taken it: which, and since when. If the lock can't be written.
    """
    with _locked(_used_by) as note:

        def taken_by(name: str) -> None:
            if note is not None:
                write_file(note, _note(name))

        taken_by(by)
        yield taken_by


def require_free_display() -> None:
    """Raise UserError if another process has taken the display: which, and since when."""
    with _locked(_used_by):
        pass


@contextmanager
def only_start_window(refusal: str) -> Iterator[None]:
    """Keep other start windows from this display while the block lasts.

    A second one would lie over the session that the first one has started.

    Parameters
    ----------
    refusal
        What whoever opens a second one reads.

    Raises
    ------
    UserError
        If there is one. If the lock can't be written.
    """
    with _locked(lambda _: refusal, "-launch"):
        yield


@contextmanager
def _locked(refusal: Callable[[dict[str, Any]], str], kind: str = "") -> Iterator[Path | None]:
    """Hold a lock of the display; give the path of its note, None where there is no display.

    ``refusal`` says of the holder's note why there is no second one.
    """
    name = display_name() and f"{display_name()}{kind}"
    if not name:
        # Where no window can open there is nothing to keep; `require_display` says so.
        yield None
        return
    place = _runtime_folder()
    note = place / f"{name}.json"
    lock = private_lock(place / f"{name}.lock")
    try:
        make_private(place)
        lock.acquire(timeout=LOCKED_WITHIN_S)
    except Timeout:
        raise UserError(refusal(_read(note))) from None
    except OSError as error:
        raise UserError(
            f"display: its lock {lock.lock_file} can't be written ({error.strerror}); make "
            f"{place} writable"
        ) from None
    try:
        yield note
    finally:
        note.unlink(missing_ok=True)
        lock.release()


def display_name() -> str:
    """Return a file's name for the display that this process would use; empty if it has none.

    X11: host and number of DISPLAY, without the screen. Windows: the desktop session. macOS has
    one a user, as the folder has.
    """
    if sys.platform == "linux":
        host, _, number = os.environ.get("DISPLAY", "").rpartition(":")
        display = number.partition(".")[0]
        where = display if host in LOCAL_HOSTS else f"{host}-{display}"
        return display and f"display-{UNSAFE_SIGNS.sub('-', where)}"
    return f"desktop-{_windows_session()}" if sys.platform == "win32" else "desktop"


def _windows_session() -> int:
    import ctypes

    assert sys.platform == "win32"
    session = ctypes.c_uint32()
    ctypes.WinDLL("kernel32").ProcessIdToSessionId(os.getpid(), ctypes.byref(session))
    return session.value


def _runtime_folder() -> Path:
    """Return this user's folder of locks, the same one in every shell of this PC.

    Neither home nor TMPDIR or XDG_RUNTIME_DIR tell: two shells at one display may differ in them.
    """
    if sys.platform == "linux":
        return Path("/tmp") / f"plainsight-{os.getuid()}"
    return Path(tempfile.gettempdir()) / "plainsight"


def _note(by: str) -> bytes:
    since = datetime.now().astimezone().isoformat(timespec="minutes")
    return json.dumps({"by": by, "since": since, "process": os.getpid()}).encode("utf-8")


def _read(note: Path) -> dict[str, Any]:
    try:
        return json.loads(note.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def _used_by(holder: dict[str, Any]) -> str:
    if not holder:
        return "display: in use by another session; end that one first"
    clock = datetime.fromisoformat(holder["since"]).strftime("%H:%M")
    return (
        f"display: in use by {holder['by']} since {clock} (process {holder['process']}); end that "
        "one first, or wait until it has ended"
    )
