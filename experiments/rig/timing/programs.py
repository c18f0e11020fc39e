"""The programs of the virtual rig: built from C when first needed, and read line by line."""

import hashlib
import os
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, TypeVar

from stimuli.errors import UserError
from stimuli.places import cache_dir

Program = Literal["photodiode", "button_box", "standstill"]

HERE = Path(__file__).parent
COMPILERS = ("cc", "gcc", "clang")
FLAGS = ("-std=c11", "-O2", "-Wall", "-Wextra", "-Werror")
LIBRARIES = ("-ldl", "-pthread")

GONE_WITHIN_S = 5.0

Seen = TypeVar("Seen")


@contextmanager
def observing(
    command: Sequence[str], read: Callable[[str], Seen], complaint: str
) -> Iterator[tuple[str, list[Seen]]]:
    """Give a program's first line, and the list to which all that it sees is added.

    Parameters
    ----------
    command
        The program and its arguments. It prints a line when it looks on, then one for each
        thing seen.
    read
        From such a line to the thing.
    complaint
        What is the matter if no first line comes; what the program says follows it.

    Raises
    ------
    UserError
        If no first line comes.
    """
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stderr is not None
    lines, found = process.stdout, list[Seen]()
    first = lines.readline().strip()
    if not first:
        raise UserError(f"virtual rig: {complaint}: {process.stderr.read().strip()}")
    reader = threading.Thread(target=lambda: found.extend(map(read, lines)), daemon=True)
    reader.start()
    try:
        yield first, found
    finally:
        process.terminate()
        process.wait(timeout=GONE_WITHIN_S)
        reader.join(timeout=GONE_WITHIN_S)


def program(name: Program) -> Path:
    """Return a program's file in the lab's cache, built again where its source changed.

    Raises
    ------
    UserError
        If there is no C compiler, or it can't build the program.
    """
    sources = sorted(HERE.glob("*.c")) + sorted(HERE.glob("*.h"))
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in sources)).hexdigest()
    built = cache_dir() / "rig" / f"{name}-{digest[:16]}"
    if not built.exists():
        built.parent.mkdir(parents=True, exist_ok=True)
        _build(HERE / f"{name}.c", built)
    return built


def _build(source: Path, built: Path) -> None:
    compiler = next(filter(None, map(shutil.which, COMPILERS)), None)
    if compiler is None:
        raise UserError(
            "virtual rig: there is no C compiler (cc); install one (Debian: apt-get install gcc "
            "libc6-dev)"
        )
    aside = built.with_name(f"{built.name}.{os.getpid()}.part")
    command = [compiler, *FLAGS, "-o", str(aside), str(source), *LIBRARIES]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["it says nothing"]
        raise UserError(
            f"virtual rig: {compiler} can't build {source.name}: {said[0]}; install the C "
            "library's headers (Debian: apt-get install libc6-dev)"
        )
    aside.replace(built)
