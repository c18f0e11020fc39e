"""Study accept_reject: what a lead goes through, and how a decision is judged."""

from participants.session import RENEWED
from participants.studies.accept_reject.judge import judge
from participants.studies.accept_reject.plan import (
    CHECK_QUESTIONS,
    ORDERS,
    QUESTIONS,
    SHAM,
    SIDES,
    SOURCE_OF,
    STUDY,
    decision_keys,
    orders_of,
    plan_session,
)

__all__ = [
    "CHECK_QUESTIONS",
    "ORDERS",
    "QUESTIONS",
    "RENEWED",
    "SHAM",
    "SIDES",
    "SOURCE_OF",
    "STUDY",
    "decision_keys",
    "judge",
    "orders_of",
    "plan_session",
]
