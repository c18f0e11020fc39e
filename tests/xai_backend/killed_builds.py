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
import importlib, os, signal, sys
*kills, last = map(int, sys.argv[1].split(","))
count, lab = 0, os.environ["PLAINSIGHT_LAB"]
def step(event, given):
    global count
    if event == "open" or event.startswith("os."):
        place = given[0] if given else None
        if isinstance(place, (str, os.PathLike)) and os.path.abspath(place).startswith(lab):
            count += 1
            if count == last:
                os.kill(os.getpid(), signal.SIGKILL)
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name in sys.argv[2].split():
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Missing())
from xai_backend.cli import main
def build():
    sys.addaudithook(step)
    return main(["build", *sys.argv[3:], "--out", lab + "/pack"])
# What an import opens is no step of any build, killed or not.
importlib.import_module(f"xai_backend.studies.{sys.argv[3]}.build")
ends = []
for last in kills:
    if not (child := os.fork()):
        os._exit(build())
    ends.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
last = 0
status = build()
print(count, *ends)
sys.exit(status)
"""
"""Builds are forked to be killed, so that libraries are loaded once; the last one isn't killed."""


@dataclass(frozen=True, slots=True)
class Build:
    """A build in processes of its own.

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
        printed, (count,) = self._run(lab, [])
        return count, printed

    def killed(self, lab: Path, steps: Sequence[int]) -> list[bool]:
        """Begin to build, or go on, and be killed at each step; then build to the end.

        Returns
        -------
        list
            False for a build that was done before its step.
        """
        _, (_, *ends) = self._run(lab, steps)
        assert set(ends) <= {0, -signal.SIGKILL}
        return [end != 0 for end in ends]

    def _run(self, lab: Path, steps: Sequence[int]) -> tuple[str, list[int]]:
        """Return what was printed, and the numbers in its last line."""
        words = [",".join(map(str, [*steps, 0])), self.without, *map(str, self.asked)]
        environment = {**os.environ, "PLAINSIGHT_LAB": str(lab), "PYTHONPATH": str(ROOT)}
        found = subprocess.run(
            [sys.executable, "-c", PROGRAM, *words],
            cwd=lab, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert found.returncode == 0, found.stderr
        printed, _, numbers = found.stdout.rstrip("\n").rpartition("\n")
        return printed, [int(number) for number in numbers.split()]


def check_after_kills(build: Build, lab: Path, whole: Path, steps: int, kills: int) -> int:
    """Check that a build that is killed again and again makes the bytes of a whole pack.

    It returns how often it was killed: what was kept may leave fewer steps to one that goes on.

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
    killed = build.killed(lab, [random.randrange(1, steps + 1) for _ in range(kills)])
    assert killed[0]
    assert contents(lab / "pack") == contents(whole)
    return sum(killed)


def contents(pack: Path) -> dict[str, bytes]:
    """Return a pack's files; provenance, which has times, isn't part of what is sealed."""
    files = (path for path in pack.rglob("*") if path.is_file() and path.name != PROVENANCE)
    return {path.relative_to(pack).as_posix(): path.read_bytes() for path in files}
