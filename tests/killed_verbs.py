"""Any verb, killed at a moment drawn at random and begun again, beside the same verb undisturbed.

A moment is a step on the disk: the verb is about to open, make, rename or remove something below
its place, or to open a database. So no clock decides when it is killed.
"""

import importlib
import io
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from lab import VERBS

STEPS = ("open", "sqlite3.connect")


def done(words: Sequence[str], place: Path, kill_at: int = 0) -> tuple[int, int, str]:
    """Run a verb at a place, in a child; kill it at a step unless that is 0.

    Returns
    -------
    tuple
        The exit status (-9 if it was killed), how many steps it took, and what it printed.
    """
    reader, writer = os.pipe()
    if not (child := os.fork()):
        os.close(reader)
        status = 70
        try:
            status, said = _run(words, place, kill_at, writer)
        except BaseException as fault:
            said = repr(fault)
        os.write(writer, said.encode("utf-8", "replace")[-3000:])
        os._exit(status)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        steps, _, said = stream.read().decode("utf-8", "replace").partition("\n")
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), int(steps or 0), said


def _run(words: Sequence[str], place: Path, kill_at: int, told: int) -> tuple[int, str]:
    os.chdir(place)
    os.environ["PLAINSIGHT_LAB"] = str(place / "lab")
    room = importlib.import_module(f"{VERBS[words[0]][0]}.cli")
    count, root = 0, str(place)

    def step(event: str, given: tuple) -> None:
        nonlocal count
        if event not in STEPS and not event.startswith("os."):
            return
        path = given[0] if given else None
        if isinstance(path, str | bytes | os.PathLike) and _below(path, root):
            count += 1
            if count == kill_at:
                os.kill(os.getpid(), signal.SIGKILL)

    said = io.StringIO()
    sys.stdout = sys.stderr = said
    sys.addaudithook(step)
    status = room.main(list(words))
    os.write(told, f"{count}\n".encode())
    return status, said.getvalue()


def _below(path: str | bytes | os.PathLike, root: str) -> bool:
    return os.path.join(root, os.fsdecode(path)).startswith(root)  # noqa: PTH118, also of bytes


def files_below(place: Path) -> dict[str, bytes]:
    """Return all files below a place."""
    return {
        path.relative_to(place).as_posix(): path.read_bytes()
        for path in sorted(place.rglob("*"))
        if path.is_file()
    }


def hidden_below(place: Path) -> set[str]:
    """Return what lies below a place under a hidden name; locks are empty and stay."""
    return {
        name
        for path in place.rglob("*")
        if (name := path.relative_to(place).as_posix()).rpartition("/")[2].startswith(".")
        and path.suffix != ".lock"
    }
