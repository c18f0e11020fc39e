"""When each frame is due, and what a flip waits for: the display's refresh, or else the clock.

Frames are counted from one flip, never from the previous frame.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, Protocol

import numpy as np

from experiments.engine.clock import nap
from stimuli.errors import UserError

DROPPED_BEYOND = 1.2


@dataclass(frozen=True, slots=True)
class Schedule:
    """Frames at a display's refresh, counted from a flip.

    Attributes
    ----------
    origin_s
        Time of frame 0.
    period_s
        Length of a refresh.
    """

    origin_s: float
    period_s: float

    def due_s(self, frame: int) -> float:
        """Return when a frame is due."""
        return self.origin_s + frame * self.period_s

    def frame_at(self, time_s: float) -> int:
        """Return the frame whose due time is nearest."""
        return round((time_s - self.origin_s) / self.period_s)

    def next_after(self, time_s: float) -> int:
        """Return the first frame that is due at a time or later."""
        frame = self.frame_at(time_s)
        return frame if self.due_s(frame) >= time_s else frame + 1


RATE_ERROR: Final = 1e-4
"""Largest relative error of a measured rate, and of a display's clock from day to day."""
ROUNDING: Final = 1e-9


def frames_of(duration_s: float, period_s: float, nominal_hz: float | None = None) -> int:
    """Return the number of refreshes nearest to a duration; at least 1 if it is above 0.

    A duration that lies between two numbers within the error of a measured rate goes to the number
    nearest by the nominal rate: otherwise one display would show it for either number, from start
    to start. If the nominal rate can't tell either, it is the greater number.

    Parameters
    ----------
    duration_s
        The duration.
    period_s
        Length of a refresh, as measured.
    nominal_hz
        Rate of the video mode; None if it is unknown.
    """
    exact = duration_s / period_s
    less = math.floor(exact)
    if abs(exact - less - 0.5) > RATE_ERROR * exact:
        nearest = round(exact)
    else:
        by_mode = exact if nominal_hz is None else duration_s * nominal_hz
        goes_up = nominal_hz is None or by_mode * (1 + ROUNDING) >= less + 0.5
        nearest = less + goes_up
    return max(nearest, 1 if duration_s > 0 else 0)


@dataclass(frozen=True, slots=True)
class FrameRecord:
    """Record of a stimulus's frames.

    Attributes
    ----------
    planned
        Frames that it was meant to stay; None if the response ends it.
    shown
        Refreshes between its first flip and the flip that took it away.
    dropped
        Refreshes missed, as counted. An interval longer than 1.2 refreshes misses at least one.
        The last interval misses at least as many as it was too long by, rounded.
    longest_interval_s
        Longest time between two flips while it was on.
    """

    planned: int | None
    shown: int
    dropped: int
    longest_interval_s: float


class FrameStamps:
    """Keeps the times and frames of a stimulus's flips, in memory that is allocated beforehand.

    Parameters
    ----------
    capacity
        Largest number of flips; one more raises IndexError.
    """

    def __init__(self, capacity: int) -> None:
        self._stamps_s = np.zeros(capacity)
        self._frames = np.zeros(capacity, dtype=np.int64)
        self._count = 0

    def clear(self) -> None:
        """Forget all flips."""
        self._count = 0

    def add(self, time_s: float, frame: int) -> None:
        """Keep a flip: its time, and the frame it was counted as."""
        self._stamps_s[self._count] = time_s
        self._frames[self._count] = frame
        self._count += 1

    @property
    def count(self) -> int:
        """Number of flips kept."""
        return self._count

    @property
    def stamps_s(self) -> np.ndarray:
        """The times, float64, in order."""
        return self._stamps_s[: self._count]

    @property
    def frames(self) -> np.ndarray:
        """The frames that the flips were counted as, int64, in order."""
        return self._frames[: self._count]

    def record(self, period_s: float, planned: int | None) -> FrameRecord:
        """Return the record of the frames between the first and the last flip kept."""
        return frame_record(self.stamps_s, period_s, planned, self.frames)


def missed_refreshes(counted: np.ndarray, refreshes: np.ndarray) -> np.ndarray:
    """Return how many refreshes each of n intervals between flips missed, (n,).

    Parameters
    ----------
    counted
        Refreshes between the flips, as the pacing counted them, (n,).
    refreshes
        Time between the flips, in refreshes, float64 (n,); beyond 1.2 at least one was missed.
    """
    return np.maximum(counted - 1, refreshes > DROPPED_BEYOND)


