"""Worked examples: solutions that leads see explained before practice."""

from typing import Final

from participants.session import Page
from participants.studies.accept_reject.shown import Shown

LEAST_PRACTICE_FOR_EXAMPLES: Final = 4
OUTLINED_EXAMPLE: Final = "example_accept_outlined"


def example_pages(shown: Shown, *, outlined: bool = False) -> list[Page]:
    """Return worked examples: one practice presentation to accept, and one to reject.

    With ``outlined`` the one to accept has an outline, if there is such a one, and the one to
    reject has none. So both kinds of solutions are known before the questions about them.
    """
    if len(shown.practice) < LEAST_PRACTICE_FOR_EXAMPLES:
        return []
    accepted = _first_of(shown, "accept", outlined=outlined)
    rejected = _first_of(shown, "reject", outlined=False)
    pages = []
    for name, text in ((accepted, "example_accept"), (rejected, "example_reject")):
        if name is not None:
            stimulus = shown.stimuli[name]
            if name == accepted and stimulus.region_file is not None:
                text = OUTLINED_EXAMPLE
            values = {"label": stimulus.shown_label}
            pages.append(Page(f"example-{name}", text, values, stimulus))
    return pages


def _first_of(shown: Shown, decision: str, *, outlined: bool) -> str | None:
    """Return the first practice presentation with a decision, rather with an outline or without."""
    fitting = [name for name in shown.practice if shown.right[name] == decision]
    as_wanted = (n for n in fitting if (shown.stimuli[n].region_file is not None) == outlined)
    return next(as_wanted, fitting[0] if fitting else None)
