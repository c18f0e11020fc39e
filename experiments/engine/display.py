"""The display that a window opens on: whether it answers, and who uses it.

Whether a window could open is checked before anything that takes long.

A display has at most one session and one start window, because keys reach every program's window. A
second one is refused. The lock is a file lock, which the system releases however its process ends.
A note beside it says who holds it.
"""

import ctypes
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from filelock import FileLock, Timeout

from participants.files import UNSAFE_SIGNS, make_private, private_lock, write_file
from stimuli.errors import UserError

UOI_FLAGS: Final = 1
WSF_VISIBLE: Final = 1
MAC_SERVICES: Final = "/System/Library/Frameworks/ApplicationServices.framework/ApplicationServices"


class _StationFlags(ctypes.Structure):
    """USEROBJECTFLAGS of the Windows API."""

    _fields_ = (
        ("inherit", ctypes.c_int),
        ("reserved", ctypes.c_int),
        ("flags", ctypes.c_uint32),
    )


def missing_display() -> str | None:
    """Say what is wrong with the display that this process would use; None if it answers."""
    if sys.platform == "linux":
        if not os.environ.get("DISPLAY"):
            return "there is no display (DISPLAY is not set)"
        if not _x_answers():
            return f"the display DISPLAY={os.environ['DISPLAY']} doesn't answer"
    elif sys.platform == "win32" and not _windows_station_is_visible():
        return "there is no desktop (a service or a remote shell has none)"
    elif sys.platform == "darwin" and not _mac_session_has_screen():
        return "there is no desktop (a remote shell has none)"
    return None


def require_display() -> None:
    """Raise UserError if there is no display that answers."""
    if (missing := missing_display()) is not None:
        virtual = ", or for a robot give --display virtual" if sys.platform == "linux" else ""
        raise UserError(f"window: {missing}; start this at the lab PC's own screen{virtual}")


def _x_answers() -> bool:
    from Xlib import display, error

    try:
        display.Display().close()
    except (error.DisplayError, error.XError, OSError):
        return False
    return True


def _windows_station_is_visible() -> bool:
    """Ask the process's window station; if it doesn't answer, return True and let a window try."""
    assert sys.platform == "win32"
    user32 = ctypes.WinDLL("user32")
    user32.GetProcessWindowStation.restype = ctypes.c_void_p
    station, needed = ctypes.c_void_p(user32.GetProcessWindowStation()), ctypes.c_uint32()
    flags = _StationFlags()
    answered = user32.GetUserObjectInformationW(
        station, UOI_FLAGS, ctypes.byref(flags), ctypes.sizeof(flags), ctypes.byref(needed)
    )
    return not answered or bool(flags.flags & WSF_VISIBLE)


def _mac_session_has_screen() -> bool:
    """Ask the window server; it knows no session for a remote shell."""
    services = ctypes.CDLL(MAC_SERVICES)
    services.CGSessionCopyCurrentDictionary.restype = ctypes.c_void_p
    return bool(services.CGSessionCopyCurrentDictionary())


# Long enough for another process's check of whether the display is free.
LOCKED_WITHIN_S: Final = 0.5
# Threads of a killed session keep its lock until the last has ended: some 0.2 s on two busy cores.
# Far more than that, since a wrong refusal costs a session, and waiting costs seconds.
ENDED_WITHIN_S: Final = 20.0
LOCAL_HOSTS: Final = frozenset({"", "unix", "localhost"})


@contextmanager
def display_taken(by: str) -> Iterator[None]:
    """Reserve this process's display during the block: other processes are refused.

    Parameters
    ----------
    by
        What holds it, which a refused process shows, such as ``a session``; nobody's code or
        session id, since the note outlives a killed process.

    Raises
    ------
    UserError
        If another process holds the display (the message says which, and since when), or
        the lock can't be written.
    """
    with _locked(_used_by) as note:
        if note is not None:
            write_file(note, _note(by))
        yield


def require_free_display() -> None:
    """Raise UserError if another process holds the display; it says which, and since when."""
    with _locked(_used_by):
        pass


@contextmanager
def only_start_window(refusal: str) -> Iterator[None]:
    """Keep other start windows off this display during the block.

    A second start window would cover the session that the first one started.

    Parameters
    ----------
    refusal
        The message for somebody who opens a second one.

    Raises
    ------
    UserError
        If there is a start window already, or the lock can't be written.
    """
    with _locked(lambda _: refusal, "-launch"):
        yield


@contextmanager
def _locked(refusal: Callable[[dict[str, Any]], str], kind: str = "") -> Iterator[Path | None]:
    """Hold a lock of the display; yield the path of its note, or None without a display.

    ``refusal`` turns the holder's note into the message for a second process.
    """
    name = display_name() and f"{display_name()}{kind}"
    if not name:
        # Without a display there is nothing to lock; `require_display` reports that.
        yield None
        return
    place = _runtime_folder()
    note = place / f"{name}.json"
    lock = private_lock(place / f"{name}.lock")
    try:
        make_private(place)
        _acquire(lock, note)
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


def _acquire(lock: FileLock, note: Path) -> None:
    """Take a lock; wait longer for a holder that is ending than for one that is at work.

    A process ends thread by thread, and the last one releases the lock. A virtual display ends with
    the first thread, so that another session may get its number before.
    """
    until_s = time.perf_counter() + ENDED_WITHIN_S
    while True:
        try:
            lock.acquire(timeout=LOCKED_WITHIN_S)
            return
        except Timeout:
            if not _is_ending(_read(note)) or time.perf_counter() > until_s:
                raise


def _is_ending(holder: dict[str, Any]) -> bool:
    """Return whether the process that wrote a note is gone, or only its last threads are left."""
    import psutil

    try:
        return psutil.Process(holder["process"]).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
    except (psutil.Error, KeyError):
        return False


def display_name() -> str:
    """Return a file's name for the display that this process would use; empty if it has none.

    X11: host and number of DISPLAY, without the screen. Windows: the desktop session. macOS: the
    same name always, since each user has one display and one folder.
    """
    if sys.platform == "linux":
        host, _, number = os.environ.get("DISPLAY", "").rpartition(":")
        display = number.partition(".")[0]
        where = display if host in LOCAL_HOSTS else f"{host}-{display}"
        return display and f"display-{UNSAFE_SIGNS.sub('-', where)}"
    return f"desktop-{_windows_session()}" if sys.platform == "win32" else "desktop"


def _windows_session() -> int:
    assert sys.platform == "win32"
    session = ctypes.c_uint32()
    ctypes.WinDLL("kernel32").ProcessIdToSessionId(os.getpid(), ctypes.byref(session))
    return session.value


def _runtime_folder() -> Path:
    """Return this user's folder of locks, the same one in every shell on this PC.

    It can't depend on HOME, TMPDIR or XDG_RUNTIME_DIR: two shells at one display may differ in
    them.
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
