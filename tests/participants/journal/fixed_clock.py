"""A clock for journals that are the same at each writing."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta


@dataclass
class FixedClock:
    """Ticks a quarter of a second at each look at the monotonic time."""

    ticks: int = 0

    def monotonic_s(self):
        self.ticks += 1
        return 100 + self.ticks / 4

    def utc(self):
        return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=self.ticks / 4)
