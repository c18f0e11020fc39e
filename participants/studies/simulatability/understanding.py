"""Who takes part: a look at the answers to the questions about a course, method and balance."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from participants.session import Attended
from participants.session.qualification import QUALIFICATION


@dataclass(frozen=True, slots=True)
class Understood:
    """A look back at questions with right answers.

    Attributes
    ----------
    step
        Unique in the plan.
    right
        The right choice of each question, by its step.
    needed
        How many must be right.
    skips
        Ids of the steps that aren't done where too few were right.
    reports
        Ids of the pages that aren't shown where enough were right.
    """

    step: str
    right: Mapping[str, str]
    needed: int
    skips: frozenset[str] = frozenset()
    reports: frozenset[str] = frozenset()

    def perform(self, presenter: Any, recorder: Attended) -> frozenset[str]:
        """Say who qualified, and return the ids of the steps that this settles."""
        # A question has one answer; were there two, the first would count.
        answers: dict[str, str] = {}
        for answer in recorder.of("answer"):
            answers.setdefault(answer["step"], answer["value"])
        right = sum(answers.get(step) == choice for step, choice in self.right.items())
        qualified = right >= self.needed
        recorder.append(
            QUALIFICATION,
            durable=True,
            step=self.step,
            trials=len(self.right),
            right=right,
            needed=self.needed,
            qualified=qualified,
        )
        return self.settles(qualified=qualified)

    def settles(self, *, qualified: bool) -> frozenset[str]:
        """Return the ids of the steps that a look back settles."""
        return frozenset({self.step}) | (self.reports if qualified else self.skips)
