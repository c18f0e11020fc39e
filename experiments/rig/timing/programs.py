"""The C programs of the virtual rig, built when they are first needed."""

import hashlib
import os
import shutil
import subprocess
from pathlib import Path
from typing import Literal

from stimuli.errors import UserError
from stimuli.places import cache_dir

Program = Literal["photodiode", "button_box", "standstill"]

HERE = Path(__file__).parent
COMPILERS = ("cc", "gcc", "clang")
FLAGS = ("-std=c11", "-O2", "-Wall", "-Wextra", "-Werror")
LIBRARIES = ("-ldl", "-pthread")


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
