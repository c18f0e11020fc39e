"""When a session goes on that has several sittings, or that somebody stopped for now."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from participants.journal import Journal
from participants.session.leaving import has_agreed, is_leaving
from participants.session.presenter import SITTING_END


@dataclass(frozen=True, slots=True)
class NextSitting:
    """What a session goes on with.

    Attributes
    ----------
    sitting
        Its number, from 1.
    stopped_utc
        When the session stopped.
    earliest_utc
        From when on it may go on.
    """

    sitting: int
    stopped_utc: datetime
    earliest_utc: datetime

    def is_early(self, now: datetime) -> bool:
        """Return whether a moment is too early."""
        return now < self.earliest_utc


def next_sitting(journal: Journal, least_gap_h: float) -> NextSitting | None:
    """Return when a session may go on; None for one that is over or never began.

    The gap counts from the end of a sitting. A sitting that was broken off may go on at once.

    Parameters
    ----------
    journal
        Of a session that nobody runs at this moment.
    least_gap_h
        The protocol's `least_gap_h`, hours.
    """
    events = journal.events
    if journal.complete or is_leaving(events) or not has_agreed(events):
        return None
    ends = [event for event in journal.of("page") if event["name"] == SITTING_END]
    last = journal.of("session", "abort")[-1]
    between = last.event == "abort" and last["reason"] == SITTING_END
    stopped = datetime.fromisoformat(events[-1].t_utc)
    if between:
        stopped = datetime.fromisoformat(last.t_utc)
    gap = timedelta(hours=least_gap_h if between else 0.0)
    return NextSitting(len(ends) + 1, stopped, stopped + gap)
