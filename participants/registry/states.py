"""How a session stands: one state, which lists, counts, payments, appointments and restores ask."""

from typing import Final

from sqlalchemy import Label, and_, case, or_, select

from participants.registry.sessions import COMPLETE, DECLINED, FOR_GOOD, RUNNING, STOPPED, was_left
from participants.registry.tables import sessions, withdrawals

UNFINISHED: Final = "unfinished"
REFUSED: Final = "declined"
SESSION_STATES: Final = (
    RUNNING, UNFINISHED, COMPLETE, "disqualified", REFUSED, "left for good", "withdrawn",
)  # fmt: skip
"""The states of a session."""
GOES_ON: Final = (RUNNING, UNFINISHED)
"""The states of a session whose person comes again."""


def session_state(now_utc: str) -> Label[str]:
    """Return a session's state as an SQL expression; the first state that holds counts.

    Parameters
    ----------
    now_utc
        The time of day, written by `utc_text`. A session whose lease has run out isn't running.
    """
    cut_off = and_(sessions.c.state == RUNNING, sessions.c.lease_until_utc < now_utc)
    return case(
        (sessions.c.code.in_(select(withdrawals.c.code)), "withdrawn"),
        (was_left(FOR_GOOD), "left for good"),
        (was_left(DECLINED), REFUSED),
        (sessions.c.disqualified_utc.is_not(None), "disqualified"),
        (or_(sessions.c.state == STOPPED, cut_off), UNFINISHED),
        else_=sessions.c.state,
    ).label("state")
