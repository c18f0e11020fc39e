"""Who shows a session and who keeps what happened: protocols and results."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from participants.session.steps import (
    Break,
    Check,
    Consent,
    Decision,
    Page,
    PaintTask,
    Question,
    Trial,
)
from participants.strokes.painting import Act
from participants.studies.progressive_reveal.bubble_steps import BubbleResult, BubbleTask
from participants.studies.progressive_reveal.round_types import (
    CopyResult,
    CopyTask,
    RevealRound,
    RoundResult,
)

THEN: Final = "then"
"""What is asked at a break that may be left, among the answers of its page."""
LEAVE: Final = "leave"
GO_ON: Final = "go_on"


class SessionAborted(Exception):  # noqa: N818 - it is an end that somebody wanted, not an error
    """Raised by a presenter when the session is ended before its last step; `reason` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Feedback:
    """What a practice trial is followed by, for ``feedback_s``."""

    decision: Decision
    right_decision: Decision
    feedback_s: float

    @property
    def right(self) -> bool:
        """Whether the decision was the right one."""
        return self.decision == self.right_decision


@dataclass(frozen=True, slots=True)
class PageResult:
    """How long a page or break was on screen, and what was entered on it, if anything.

    Of a break that may be left ``answers`` holds `THEN`: `LEAVE` or `GO_ON`.
    """

    shown_s: float
    answers: Mapping[str, str] = field(default_factory=dict)

    @property
    def leaves(self) -> bool:
        """Whether the person stops here for today."""
        return self.answers.get(THEN) == LEAVE


@dataclass(frozen=True, slots=True)
class ConsentResult:
    """What was shown, by version and SHA-256 of the text as shown, and the answer."""

    agreed: bool
    version: str
    sha256: str


@dataclass(frozen=True, slots=True)
class TrialResult:
    """What happened in a trial; times as stamped, nothing judged.

    Attributes
    ----------
    decision, rt_s
        ``none`` and None when the limit passed. ``rt_s`` is the press's stamp minus
        the onset's.
    lag_s
        The rig's constant lag for this device; 0 where it was never measured.
    onset_t_monotonic_s
        Onset of the stimulus's first frame, on the journal's clock.
    frames_planned
        None where the response ends the stimulus.
    frames_shown, frames_dropped, longest_interval_s
        The stimulus's frame record.
    flagged
        Whether a frame was lost before the answer.
    """

    decision: Decision
    rt_s: float | None
    lag_s: float
    onset_t_monotonic_s: float
    frames_planned: int | None
    frames_shown: int
    frames_dropped: int
    longest_interval_s: float
    flagged: bool


@dataclass(frozen=True, slots=True)
class PaintResult:
    """What an expert made of a plate; times as stamped.

    Attributes
    ----------
    label, rt_s
        The digit, or ``no_solution``, and the time of the press that gave it since the onset.
    acts
        All that was done with brush and eraser, in order.
    done_s
        Time of the press that confirmed, since the onset.
    interruptions
        How often a chord took the plate away before that.
    onset_t_monotonic_s, frames_shown, frames_dropped, longest_interval_s, flagged
        As of a `TrialResult`; over all the plate's stays on screen.
    """

    label: str
    rt_s: float
    acts: tuple[Act, ...]
    done_s: float
    interruptions: int
    onset_t_monotonic_s: float
    frames_shown: int
    frames_dropped: int
    longest_interval_s: float
    flagged: bool


class Presenter(Protocol):
    """Shows steps to a person or a response model.

    It has the methods for the steps of its plans: a lead's has `trial`, an expert's
    `paint` or `bubble`, a participant's `reveal` and `copy`. Its `trial` records ``trial_start``,
    ``flip`` and ``response`` itself, at their own stamps, and any method records ``pause`` and
    ``continue``; the rest is the loop's. Any method may raise `SessionAborted`.
    """

    def page(self, page: Page) -> PageResult:
        """Show a page until its reader goes on."""

    def consent(self, consent: Consent) -> ConsentResult:
        """Ask for consent."""

    def check(self, check: Check, attempt: int) -> Mapping[str, str]:
        """Ask the check's questions and return the choice of each, by the question's step."""

    def question(self, question: Question) -> str:
        """Ask a question and return the choice."""

    def rest(self, pause: Break) -> PageResult:
        """Show a break, at least for its minimum; one that may be left asks whether to stop."""

    def trial(self, trial: Trial) -> TrialResult:
        """Run a trial."""

    def feedback(self, feedback: Feedback) -> None:
        """Tell whether the decision was right."""

    def paint(self, task: PaintTask) -> PaintResult:
        """Have a plate read and painted; records as `trial` does."""

    def paint_feedback(self, task: PaintTask, label: str) -> None:
        """Tell whether the answer to a plate was right."""

    def bubble(self, task: BubbleTask) -> BubbleResult:
        """Have an image marked by bubbles; records its start by `record_bubble_start`."""

    def reveal(self, step: RevealRound) -> RoundResult:
        """Run a round; records as `trial` does, its start by `record_round_start`.

        Once the image was on screen the round can't be shown again: who leaves then leaves
        with a result. `SessionAborted` may be raised only before the image's onset.
        """

    def reveal_feedback(self, step: RevealRound, result: RoundResult) -> None:
        """Show the whole image, the right word and how many rounds are done.

        Comes after the round is on disk. After a round that was left nothing is shown, and
        `SessionAborted` raised unless leaving is taken back.
        """

    def copy(self, task: CopyTask) -> tuple[CopyResult, ...]:
        """Have words typed as they stand, one by one."""
