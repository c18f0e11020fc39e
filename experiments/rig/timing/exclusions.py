"""What speaks against a sample: the observer missed time, or the machine stood still."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from experiments.rig.timing.standstill import Standstill
from experiments.rig.timing.stolen import Span

Why = Literal["", "gap", "stolen", "standstill"]
REASONS: tuple[Why, ...] = tuple(why for why in get_args(Why) if why)

LONGEST_GAP_S = 0.001
STILL_BEFORE_S = 0.002
"""Programs need at most this long after a standstill to catch up."""
STILL_AFTER_S = 0.0005
"""Most stamps are made within this time. A later one counts, though it may have been delayed."""


@dataclass(frozen=True, slots=True)
class SampleExclusions:
    """When a recording's samples can't be trusted.

    The times asked about are those at which something really happened, never those that a
    program recorded. So no error is excluded for being large.

    Attributes
    ----------
    stolen
        When processor time was given to others, by the kernel's own count.
    still_s
        float64 (n, 2): from when until when a core stood still.
    """

    stolen: tuple[Span, ...]
    still_s: NDArray[np.float64]

    @classmethod
    def of(cls, stolen: Sequence[Span], standstills: Sequence[Standstill]) -> "SampleExclusions":
        """Return those of a recording."""
        still_s = [(one.from_s, one.until_s) for one in standstills]
        return cls(tuple(stolen), np.array(still_s, dtype=np.float64).reshape(-1, 2))

    def about(self, looks: Iterable[tuple[float, float]]) -> Why:
        """Return what speaks against a sample, the weightiest first; empty where nothing does.

        Parameters
        ----------
        looks
            The instants that it is made of: monotonic seconds of each, and for how long the
            observer missed time there.
        """
        found = {self._about(at_s, gap_s) for at_s, gap_s in looks}
        return next((why for why in REASONS if why in found), "")

    def _about(self, at_s: float, gap_s: float) -> Why:
        if gap_s > LONGEST_GAP_S:
            return "gap"
        if any(span.holds(at_s) for span in self.stolen):
            return "stolen"
        begun = self.still_s[:, 0] < at_s + STILL_AFTER_S
        not_over = self.still_s[:, 1] > at_s - STILL_BEFORE_S
        return "standstill" if (begun & not_over).any() else ""
