"""Times and frames of a stimulus as a journal keeps them."""

from dataclasses import dataclass
from typing import Final

RT_DECIMALS: Final = 6
"""Times are judged and kept to the microsecond: below it the difference of two stamps is
rounding error, which must not decide what was in time."""


@dataclass(frozen=True, slots=True)
class Presented:
    """The onset and the frames of a stimulus, named as in ``trial_end`` events.

    Attributes
    ----------
    onset_t_monotonic_s
        Onset of its first frame, on the journal's clock.
    frames_planned
        None where the answer ends the stimulus.
    frames_shown, frames_dropped, longest_interval_s
        Its frame record, over all its stays on the screen.
    flagged
        Whether a frame was lost, a clock was set, a pause was asked for or the keyboard's focus
        was lost meanwhile.
    """

    onset_t_monotonic_s: float
    frames_planned: int | None
    frames_shown: int
    frames_dropped: int
    longest_interval_s: float
    flagged: bool


def to_microseconds(time_s: float) -> float:
    """Return a time in seconds as it is kept."""
    return round(time_s, RT_DECIMALS)
