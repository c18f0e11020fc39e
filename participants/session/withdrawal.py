"""What somebody said of the data at the end of a session: used, or taken back."""

from typing import Final

from participants.journal import Event, Journal

RENEWED: Final = "consent_renewed"
"""The consent that is asked for once more, after the debrief."""


def withdrawal_in(journal: Journal) -> Event | None:
    """Return the event that withdraws a session's data: the last answer to the debrief's
    consent, if it was a no.
    """
    answer = _answer_in(journal)
    return answer if answer is not None and not answer["agreed"] else None


def is_released(journal: Journal) -> bool:
    """Return whether a session's data may be used as they are.

    The session came to its end, or its person, who left, agreed to the debrief's consent.
    """
    answer = _answer_in(journal)
    return journal.complete or (answer is not None and bool(answer["agreed"]))


def _answer_in(journal: Journal) -> Event | None:
    answers = [event for event in journal.of("consent") if event["text"] == RENEWED]
    return answers[-1] if answers else None
