"""The clock of a simulation: it moves only when told to."""

from datetime import UTC, datetime, timedelta

EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
"""No simulated time can be taken for a real one."""


class VirtualClock:
    """A journal's clock that stands still between calls of `advance`.

    Parameters
    ----------
    start
        Time of day at monotonic second 0.
    """

    def __init__(self, start: datetime = EPOCH) -> None:
        self._start = start
        self._now_s = 0.0

    def monotonic_s(self) -> float:
        """Return the seconds that have passed."""
        return self._now_s

    def utc(self) -> datetime:
        """Return the start plus the seconds that have passed."""
        return self._start + timedelta(seconds=self._now_s)

    def advance(self, seconds: float) -> None:
        """Let time pass; ValueError if it would go back."""
        if seconds < 0:
            raise ValueError(f"time can't pass by {seconds} s")
        self._now_s += seconds
