"""A short notice after a trial that says whether the answer was right."""

from functools import partial

from experiments.pages.settings import ScreenSettings
from experiments.pages.waiting import Waiting
from experiments.screens.trial import LATE, RIGHT, WRONG, feedback_layers
from participants.session.feedback import FeedbackShown
from participants.texts import written_number


def show_feedback(
    waiting: Waiting, settings: ScreenSettings, feedback: FeedbackShown, expected: str
) -> None:
    """Show whether an answer was right; ``expected`` is the right answer in words."""
    words = settings.words
    limit = written_number(feedback.limit_s, settings.look.language)
    told = {
        "right": (RIGHT, words["feedback_right"]),
        "wrong": (WRONG, words.filled("feedback_wrong", decision=expected)),
        "late": (LATE, words.filled("feedback_none", seconds=limit)),
    }
    name = "late" if feedback.decision is None else "right" if feedback.right else "wrong"
    kinds = {
        f"feedback-{kind}": partial(feedback_layers, settings.look, *of)
        for kind, of in told.items()
    }
    waiting.notice_one_of(kinds, f"feedback-{name}", feedback.feedback_s)
