"""Standstills of this machine's processor cores, witnessed from outside any measured program.

A sleeper on each core, before all others there, should wake when it said. Where it wakes late no
program on that core could run meanwhile: the core was lent to another machine, its clock didn't
tick, or the kernel itself was busy. What a measured program did just then says nothing of it.
"""

import subprocess
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from experiments.rig.timing.programs import program
from stimuli.errors import UserError

BEYOND_US = 200
NAP_US = 500
GONE_WITHIN_S = 5.0


@dataclass(frozen=True, slots=True)
class Standstill:
    """A stretch of time in which a core ran no program; monotonic seconds.

    Attributes
    ----------
    from_s
        When the sleeper should have woken; the core may have stood still up to a nap before.
    until_s
        When it did.
    core
        Which.
    """

    from_s: float
    until_s: float
    core: int


def stood_still_s(standstills: Iterable[Standstill], start_s: float, end_s: float) -> float:
    """Return for how much of a stretch of time at least one core stood still, seconds."""
    total_s, reached_s = 0.0, start_s
    for one in sorted(standstills, key=lambda one: one.from_s):
        from_s, until_s = max(one.from_s, reached_s), min(one.until_s, end_s)
        if until_s > from_s:
            total_s += until_s - from_s
            reached_s = until_s
    return total_s


class Witness:
    """Standstills so far, in the order in which they ended.

    Attributes
    ----------
    cores
        How many cores are watched; 0 where real-time priority isn't allowed.
    """

    def __init__(self, process: subprocess.Popen[str], cores: int) -> None:
        self.cores = cores
        self._process = process
        self._found: list[Standstill] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def standstills(self) -> tuple[Standstill, ...]:
        """All of them; may be asked for at any time."""
        return tuple(self._found)

    def close(self) -> None:
        """Stop watching."""
        self._process.terminate()
        self._process.wait(timeout=GONE_WITHIN_S)
        self._reader.join(timeout=GONE_WITHIN_S)

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            from_ns, until_ns, core = map(int, line.split())
            self._found.append(Standstill(from_ns / 1e9, until_ns / 1e9, core))


@contextmanager
def witness(beyond_us: int = BEYOND_US, nap_us: int = NAP_US) -> Iterator[Witness]:
    """Give a witness over this machine's cores.

    Without leave for real-time priority a late sleeper tells nothing: it then watches no core.

    Parameters
    ----------
    beyond_us
        Standstills longer than this are told, microseconds.
    nap_us
        Sleep between two looks, microseconds.

    Raises
    ------
    UserError
        If the program can't be built or doesn't start.
    """
    command = [str(program("standstill")), str(beyond_us), str(nap_us)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stderr is not None
    first = process.stdout.readline().split()
    if not first:
        raise UserError(f"virtual rig: the witness won't start: {process.stderr.read().strip()}")
    found = Witness(process, int(first[1]) if first[0] == "watching" else 0)
    try:
        yield found
    finally:
        found.close()
