"""An image that is to be marked by bubbles, and what somebody did with it."""

from dataclasses import dataclass

from participants.session.steps import Phase
from participants.strokes.painting import Act


@dataclass(frozen=True, slots=True)
class BubbleTask:
    """An image to be marked, for as long as that takes.

    Attributes
    ----------
    step
        ``trial-0001`` and so on.
    trial, phase, position
        Number in the session, from 1; ``main``, and the same number.
    item
        The image, as in the pack's table.
    image_file
        Its path in the pack.
    name
        What it shows, in the session's language.
    """

    step: str
    trial: int
    phase: Phase
    position: int
    item: str
    image_file: str
    name: str


@dataclass(frozen=True, slots=True)
class BubbleResult:
    """What a person did with an image; times as stamped.

    Attributes
    ----------
    acts
        Strokes, undos and clears, in order.
    done_s
        Time of the press that confirmed, since the onset.
    interruptions
        How often a chord took the image away before that.
    onset_t_monotonic_s, frames_shown, frames_dropped, longest_interval_s, flagged
        As of a `TrialResult`; over all the image's stays on screen.
    """

    acts: tuple[Act, ...]
    done_s: float
    interruptions: int
    onset_t_monotonic_s: float
    frames_shown: int
    frames_dropped: int
    longest_interval_s: float
    flagged: bool
