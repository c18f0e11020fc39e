"""When each frame is due: counted from one flip, never from the frame before."""

from dataclasses import dataclass

import numpy as np

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


def frames_of(duration_s: float, period_s: float) -> int:
    """Return the number of refreshes nearest to a duration; at least 1 if it is above 0."""
    return max(round(duration_s / period_s), 1 if duration_s > 0 else 0)


@dataclass(frozen=True, slots=True)
class FrameRecord:
    """What became of a stimulus's frames.

    Attributes
    ----------
    planned
        Frames it was to stay; None where the response ends it.
    shown
        Refreshes between its first flip and the flip that took it away.
    dropped
        Refreshes missed, as counted; an interval beyond 1.2 refreshes misses at least one. The
        last interval misses at least those by which it was too long, rounded.
    longest_interval_s
        Longest time between two flips while it was on.
    """

    planned: int | None
    shown: int
    dropped: int
    longest_interval_s: float


class FrameStamps:
    """Keeps a stimulus's flips, times and frames, in memory taken beforehand.

    Parameters
    ----------
    capacity
        Most flips that can be kept; one more raises IndexError.
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
        """How many are kept."""
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
        """Return what became of the frames between the first and the last flip kept."""
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
        Times of at least two flips, rising.
    period_s
        Length of a refresh.
    planned
        Frames that the stimulus was to stay, or None.
    frames
        What the flips were counted as; None counts by their times.
    """
    refreshes = np.diff(stamps_s) / period_s
    counted = np.rint(refreshes) if frames is None else np.diff(frames)
    total = refreshes.sum() if frames is None else counted.sum()
    missed = missed_refreshes(counted, refreshes)
    # A flip that was counted as due, and came late, makes the next one miss what it took: but no
    # flip of the stimulus follows the last.
    missed[-1] = max(missed[-1], np.rint(refreshes[-1]) - 1)
    return FrameRecord(
        planned=planned,
        shown=round(float(total)),
        dropped=int(missed.sum()),
        longest_interval_s=float(refreshes.max() * period_s),
    )
