"""One clock for flips and presses: the journal's monotonic clock.

PsychoPy's clock is psychtoolbox's, which on Linux is the wall clock and may be stepped by
the network's time service. Its offset to the monotonic clock is measured whenever stamps are
converted, and a step between two measurements is noticed. The monotonic clock is the
journal's: `time.perf_counter` (CLOCK_MONOTONIC on Linux, QueryPerformanceCounter on Windows).
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

READS = 9
STEP_S = 0.001

ReadClock = Callable[[], float]
Moment = Literal["start", "page", "block", "end"]


def nap(duration_s: float) -> None:
    """Sleep, even if `time.sleep` fails.

    `time.sleep` raises OSError if the clock that it sleeps by isn't the one that it read: under
    programs that fake the time, once they step it. A lock's timeout reads no clock.
    """
    try:
        time.sleep(duration_s)
    except OSError:
        threading.Event().wait(duration_s)


@dataclass(frozen=True, slots=True)
class Offset:
    """Monotonic clock minus another one, in seconds.

    Attributes
    ----------
    offset_s
        What to add to a time of the other clock.
    span_s
        Time between the two monotonic readings around it: twice the largest error.
    """

    offset_s: float
    span_s: float


def measure_offset(read: ReadClock, reads: int = READS) -> Offset:
    """Return a clock's offset, from the reading with the tightest pair of monotonic readings."""
    best = Offset(0.0, float("inf"))
    for _ in range(reads):
        before = time.perf_counter()
        other = read()
        after = time.perf_counter()
        if after - before < best.span_s:
            best = Offset((before + after) / 2 - other, after - before)
    return best


class StimulusClock:
    """Converts the time stamps of the keyboard's clock, and notices when that clock was stepped.

    Parameters
    ----------
    read
        Returns that clock's current time in seconds.
    name
        The clock's name in the journal.

    Attributes
    ----------
    steps
        How often the clock was found to have been stepped.
    """

    def __init__(self, read: ReadClock, name: str) -> None:
        self._read = read
        self.name = name
        self._offset = measure_offset(read)
        self.steps = 0

    @property
    def offset_s(self) -> float:
        """The offset as last measured."""
        return self._offset.offset_s

    @property
    def span_s(self) -> float:
        """Twice the largest error of the offset as last measured."""
        return self._offset.span_s

    def to_monotonic(self, stamp_s: float) -> float:
        """Convert a time stamp to the monotonic clock, by the offset as last measured."""
        return stamp_s + self._offset.offset_s

    def measure(self) -> bool:
        """Measure the offset again; return whether it moved by more than `STEP_S`."""
        before, self._offset = self._offset, measure_offset(self._read)
        slack_s = (before.span_s + self._offset.span_s) / 2
        stepped = abs(self._offset.offset_s - before.offset_s) > STEP_S + slack_s
        self.steps += stepped
        return stepped


def wall_clock() -> StimulusClock:
    """Return the time of day (seconds since 1970) as a clock to compare with the monotonic one."""
    return StimulusClock(time.time, "time.time")


@dataclass(frozen=True, slots=True)
class Comparison:
    """Result of a comparison of the clocks; the fields of a ``clock`` event.

    Attributes
    ----------
    offset_s
        UTC (seconds since 1970) minus the monotonic clock.
    stepped
        Whether the wall clock or the stimulus clock was set since the last comparison.
    stimulus_clock
        Name of the clock that stamps presses.
    stimulus_offset_s, stimulus_span_s
        Monotonic clock minus the stimulus clock, and twice the largest error of this offset.
    stimulus_step_s
        How far that offset moved since the last comparison; 0 at the first.
    """

    offset_s: float
    stepped: bool
    stimulus_clock: str
    stimulus_offset_s: float
    stimulus_span_s: float
    stimulus_step_s: float


class ClockWatch:
    """Compares the wall clock and the stimulus clock with the monotonic one repeatedly.

    Parameters
    ----------
    stimulus
        The clock of presses. It is measured at every press too, so that a step which was
        undone between two comparisons isn't missed if a press fell in between.
    wall
        The time of day; the system's by default.
    """

    def __init__(self, stimulus: StimulusClock, wall: StimulusClock | None = None) -> None:
        self._stimulus = stimulus
        self._wall = wall or wall_clock()
        self._offset_s, self._span_s = stimulus.offset_s, stimulus.span_s
        self._steps = stimulus.steps

    def compare(self) -> Comparison:
        """Measure both offsets and report whether one of them moved."""
        wall_stepped = self._wall.measure()
        self._stimulus.measure()
        offset_s, span_s = self._stimulus.offset_s, self._stimulus.span_s
        step_s = offset_s - self._offset_s
        stepped = abs(step_s) > STEP_S + (span_s + self._span_s) / 2
        stepped = stepped or self._stimulus.steps != self._steps
        self._offset_s, self._span_s, self._steps = offset_s, span_s, self._stimulus.steps
        return Comparison(
            offset_s=-self._wall.offset_s,
            stepped=wall_stepped or stepped,
            stimulus_clock=self._stimulus.name,
            stimulus_offset_s=offset_s,
            stimulus_span_s=span_s,
            stimulus_step_s=step_s,
        )
