"""Why a timing sample can't be trusted: the observer missed time, or the machine stood still.

Standstills of this machine's processor cores are observed from outside any measured program. On
each core, a sleeping program with priority over all others there should wake at a set time. If it
wakes late, no program on that core could run meanwhile: the core was lent to another machine, its
clock didn't tick, or the kernel itself was busy. What a measured program did just then says nothing
about the program.

When a virtual machine's processor time is given to others, its kernel counts that (Linux).
"""

import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from experiments.rig.timing.instruments import observing, program

BEYOND_US = 150
NAP_US = 200


@dataclass(frozen=True, slots=True)
class Standstill:
    """A period in which a core ran no program; monotonic seconds.

    Attributes
    ----------
    from_s
        When the sleeper should have woken up; the standstill may have begun up to a nap earlier.
    until_s
        When it woke up.
    core
        Number of the core.
    """

    from_s: float
    until_s: float
    core: int


class Witness:
    """Standstills so far, in the order in which they ended.

    Attributes
    ----------
    cores
        Number of cores watched; 0 if real-time priority isn't allowed.
    """

    def __init__(self, standstills: list[Standstill], cores: int) -> None:
        self.cores = cores
        self._standstills = standstills

    @property
    def standstills(self) -> tuple[Standstill, ...]:
        """All standstills so far; may be called at any time."""
        return tuple(self._standstills)


@contextmanager
def witness(beyond_us: int = BEYOND_US, nap_us: int = NAP_US) -> Iterator[Witness]:
    """Watch this machine's cores for standstills during the block.

    Without permission for real-time priority a late sleeper proves nothing, so no core is watched.

    Parameters
    ----------
    beyond_us
        Standstills longer than this are reported, microseconds.
    nap_us
        Sleep between two checks, microseconds.

    Raises
    ------
    UserError
        If the program can't be built or doesn't start.
    """
    command = [str(program("standstill")), str(beyond_us), str(nap_us)]
    with observing(command, _standstill, "the witness won't start") as (first, standstills):
        state, _, cores = first.partition(" ")
        yield Witness(standstills, int(cores) if state == "watching" else 0)


def _standstill(line: str) -> Standstill:
    from_ns, until_ns, core = map(int, line.split())
    return Standstill(from_ns / 1e9, until_ns / 1e9, core)


STAT = Path("/proc/stat")
STEAL_COLUMN = 8
LOOK_EVERY_S = 0.05


@dataclass(frozen=True, slots=True)
class Span:
    """A period of time, monotonic seconds."""

    start_s: float
    end_s: float

    def holds(self, time_s: float) -> bool:
        """Return whether a time lies in it."""
        return self.start_s <= time_s <= self.end_s


class StolenTime:
    """Polls the kernel's counter of stolen processor time in a thread."""

    def __init__(self, stat: Path = STAT) -> None:
        self._stat = stat
        self._stop = threading.Event()
        self._spans: list[Span] = []
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    @property
    def spans(self) -> tuple[Span, ...]:
        """Periods between two polls in which the counter moved."""
        return tuple(self._spans)

    def close(self) -> None:
        """Poll one last time and stop."""
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        before, ticks = time.perf_counter(), self._ticks()
        stopped = False
        while not stopped:
            stopped = self._stop.wait(LOOK_EVERY_S)
            now, more = time.perf_counter(), self._ticks()
            if more != ticks:
                self._spans.append(Span(before, now))
            before, ticks = now, more

    def _ticks(self) -> int:
        with self._stat.open(encoding="ascii") as lines:
            return int(lines.readline().split()[STEAL_COLUMN])


@contextmanager
def stolen_time() -> Iterator[StolenTime]:
    """Watch for stolen processor time during the block."""
    watch = StolenTime()
    try:
        yield watch
    finally:
        watch.close()


Why = Literal["", "gap", "stolen", "standstill"]
REASONS: tuple[Why, ...] = tuple(why for why in get_args(Why) if why)

LONGEST_GAP_S = 0.001
STILL_BEFORE_S = 0.002
"""Longest time that programs need to catch up after a standstill."""
STILL_AFTER_S = 0.0005
"""Most time stamps are made within this time. A later one counts, though it may be delayed."""


@dataclass(frozen=True, slots=True)
class SampleExclusions:
    """Periods in which a recording's samples can't be trusted.

    Samples are judged by the times at which something really happened, never by those that a
    program recorded, so no error is excluded for being large.

    Attributes
    ----------
    stolen
        When processor time was given to other machines, by the kernel's count.
    still_s
        float64 (n, 2): start and end of each standstill of a core.
    """

    stolen: tuple[Span, ...]
    still_s: NDArray[np.float64]

    @classmethod
    def of(cls, stolen: Sequence[Span], standstills: Sequence[Standstill]) -> "SampleExclusions":
        """Return the exclusions of a recording."""
        still_s = [(standstill.from_s, standstill.until_s) for standstill in standstills]
        return cls(tuple(stolen), np.array(still_s, dtype=np.float64).reshape(-1, 2))

    def about(self, looks: Iterable[tuple[float, float]]) -> Why:
        """Return the weightiest reason not to trust a sample; empty if there is none.

        Parameters
        ----------
        looks
            The times that the sample is made of, monotonic seconds, each with the length of the
            observer's gap there.
        """
        reasons = {self._about(at_s, gap_s) for at_s, gap_s in looks}
        return next((why for why in REASONS if why in reasons), "")

    def _about(self, at_s: float, gap_s: float) -> Why:
        if gap_s > LONGEST_GAP_S:
            return "gap"
        if any(span.holds(at_s) for span in self.stolen):
            return "stolen"
        begun = self.still_s[:, 0] < at_s + STILL_AFTER_S
        not_over = self.still_s[:, 1] > at_s - STILL_BEFORE_S
        return "standstill" if (begun & not_over).any() else ""
