"""The display that a window opens on: whether it answers, who uses it, and virtual displays.

Whether a window could open is checked before anything that takes long.

A display has at most one session and one start window, because keys reach every program's window. A
second one is refused. The lock is a file lock, which the system releases however its process ends.
A note beside it says who holds it.

A virtual display is an X server without a screen, for robots and tests on Linux. Mesa's software
renderer is limited to one thread, because with several threads it writes to memory that it has
freed. The thread that finishes drawing last counts its part as done, wakes the waiting thread, and
unlocks. The thread that flips reads that count without the lock (`lp_fence_signalled`) and may free
the lock in between. Whether this happens depends on what else the processor is doing. The process
then dies of SIGSEGV or SIGABRT at a later allocation.
"""

import ctypes
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
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


SERVER = "Xvfb"
USUAL_SIZE_PX = (1280, 720)
REMEDY = "install it (Debian: apt-get install xvfb libgl1-mesa-dri), or give --display existing"
STARTED_WITHIN_S = 20.0
PR_SET_PDEATHSIG = 1

ONE_THREAD: Final[Mapping[str, str]] = {"LP_NUM_THREADS": "0"}
"""Setting of the software renderer: draw in the thread that flips. Card drivers ignore it."""


@dataclass(frozen=True, slots=True)
class VirtualDisplay:
    """A running X server.

    Attributes
    ----------
    name
        The value of DISPLAY that reaches it.
    process_id
        Process id of the server.
    framebuffer
        File that mirrors its pixels (XWD), if one was asked for.
    """

    name: str
    process_id: int
    framebuffer: Path | None = None


@contextmanager
def virtual_display(
    size_px: tuple[int, int], *, framebuffer_dir: Path | None = None
) -> Iterator[VirtualDisplay]:
    """Start a virtual display for child processes; it ends with the block.

    During the block the environment's DISPLAY is the virtual one. A process that connects to
    the display itself uses `own_virtual_display`: X ends a program that loses its display.

    Raises
    ------
    UserError
        If this is not Linux, or the server is not installed or doesn't start.
    """
    server, display = _start(size_px, framebuffer_dir)
    before = {name: os.environ.get(name) for name in ("DISPLAY", *ONE_THREAD)}
    os.environ.update({"DISPLAY": display.name, **ONE_THREAD})
    try:
        yield display
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
        server.terminate()
        with suppress(subprocess.TimeoutExpired):
            server.wait(timeout=5)


def own_virtual_display(size_px: tuple[int, int] = USUAL_SIZE_PX) -> VirtualDisplay:
    """Start a virtual display that ends when this process does, however it ends.

    From now on the environment's DISPLAY is that one. Raises the same errors as `virtual_display`.
    """
    _, display = _start(size_px, None)
    os.environ["DISPLAY"] = display.name
    return display


def require_server() -> None:
    """Raise UserError if no virtual display can be started here."""
    if sys.platform != "linux":
        raise UserError("virtual display: there is one on Linux only; leave out --display virtual")
    if shutil.which(SERVER) is None:
        raise UserError(f"virtual display: {SERVER} is not installed; {REMEDY}")


def _start(
    size_px: tuple[int, int], framebuffer_dir: Path | None
) -> tuple[subprocess.Popen[bytes], VirtualDisplay]:
    require_server()
    reader, writer = os.pipe()
    command = [SERVER, "-displayfd", str(writer), "-screen", "0", f"{size_px[0]}x{size_px[1]}x24"]
    command += ["-nolisten", "tcp", "-noreset", "-nocursor"]
    if framebuffer_dir is not None:
        command += ["-fbdir", str(framebuffer_dir)]
    server = subprocess.Popen(
        command,
        pass_fds=(writer,),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=_before_start,
    )
    os.close(writer)
    number = _read_number(reader)
    os.close(reader)
    if number is None:
        server.kill()
        raise UserError(f"virtual display: {SERVER} didn't start; {REMEDY}")
    framebuffer = framebuffer_dir / "Xvfb_screen0" if framebuffer_dir else None
    return server, VirtualDisplay(f":{number}", server.pid, framebuffer)


def _read_number(pipe: int) -> int | None:
    """Return the display number that the server chose, or None if it ended or took too long.

    The server writes the number and the line's end separately, and exits if it can't write
    both: so the whole line is read.
    """
    line = b""
    until_s = time.perf_counter() + STARTED_WITHIN_S
    while not line.endswith(b"\n"):
        ready, _, _ = select.select([pipe], [], [], max(0.0, until_s - time.perf_counter()))
        part = os.read(pipe, 32) if ready else b""
        if not part:
            return None
        line += part
    text = line.decode("ascii").strip()
    return int(text) if text.isdigit() else None


def _before_start() -> None:
    """End when the parent ends, however it dies; like a real screen, don't wait for other work."""
    assert sys.platform == "linux"
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    with suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))


def draw_in_one_thread() -> None:
    """Make the renderer draw in the thread that flips; call this before the first window opens.

    That thread's priority then applies to drawing, too.
    """
    os.environ.update(ONE_THREAD)
