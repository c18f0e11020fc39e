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

from stimuli.pack.damage import PROVENANCE

ROOT = Path(__file__).parents[2]
PROGRAM = """\
import os, signal, sys
last, count, lab = int(sys.argv[1]), 0, os.environ["PLAINSIGHT_LAB"]
def step(event, given):
    global count
    if event == "open" or event.startswith("os."):
        place = given[0] if given else None
        if isinstance(place, (str, os.PathLike)) and os.path.abspath(place).startswith(lab):
            count += 1
            if count == last:
                os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(step)
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name in sys.argv[2].split():
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Missing())
from xai_backend.cli import main
status = main(["build", *sys.argv[3:], "--out", lab + "/pack"])
print(count)
sys.exit(status)
"""


@dataclass(frozen=True, slots=True)
class Build:
    """A build in a process of its own.

    Attributes
    ----------
    asked
        The study and its options, without ``--out``.
    without
        Libraries that can't be imported, with blanks between.
    """

    asked: Sequence[str | Path]
    without: str = ""

    def done(self, lab: Path) -> tuple[int, str]:
        """Build in a lab to the end; return how many steps it took, and what it printed before."""
        found = self._run(lab, 0)
        assert found.returncode == 0, found.stderr
        printed, _, count = found.stdout.rstrip("\n").rpartition("\n")
        return int(count), printed

    def killed(self, lab: Path, step: int) -> bool:
        """Begin to build, or go on, and be killed at a step; False if it is done before."""
        found = self._run(lab, step)
        assert found.returncode in (0, -signal.SIGKILL), found.stderr
        return found.returncode != 0

    def _run(self, lab: Path, step: int) -> subprocess.CompletedProcess[str]:
        words = [str(step), self.without, *map(str, self.asked)]
        environment = {**os.environ, "PLAINSIGHT_LAB": str(lab), "PYTHONPATH": str(ROOT)}
        return subprocess.run(
            [sys.executable, "-c", PROGRAM, *words],
            cwd=lab, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip


def check_after_kills(build: Build, lab: Path, whole: Path, steps: int, kills: int) -> None:
    """Check that a build that is killed again and again makes the bytes of a whole pack.

    Parameters
    ----------
    build
        What is built.
    lab
        Where it is killed and goes on; empty but for what it reads.
    whole
        The pack of a build that wasn't killed.
    steps
        How many steps that build took.
    kills
        How often it is killed. The steps are drawn from `random`, which tests seed.
    """
    for number in range(kills):
        # What was kept may leave fewer steps to a build that goes on.
        assert build.killed(lab, random.randrange(1, steps + 1)) or number
    build.done(lab)
    assert contents(lab / "pack") == contents(whole)


def contents(pack: Path) -> dict[str, bytes]:
    """Return a pack's files; provenance, which has times, isn't part of what is sealed."""
    files = (path for path in pack.rglob("*") if path.is_file() and path.name != PROVENANCE)
    return {path.relative_to(pack).as_posix(): path.read_bytes() for path in files}
