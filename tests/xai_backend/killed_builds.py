"""Builds that are killed at a random moment, go on, and must make the same pack.

A moment is a step on the disk: the build is about to open, make, rename or remove something in its
lab. So no clock decides when it is killed, and every seed can be tried again.
"""

import os
import random
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from stimuli.pack.folder import PROVENANCE

ROOT = Path(__file__).parents[2]
PROGRAM = """\
import importlib, os, random, signal, sys
whole, killed, kills, seed, missing, *asked = sys.argv[1:]
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name in missing.split():
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Missing())
from xai_backend.cli import main
count, last, lab = 0, 0, ""
def step(event, given):
    global count
    if event == "open" or event.startswith("os."):
        place = given[0] if given else None
        if isinstance(place, (str, os.PathLike)) and os.path.abspath(place).startswith(lab):
            count += 1
            if count == last:
                os.kill(os.getpid(), signal.SIGKILL)
def build(folder, killed_at=0):
    global last, lab
    last, lab = killed_at, folder
    os.environ["PLAINSIGHT_LAB"] = folder
    os.chdir(folder)
    sys.addaudithook(step)
    return main(["build", *asked, "--out", folder + "/pack"])
def end_of(child):
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
# What an import opens is no step of any build, killed or not.
importlib.import_module(f"xai_backend.studies.{asked[0]}.build")
read, write = os.pipe()
if not (child := os.fork()):
    status = build(whole)
    os.write(write, str(count).encode())
    os._exit(status)
if end := end_of(child):
    sys.exit(end)
steps, draw, ends = int(os.read(read, 99)), random.Random(seed), []
for _ in range(int(kills)):
    killed_at = draw.randrange(1, steps + 1)
    if not (child := os.fork()):
        os._exit(build(killed, killed_at))
    ends.append(end_of(child))
status = build(killed)
print()
print(steps, *ends)
sys.exit(status)
"""
"""Builds are forked, so that libraries are loaded once; the last one goes on to the end."""


@dataclass(frozen=True, slots=True)
class Build:
    """A build in a process of its own, whose working folder is its lab.

    Attributes
    ----------
    asked
        The study and its options, without ``--out``.
    without
        Libraries that can't be imported, with blanks between.
    """

    asked: Sequence[str | Path]
    without: str = ""


def check_after_kills(build: Build, whole: Path, killed: Path, kills: int) -> tuple[int, int]:
    """Check that a build that is killed again and again makes the bytes of a whole pack.

    Parameters
    ----------
    build
        What is built.
    whole, killed
        Two labs, empty but for what a build reads: in one it isn't disturbed, in the other it is
        killed and goes on.
    kills
        How often it is killed. The steps are drawn from `random`, which tests seed.

    Returns
    -------
    tuple
        How often it was killed (what was kept may leave fewer steps to one that goes on), and how
        many steps the build took that wasn't.
    """
    words = [whole, killed, kills, random.random(), build.without, *build.asked]
    found = subprocess.run(
        [sys.executable, "-c", PROGRAM, *map(str, words)],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    steps, *ends = map(int, found.stdout.rstrip("\n").rpartition("\n")[2].split())
    assert set(ends) <= {0, -signal.SIGKILL}
    assert ends[0] != 0
    assert contents(killed / "pack") == contents(whole / "pack")
    return sum(end != 0 for end in ends), steps


def contents(pack: Path) -> dict[str, bytes]:
    """Return a pack's files; provenance, which has times, isn't part of what is sealed."""
    files = (path for path in pack.rglob("*") if path.is_file() and path.name != PROVENANCE)
    return {path.relative_to(pack).as_posix(): path.read_bytes() for path in files}
