"""A robot in front of pages: it reads, agrees, answers questions and rests."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from participants.consent_blanks import consent_values
from participants.session import (
    GO_ON,
    LEAVE,
    THEN,
    Break,
    Check,
    Consent,
    ConsentResult,
    Page,
    PageResult,
    Question,
    SessionPlan,
)
from participants.simulate.clock import VirtualClock
from participants.texts import load_text

READING_S = 8.0
QUESTION_S = 4.0
REST_S = 20.0


@dataclass(frozen=True, slots=True)
class Reader:
    """A `participants.session.PagePresenter` whose reader is a robot, in computed times.

    Attributes
    ----------
    plan
        The session.
    choose
        Answers a question.
    clock
        The journal's clock, moved on by what is shown.
    stops_at
        Breaks at which it stops for the day, by the ids of their steps.
    """

    plan: SessionPlan
    choose: Callable[[Question], str]
    clock: VirtualClock
    stops_at: frozenset[str] = frozenset()

    def page(self, page: Page) -> PageResult:
        """Read a page."""
        self.clock.advance(READING_S)
        return PageResult(READING_S)

    def consent(self, consent: Consent) -> ConsentResult:
        """Agree to the text as the study ships it."""
        lab = consent_values(self.plan.text_folder, self.plan.language, {})
        text = load_text(self.plan.text_folder, self.plan.language, consent.text)
        shown = text.filled({**lab, **consent.values})
        self.clock.advance(READING_S)
        return ConsentResult(True, shown.version, shown.sha256)

    def check(self, check: Check, attempt: int) -> Mapping[str, str]:
        """Answer rightly: robots know the guidelines, whether they keep them or not."""
        self.clock.advance(QUESTION_S * len(check.questions))
        return check.right

    def question(self, question: Question) -> str:
        """Answer a question."""
        self.clock.advance(QUESTION_S)
        return self.choose(question)

    def rest(self, pause: Break) -> PageResult:
        """Rest for a while, or for as long as must be."""
        shown_s = max(REST_S, pause.minimum_s)
        self.clock.advance(shown_s)
        then = LEAVE if pause.step in self.stops_at else GO_ON
        return PageResult(shown_s, {THEN: then} if pause.may_leave else {})
