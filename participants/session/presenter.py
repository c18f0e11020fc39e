"""Who shows the pages of a session, and what comes of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from participants.session.steps import Break, Check, Consent, Page, Question

THEN: Final = "then"
"""What is asked at a break that may be left, among the answers of its page."""
LEAVE: Final = "leave"
LEAVE_FOR_GOOD: Final = "leave_for_good"
GO_ON: Final = "go_on"
BACK: Final = "back"
"""What `THEN` says of a page whose reader went back to the one before it."""
LEFT: Final = "left"
"""Reason of the abort by which a person stops for today where a break offered it."""
SITTING_END: Final = "sitting_end"
"""Reason of the abort that ends a sitting, and the name of its page."""


class SessionAborted(Exception):  # noqa: N818 - it is an end that somebody wanted, not an error
    """Raised by a presenter when the session is ended before its last step; `reason` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class PageResult:
    """How long a page or break was on screen, and what was entered on it, if anything.

    Of a break that may be left ``answers`` holds `THEN`: `LEAVE`, `LEAVE_FOR_GOOD` or `GO_ON`; of a
    page that was left for the one before it, `BACK`.
    """

    shown_s: float
    answers: Mapping[str, str] = field(default_factory=dict)

    @property
    def then(self) -> str:
        """What the person does then; to go on where nothing was asked."""
        return self.answers.get(THEN, GO_ON)


@dataclass(frozen=True, slots=True)
class ConsentResult:
    """What was shown, by version and SHA-256 of the text as shown, and the answer."""

    agreed: bool
    version: str
    sha256: str


class PagePresenter(Protocol):
    """Shows what every session has to a person or a response model.

    Any method records ``pause``, ``continue``, ``focus`` and ``note`` and may raise
    `SessionAborted`; the rest is recorded by the loop.
    """

    def page(self, page: Page) -> PageResult:
        """Show a page until its reader goes on."""

    def consent(self, consent: Consent) -> ConsentResult:
        """Ask for consent."""

    def check(self, check: Check, attempt: int) -> Mapping[str, str]:
        """Ask the check's questions and return the choice of each, by the question's step."""

    def question(self, question: Question) -> str:
        """Ask a question and return the choice."""

    def rest(self, pause: Break) -> PageResult:
        """Show a break, at least for its minimum; one that may be left asks whether to stop."""
