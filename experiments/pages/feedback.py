"""A short notice after a trial that says whether the answer was right."""

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
    if feedback.decision is None:
        limit = written_number(feedback.limit_s, settings.look.language)
        name, sign, text = "late", LATE, words.filled("feedback_none", seconds=limit)
    elif feedback.right:
        name, sign, text = "right", RIGHT, words["feedback_right"]
    else:
        name, sign, text = "wrong", WRONG, words.filled("feedback_wrong", decision=expected)
    waiting.notice(f"feedback-{name}", feedback_layers(settings.look, sign, text),
                   feedback.feedback_s)  # fmt: skip
