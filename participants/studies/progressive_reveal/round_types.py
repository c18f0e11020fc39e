"""Rounds in which an image is uncovered step by step while a person types what it shows."""

from dataclasses import dataclass
from typing import Final

from participants.session.steps import Phase

LEFT: Final = "left"
"""Reason of the abort by which a person stops for today where a break offered it."""
SITTING_END: Final = "sitting_end"
"""Reason of the abort that ends a sitting, and the name of its page."""


@dataclass(frozen=True, slots=True)
class RevealRound:
    """One round: an image nearly black at first, uncovered in steps, named by typing.

    Attributes
    ----------
    step
        ``trial-0001`` and so on.
    trial
        Number among all rounds, from 1, practice included.
    phase, sitting, position
        ``practice`` is sitting 0; the position counts within the sitting, from 1.
    presentation
        Opaque id of what is shown.
    image_file, steps_file, prototype_file
        Paths in the pack: the image, the step from which each of its pixels is uncovered (0
        for never), and the prototype to show beside it, if any.
    right_class
        Id of the class that is to be named; rounds give feedback, so a session knows it.
    pixels
        How many pixels are uncovered at step 1, 2, ...: one entry a step, never falling.
    step_s
        How long each step lasts; the round lasts all of them unless it is answered rightly.
    fixation_s
        Fixation before the image.
    feedback_s
        How long the whole image and the right word stay afterwards.
    tries
        Wrong answers and a right one that are taken in all; None for any number.
    done, total
        Rounds finished before this one, and rounds in all; practice counts for itself.
    """

    step: str
    trial: int
    phase: Phase
    sitting: int
    position: int
    presentation: str
    image_file: str
    steps_file: str
    prototype_file: str | None
    right_class: str
    pixels: tuple[int, ...]
    step_s: float
    fixation_s: float
    feedback_s: float
    tries: int | None
    done: int
    total: int

    @property
    def steps(self) -> int:
        """Number of steps."""
        return len(self.pixels)


@dataclass(frozen=True, slots=True)
class Keystroke:
    """One event of the answer field, and the field after it.

    Attributes
    ----------
    t_s
        Since the onset of the image (of the word, where words are copied), by the hardware's
        stamp.
    key
        The hardware's name of the key, or ``click``.
    text
        What came in by it; empty for keys that write nothing.
    entry, caret
        The field's text afterwards, and where its caret stands, in characters from 0.
    """

    t_s: float
    key: str
    text: str
    entry: str
    caret: int


@dataclass(frozen=True, slots=True)
class Attempt:
    """An answer that was confirmed.

    Attributes
    ----------
    t_s
        The confirming press, since onset.
    first_key_s
        The first key or click of this answer, since onset; later than the last attempt's press.
    text
        The answer's word as it was confirmed.
    class_id, right
        The class that the word names, and whether that is the image's.
    device
        What confirmed it: ``keyboard`` or ``mouse``.
    """

    t_s: float
    first_key_s: float
    text: str
    class_id: str
    right: bool
    device: str


@dataclass(frozen=True, slots=True)
class RoundResult:
    """What happened in a round; times as stamped, nothing judged.

    Attributes
    ----------
    keystrokes, attempts
        All of them, in order of their stamps; only the last attempt can be right.
    step_onsets_s
        Onset of each step that came, since the first one's: begins with 0 unless none came.
    left
        Whether the person left in mid-round.
    onset_t_monotonic_s
        Onset of the image's first frame, on the journal's clock.
    frames_planned
        None where the answer ended the round; else the frames of all steps.
    frames_shown, frames_dropped, longest_interval_s
        The image's frame record, over all its steps.
    flagged
        Whether a frame was lost or a clock was set meanwhile.
    """

    keystrokes: tuple[Keystroke, ...]
    attempts: tuple[Attempt, ...]
    step_onsets_s: tuple[float, ...]
    left: bool
    onset_t_monotonic_s: float
    frames_planned: int | None
    frames_shown: int
    frames_dropped: int
    longest_interval_s: float
    flagged: bool

    @property
    def answer(self) -> Attempt | None:
        """The right attempt; None if there is none."""
        return next((attempt for attempt in self.attempts if attempt.right), None)


@dataclass(frozen=True, slots=True)
class Score:
    """How far an image was uncovered when it was recognised.

    Attributes
    ----------
    recognised
        Whether an attempt was right; else the round is censored.
    step, pixels
        Step in force at the press that confirmed the right answer, and pixels uncovered then.
        Of a censored round the last step that was seen to its end, 0 if none was.
    step_first_key, pixels_first_key
        The same at the right answer's first key; of a censored round as ``step, pixels``.
    """

    recognised: bool
    step: int
    pixels: int
    step_first_key: int
    pixels_first_key: int


@dataclass(frozen=True, slots=True)
class CopyTask:
    """Words shown one by one, to be typed as they stand: how fast somebody types."""

    step: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CopyResult:
    """How one word was copied.

    Attributes
    ----------
    word
        The word.
    onset_t_monotonic_s
        Its onset, on the journal's clock.
    keystrokes
        All of them, in order of their stamps.
    done_s
        The press that confirmed it, since its onset.
    """

    word: str
    onset_t_monotonic_s: float
    keystrokes: tuple[Keystroke, ...]
    done_s: float


@dataclass(frozen=True, slots=True)
class SittingEnd:
    """The end of a sitting: a page, after which the session stops until it is taken up again."""

    step: str
    sitting: int
    sittings: int
