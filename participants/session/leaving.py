"""Declining to take part, leaving for good or for now, and what happens to the data.

A person who leaves for good reads what the study is about, and is asked once more whether the data
may be used, like everybody at the end of a session. A session with several sittings, or one that
somebody stopped for now, goes on later.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from participants.journal import Event, Journal
from participants.session.plan import SITTING_END, SessionPlan
from participants.session.steps import Consent, Page

LEFT_FOR_GOOD: Final = "left_for_good"
"""Reason in the ``abort`` event of a person who leaves the study."""
FAREWELL: Final = "farewell"
"""Name of the last page, and of its step."""
END: Final = "end"
"""Name of the last page of a session that somebody completed."""
END_EARLY: Final = "end_early"
"""The last page's name for somebody who had to skip a part of the session."""
STOPPED: Final = "stopped"
"""Name of the text that stays on screen when somebody stopped for now."""

RENEWED: Final = "consent_renewed"
"""The consent that is asked for again after the debrief."""


def is_leaving(events: Sequence[Event]) -> bool:
    """Return whether a journal's person has decided to leave for good."""
    return any(event.event == "abort" and event["reason"] == LEFT_FOR_GOOD for event in events)


def has_left(events: Sequence[Event]) -> bool:
    """Return whether a journal's person has left for good and has seen the closing pages.

    A closing that was interrupted is shown when the session goes on.
    """
    reasons = [event["reason"] for event in events if event.event == "abort"]
    saw_farewell = any(event.event == "page" and event["step"] == FAREWELL for event in events)
    # Somebody who also leaves during the closing doesn't want to see more.
    return saw_farewell or reasons.count(LEFT_FOR_GOOD) > 1


def has_declined(events: Sequence[Event]) -> bool:
    """Return whether a journal's person declined to take part: their last answer was a no.

    The consent after the debrief is a different question; see `withdrawal_in`.
    """
    answers = [event for event in events if event.event == "consent" and event["text"] != RENEWED]
    return bool(answers) and not answers[-1]["agreed"]


def has_agreed(events: Sequence[Event]) -> bool:
    """Return whether a journal's person has agreed to take part."""
    return any(event.event == "consent" and event["agreed"] for event in events)


def closing(plan: SessionPlan, *, agreed: bool) -> tuple[Page | Consent, ...]:
    """Return what is shown to somebody who leaves for good.

    These are the pages between the plan's last task or question and its renewed consent, that
    consent, and the farewell. Somebody who leaves before agreeing to take part has no data, and
    sees only the farewell.

    Parameters
    ----------
    plan
        The session.
    agreed
        Whether the person has agreed to take part.
    """
    farewell = Page(FAREWELL, FAREWELL)
    if not agreed:
        return (farewell,)
    ending: list[Page | Consent] = []
    for step in reversed(plan.steps):
        if not isinstance(step, Page | Consent):
            break
        ending.insert(0, step)
    renewed = [at for at, step in enumerate(ending) if isinstance(step, Consent) and step.renewed]
    # The last page gives thanks for a complete session.
    pages = ending[: renewed[0] + 1] if renewed else ending[:-1]
    return (*pages, farewell)


def withdrawal_in(journal: Journal) -> Event | None:
    """Return the event that withdraws a session's data: the last answer to the debrief's
    consent, if it was a no.
    """
    answer = _answer_in(journal)
    return answer if answer is not None and not answer["agreed"] else None


def is_released(journal: Journal) -> bool:
    """Return whether a session's data may be used as they are.

    The session is complete, or its person left and agreed to the debrief's consent.
    """
    answer = _answer_in(journal)
    return journal.complete or (answer is not None and bool(answer["agreed"]))


def _answer_in(journal: Journal) -> Event | None:
    answers = [event for event in journal.of("consent") if event["text"] == RENEWED]
    return answers[-1] if answers else None


@dataclass(frozen=True, slots=True)
class NextSitting:
    """The sitting with which a session goes on.

    Attributes
    ----------
    sitting
        Its number, from 1.
    stopped_utc
        When the session stopped.
    earliest_utc
        Earliest time at which it may go on.
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
        Of a session that isn't running.
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
