"""The clock of a journal: monotonic seconds for intervals, UTC for people."""

import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Protocol

CLOCK = "perf_counter"


class Clock(Protocol):
    """A clock as a journal needs it."""

    def monotonic_s(self) -> float:
        """Return seconds since some fixed moment; never goes back."""
        ...

    def utc(self) -> datetime:
        """Return the time of day, aware, in UTC."""
        ...


@dataclass(frozen=True, slots=True)
class SystemClock:
    """The machine's clocks.

    Monotonic seconds are CLOCK_MONOTONIC on Linux, QueryPerformanceCounter on
    Windows and mach_absolute_time on macOS: `time.perf_counter` is all three, while
    `time.monotonic` ticks only every 16 ms on Windows before Python 3.13.
    """

    def monotonic_s(self) -> float:
        """Return the machine's monotonic time in seconds."""
        return time.perf_counter()

    def utc(self) -> datetime:
        """Return the machine's time of day in UTC."""
        return datetime.now(UTC)


def clock_name() -> str:
    """Return the name of the system's monotonic clock, e.g. ``clock_gettime(CLOCK_MONOTONIC)``."""
    return time.get_clock_info(CLOCK).implementation


def clock_resolution_s() -> float:
    """Return the resolution of the system's monotonic clock in seconds."""
    return time.get_clock_info(CLOCK).resolution


def utc_at(clock: Clock, t_monotonic_s: float) -> str:
    """Return the UTC time of a monotonic stamp, ISO 8601 with microseconds and ``Z``."""
    age_s = clock.monotonic_s() - t_monotonic_s
    return utc_text(clock.utc() - timedelta(seconds=age_s))


def utc_text(moment: datetime) -> str:
    """Return a moment as ISO 8601 in UTC with microseconds and ``Z``; sorts by time."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
