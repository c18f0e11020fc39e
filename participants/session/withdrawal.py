"""Whether somebody took the data back at the end of a session."""

from typing import Final

from participants.journal import Event, Journal

RENEWED: Final = "consent_renewed"
"""The consent that is asked for once more, after the debrief."""


def withdrawal_in(journal: Journal) -> Event | None:
    """Return the event that withdraws a session's data: the last answer to the debrief's
    consent, if it was a no.
    """
    answers = [event for event in journal.of("consent") if event["text"] == RENEWED]
    return answers[-1] if answers and not answers[-1]["agreed"] else None
