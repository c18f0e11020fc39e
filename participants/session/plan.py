"""The plan of a session: its steps in order, the presenter of its pages, and their results."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from participants.journal import Event
from participants.session.qualification import PracticeCheck, Qualification, anyhow
from participants.session.steps import (
    Break,
    Check,
    Consent,
    Form,
    Judge,
    Page,
    Question,
    Report,
    SittingEnd,
    Task,
    ended_trials,
)
from stimuli.devices import DeviceName

THEN: Final = "then"
"""Key in a page's answers for what the person does next, such as at a break that may be left."""
LEAVE: Final = "leave"
LEAVE_FOR_GOOD: Final = "leave_for_good"
GO_ON: Final = "go_on"
BACK: Final = "back"
"""Value of `THEN` for a page whose reader went back to the page before it."""
LEFT: Final = "left"
"""Reason in the ``abort`` event of a person who stops for today at a break that offers it."""
SITTING_END: Final = "sitting_end"
"""Reason in the ``abort`` event that ends a sitting, and the name of its page."""
WELCOME_BACK = "welcome_back"


class SessionAborted(Exception):  # noqa: N818 - it is an end that somebody wanted, not an error
    """Raised by a presenter when the session is ended before its last step; `reason` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class PageResult:
    """How long a page or break was on screen, and what was entered on it, if anything.

    After a break that may be left, ``answers`` holds under `THEN`: `LEAVE`, `LEAVE_FOR_GOOD` or
    `GO_ON`; after a page whose reader went back to the page before it, `BACK`.
    """

    shown_s: float
    answers: Mapping[str, str] = field(default_factory=dict)

    @property
    def then(self) -> str:
        """What the person does next; `GO_ON` if nothing was asked."""
        return self.answers.get(THEN, GO_ON)


@dataclass(frozen=True, slots=True)
class ConsentResult:
    """Version and SHA-256 of the consent text as shown, and the answer."""

    agreed: bool
    version: str
    sha256: str


class PagePresenter(Protocol):
    """Shows the pages, questions and breaks of every session to a person or a response model.

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
        """Show a break for at least its minimum; a break that may be left asks whether to stop."""


Step = (
    Page
    | Report
    | Consent
    | Question
    | Form
    | Check
    | Break
    | SittingEnd
    | PracticeCheck
    | Qualification
    | Task
)


@dataclass(frozen=True, slots=True)
class SessionPlan:
    """All that a session shows, in order.

    Attributes
    ----------
    study, pack_id, protocol_hash
        What the session belongs to.
    list_id, order, language
        The person's list of the pack, which order it comes in, language of the texts.
    steps
        The steps, with unique ids.
    device
        The device for choices.
    keys
        Keys (or ``left``, ``right`` buttons) by their meaning; empty if they differ from trial to
        trial or there are none.
    settled
        Returns the ids of the tasks that a journal's events show to be settled: they are not
        shown again when the session is resumed.
    texts
        Folder of the texts if it isn't the study's name; else empty.
    welcome_back
        Name of the text that a resumed session begins with.
    title
        The word that names the study on the screen and on paper.
    answered
        Whether somebody answered a trial, by the fields of its ``trial_end`` event.
    wait_after
        After so many unanswered trials in a row, the session waits for a key; 0 for never.
    """

    study: str
    pack_id: str
    protocol_hash: str
    list_id: str
    order: str
    language: str
    steps: tuple[Step, ...]
    device: DeviceName = "keyboard"
    keys: Mapping[str, str] = field(default_factory=dict)
    settled: Callable[[Sequence[Event]], frozenset[str]] = ended_trials
    texts: str = ""
    welcome_back: str = WELCOME_BACK
    title: str = "title"
    answered: Judge = anyhow
    wait_after: int = 0

    @property
    def text_folder(self) -> str:
        """Folder of the texts: the study's, unless the plan names another."""
        return self.texts or self.study

    @property
    def trials(self) -> tuple[Any, ...]:
        """The planned tasks that are numbered, practice included, without repeats."""
        checks = (step for step in self.steps if isinstance(step, PracticeCheck))
        repeats = frozenset[str]().union(*(check.skips for check in checks))
        return tuple(
            step
            for step in self.steps
            if hasattr(step, "trial")
            and getattr(step, "repeat_of", None) is None
            and step.step not in repeats
        )
