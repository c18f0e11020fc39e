"""Feedback on a trial, after all of its questions were answered."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from participants.session.steps import Attended, part_step


@dataclass(frozen=True, slots=True)
class FeedbackShown:
    """The feedback on an answer, shown for ``feedback_s`` seconds.

    ``decision`` is None if there was no answer in time; ``limit_s`` is the time there was.
    """

    decision: str | None
    expected: str
    feedback_s: float
    limit_s: float

    @property
    def right(self) -> bool:
        """Whether the answer was right."""
        return self.decision == self.expected


class FeedbackPresenter(Protocol):
    """Shows feedback."""

    def feedback(self, feedback: FeedbackShown) -> None:
        """Tell whether an answer was right."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """Feedback on a trial.

    Attributes
    ----------
    step
        ``feedback-0001`` and so on.
    about
        Number of the trial.
    expected
        The right answer.
    feedback_s, limit_s
        The feedback's duration, and the time there was to answer.
    accepts
        Returns whether another answer counts as the right one.
    """

    step: str
    about: int
    expected: str
    feedback_s: float
    limit_s: float
    accepts: Callable[[str], bool] = lambda decision: False

    def perform(self, presenter: FeedbackPresenter, recorder: Attended) -> frozenset[str]:
        """Tell whether the answer was right; nothing is recorded."""
        # Somebody may type the word that stands for no answer; only an answer has a time.
        decisions = (
            end["decision"]
            for end in recorder.ends
            if end["trial"] == self.about and end["rt_s"] is not None
        )
        decision = next(decisions, None)
        if decision is not None and self.accepts(decision):
            decision = self.expected
        feedback = FeedbackShown(decision, self.expected, self.feedback_s, self.limit_s)
        presenter.feedback(feedback)
        return frozenset({self.step})


def feedback_step(trial: int) -> str:
    """Return the step id of a trial's feedback."""
    return part_step("feedback", trial)
