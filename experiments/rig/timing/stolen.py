"""When this virtual machine's processor time was given to others (Linux)."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

STAT = Path("/proc/stat")
STEAL_COLUMN = 8
LOOK_EVERY_S = 0.05


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of time, monotonic seconds."""

    start_s: float
    end_s: float

    def holds(self, time_s: float) -> bool:
        """Return whether an instant lies in it."""
        return self.start_s <= time_s <= self.end_s


class StolenTime:
    """Looks at the kernel's counter again and again, in a thread."""

    def __init__(self, stat: Path = STAT) -> None:
        self._stat = stat
        self._stop = threading.Event()
        self._spans: list[Span] = []
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    @property
    def spans(self) -> tuple[Span, ...]:
        """Stretches between two looks in which the counter moved."""
        return tuple(self._spans)

    def close(self) -> None:
        """Look once more, and no more after that."""
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
    """Give a watch over stolen processor time; it ends with the block."""
    watch = StolenTime()
    try:
        yield watch
    finally:
        watch.close()