def frame_record(
    stamps_s: np.ndarray, period_s: float, planned: int | None, frames: np.ndarray | None = None
) -> FrameRecord:
    """Return the frame record of flips, the last of which took the stimulus away.

    Parameters
    ----------
    stamps_s
        Times of at least two flips, in ascending order.
    period_s
        Length of a refresh.
    planned
        Frames that the stimulus was meant to stay, or None.
    frames
        Frame numbers of the flips; None counts by their times.
    """
    refreshes = np.diff(stamps_s) / period_s
    counted = np.rint(refreshes) if frames is None else np.diff(frames)
    total = refreshes.sum() if frames is None else counted.sum()
    missed = missed_refreshes(counted, refreshes)
    # If a flip comes late but is counted as on time, the next flip shows the miss; the last flip
    # has no next one.
    missed[-1] = max(missed[-1], np.rint(refreshes[-1]) - 1)
    return FrameRecord(
        planned=planned,
        shown=round(float(total)),
        dropped=int(missed.sum()),
        longest_interval_s=float(refreshes.max() * period_s),
    )


LOWEST_HZ, HIGHEST_HZ = 50 * 0.995, 360 * 1.005
"""Displays of 50 and of 360 Hz are inside: their measured rates scatter around the nominal one."""
NOMINAL_HZ = 60.0
LARGEST_SD_SHARE = 0.15
SPIN_S = 0.0004
SOONEST = 0.5
"""Frames are never closer together than this fraction of a refresh."""
SHORTEST_S = 1e-6
SETTLING_FLIPS = 5
MOST_FLIPS = 400
TELLING_FLIPS = 60
"""So many tell that swaps don't wait for a display."""
FASTER_THAN_ANY_HZ = 1.2 * HIGHEST_HZ
"""No display that is paced by its swaps comes near this rate, however its stamps scatter."""
LEAST_FLIPS = 12
"""Fewer flips in a second say nothing about a rate: the display, or this PC, hangs."""
MEASURED_S = 1.0
TRIES = 3


FrameCount = Callable[[float], int]
"""Takes the latest flip's time; returns how many refreshes after the first flip it came."""


class Pacing(Protocol):
    """Decides when the next flip may happen, and counts refreshes."""

    name: Literal["vsync", "software"]
    period_s: float
    nominal_hz: float | None = None

    def frames_of(self, duration_s: float) -> int:
        """Return how many refreshes a duration lasts; see `frames_of`."""
        return frames_of(duration_s, self.period_s, self.nominal_hz)

    def wait(self) -> None:
        """Return when the buffers may be swapped."""

    def count_from(self, flip_s: float) -> FrameCount:
        """Start counting refreshes at the latest flip, given by its time."""


class VsyncPacing(Pacing):
    """Pacing by the swap, which itself waits for the display.

    Parameters
    ----------
    period_s
        Length of a refresh, as measured.
    clock, sleep
        Seconds, and how to sleep; to be replaced in tests.
    nominal_hz
        Rate of the video mode; None if it is unknown.
    """

    name: Literal["vsync", "software"] = "vsync"

    def __init__(
        self,
        period_s: float,
        clock: Callable[[], float] = time.perf_counter,
        sleep: Callable[[float], None] = nap,
        nominal_hz: float | None = None,
    ) -> None:
        self.period_s, self.nominal_hz = period_s, nominal_hz
        self._clock = clock
        self._sleep = sleep
        self._last_s = clock() - period_s

    def wait(self) -> None:
        """Return at once, unless the last swap didn't wait for the display.

        The swaps of a covered or minimised window return at once: without the wait, more frames
        than refreshes would be counted.
        """
        early_s = self._last_s + SOONEST * self.period_s - self._clock()
        if early_s > 0:
            self._sleep(early_s)
        self._last_s = self._clock()

    def count_from(self, flip_s: float) -> FrameCount:
        """Count by the flips' times: only they show which refresh the display waited for."""
        return Schedule(flip_s, self.period_s).frame_at


class SoftwarePacing(Pacing):
    """Flips at absolute times of the clock, for displays whose swaps don't wait.

    A flip that comes too late takes the next free time: delays don't add up.

    Parameters
    ----------
    period_s
        Length of a refresh.
    clock, sleep
        Seconds, and how to sleep; to be replaced in tests.
    """

    name: Literal["vsync", "software"] = "software"

    def __init__(
        self,
        period_s: float,
        clock: Callable[[], float] = time.perf_counter,
        sleep: Callable[[float], None] = nap,
    ) -> None:
        self.period_s = period_s
        self._clock = clock
        self._sleep = sleep
        self._schedule = Schedule(clock(), period_s)
        self._last = 0

    def wait(self) -> None:
        """Return at the next due time; each is used once."""
        frame = max(self._last + 1, self._schedule.next_after(self._clock()))
        due_s = self._schedule.due_s(frame)
        nap_s = due_s - self._clock() - SPIN_S
        if nap_s > 0:
            self._sleep(nap_s)
        while self._clock() < due_s:
            pass
        self._last = frame

    def count_from(self, flip_s: float) -> FrameCount:
        """Count the due times that were waited for.

        The flips' times would give one refresh too many if the process was stopped for more than
        half a refresh between a swap and its time stamp.
        """
        first = self._last
        return lambda flip_s: self._last - first


