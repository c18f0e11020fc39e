"""Virtual displays: X servers without a screen, for robots and tests on Linux.

Mesa's software renderer is limited to one thread, because with several threads it writes to memory
that it has freed. The thread that finishes drawing last counts its part as done, wakes the waiting
thread, and unlocks. The thread that flips reads that count without the lock (`lp_fence_signalled`)
and may free the lock in between. Whether this happens depends on what else the processor is doing.
The process then dies of SIGSEGV or SIGABRT at a later allocation.
"""

import ctypes
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from stimuli.errors import UserError

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
