"""Study accept_reject: what a lead goes through, and how a decision is judged."""

from participants.studies.accept_reject.judge import judge
from participants.studies.accept_reject.plan import (
    CHECK_QUESTIONS,
    ORDERS,
    QUESTIONS,
    STUDY,
    decision_keys,
    plan_session,
)

__all__ = [
    "CHECK_QUESTIONS",
    "ORDERS",
    "QUESTIONS",
    "STUDY",
    "decision_keys",
    "judge",
    "plan_session",
]