@dataclass(frozen=True, slots=True)
class Refresh:
    """A display's refresh rate as measured over unpaced flips.

    Attributes
    ----------
    hz
        The rate in Hz, from a line fitted through the time stamps, so that its error doesn't
        grow with the number of frames counted by it.
    sd_s
        SD of the intervals.
    late_share
        Share of the intervals that exceed the median by more than 0.5 ms.
    """

    hz: float
    sd_s: float
    late_share: float


def measure_refresh(flip: Callable[[], float]) -> Refresh:
    """Return the refresh from the time stamps of one second of flips, at most 400 of them.

    A few flips before them let the display settle. With stamps good to 50 µs the rate is exact
    enough to count the frames of a minute at 50 to 360 Hz. A second with too few flips is repeated.
    Of flips that come faster than on any display 60 are enough: they don't wait for one.

    Raises
    ------
    UserError
        If no second had 12 flips.
    """
    for _ in range(SETTLING_FLIPS):
        flip()
    stamps_s = _stamps_of_a_second(flip)
    intervals_s = np.diff(stamps_s)
    median_s = max(float(np.median(intervals_s)), SHORTEST_S)
    late = float(np.mean(intervals_s > median_s + 0.0005))
    return Refresh(1 / _period_s(stamps_s, median_s), float(intervals_s.std(ddof=1)), late)


def _stamps_of_a_second(flip: Callable[[], float]) -> np.ndarray:
    for _ in range(TRIES):
        stamps = FrameStamps(MOST_FLIPS)
        first_s = last_s = flip()
        stamps.add(first_s, 0)
        while not _tell_the_rate(stamps.count, last_s - first_s):
            last_s = flip()
            stamps.add(last_s, stamps.count)
        if stamps.count >= LEAST_FLIPS:
            return stamps.stamps_s
    raise UserError(
        f"display: it hangs, {stamps.count} frames came in {last_s - first_s:.1f} s; close other "
        "programs, see that the screen is on and its driver is the maker's, and start again"
    )


def _tell_the_rate(flips: int, lasted_s: float) -> bool:
    """Return whether so many flips in this time are enough; swaps that don't wait need fewer."""
    if flips >= MOST_FLIPS or lasted_s >= MEASURED_S:
        return True
    return flips >= TELLING_FLIPS and (flips - 1) > FASTER_THAN_ANY_HZ * lasted_s


def _period_s(stamps_s: np.ndarray, median_s: float) -> float:
    """Return the slope of the stamps over their refreshes; missed refreshes are counted."""
    refreshes = np.concatenate([[0.0], np.cumsum(np.rint(np.diff(stamps_s) / median_s))])
    if refreshes[-1] < 1:
        return median_s
    slope = np.polynomial.polynomial.polyfit(refreshes, stamps_s - stamps_s[0], 1)[1]
    return max(float(slope), SHORTEST_S)


def choose_pacing(
    refresh: Refresh, nominal_hz: float | None, *, software_renderer: bool = False
) -> Pacing:
    """Return the pacing for a display.

    Swaps that come at a steady rate between 50 and 360 Hz, and near the video mode's rate if
    that is known, wait for the display. Otherwise the clock paces at the video mode's rate
    (60 Hz if it is unknown).

    Parameters
    ----------
    refresh
        As measured.
    nominal_hz
        The video mode's rate, if it is known.
    software_renderer
        Whether the CPU draws. Such swaps never wait for a display, but on a busy PC they may
        take as long as a refresh, and as steadily.
    """
    if software_renderer:
        return SoftwarePacing(1 / (nominal_hz or NOMINAL_HZ))
    steady = refresh.sd_s * refresh.hz < LARGEST_SD_SHARE
    near = nominal_hz is None or abs(refresh.hz / nominal_hz - 1) < 0.1
    if LOWEST_HZ <= refresh.hz <= HIGHEST_HZ and steady and near:
        return VsyncPacing(1 / refresh.hz, nominal_hz=nominal_hz)
    return SoftwarePacing(1 / (nominal_hz or NOMINAL_HZ))
