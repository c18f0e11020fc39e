"""Questions whose answers bind the lab beyond the session: recorded choices."""

from typing import Final

from participants.session.steps import Question

TOLD_RESULT: Final = "told_result"
"""Whether the person wants to be told what the screening of colour vision finds."""
YES: Final = "yes"
NO: Final = "no"
CHOICES: Final = frozenset({TOLD_RESULT})
"""All of them, by the question's name; the registry keeps the answers too."""


def told_result() -> Question:
    """Return the question that keeps a promise of the consent: not to be told the result."""
    return Question(TOLD_RESULT, TOLD_RESULT, (YES, NO))
