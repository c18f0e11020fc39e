"""Study progressive_reveal: what a participant goes through, and how a round is scored."""

from participants.studies.progressive_reveal.judge import guess_rate, letter_s, score
from participants.studies.progressive_reveal.plan import (
    CHECK_QUESTIONS,
    ORDER,
    STUDY,
    SURVEY,
    orders_of,
    plan_session,
)

__all__ = [
    "CHECK_QUESTIONS",
    "ORDER",
    "STUDY",
    "SURVEY",
    "guess_rate",
    "letter_s",
    "orders_of",
    "plan_session",
    "score",
]
