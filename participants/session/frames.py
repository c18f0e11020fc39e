"""How a stimulus stayed on the screen, as every task's result says it."""

from dataclasses import dataclass


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
