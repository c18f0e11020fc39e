"""Standstills of this machine's processor cores, witnessed from outside any measured program.

A sleeper on each core, before all others there, should wake when it said. Where it wakes late no
program on that core could run meanwhile: the core was lent to another machine, its clock didn't
tick, or the kernel itself was busy. What a measured program did just then says nothing of it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from experiments.rig.timing.programs import observing, program

BEYOND_US = 150
NAP_US = 200


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


class Witness:
    """Standstills so far, in the order in which they ended.

    Attributes
    ----------
    cores
        How many cores are watched; 0 where real-time priority isn't allowed.
    """

    def __init__(self, standstills: list[Standstill], cores: int) -> None:
        self.cores = cores
        self._standstills = standstills

    @property
    def standstills(self) -> tuple[Standstill, ...]:
        """All of them; may be asked for at any time."""
        return tuple(self._standstills)


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
    with observing(command, _standstill, "the witness won't start") as (first, found):
        said, _, cores = first.partition(" ")
        yield Witness(found, int(cores) if said == "watching" else 0)


def _standstill(line: str) -> Standstill:
    from_ns, until_ns, core = map(int, line.split())
    return Standstill(from_ns / 1e9, until_ns / 1e9, core)
