"""How many items a test has for a person, by the time left when it begins."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from participants.session import LEFT, Attended
from participants.session.presenter import SITTING_END
from stimuli.studies.simulatability.protocol import Length

ON_ANOTHER_DAY: Final = (SITTING_END, LEFT)
"""Reasons of the aborts after which a session goes on with the time of a new sitting."""


def time_spent_s(said: Iterable[tuple[str, Mapping[str, Any]]], limit_s: float) -> float:
    """Return how long pages, examples, ratings and predictions were shown, in seconds.

    It is summed over all parts of a sitting that was resumed; the time between doesn't count, and
    an earlier sitting doesn't either.

    Parameters
    ----------
    said
        Kind and fields of the session's events.
    limit_s
        How long a prediction takes that nobody makes.
    """
    spent = 0.0
    for kind, fields in said:
        match kind:
            case "page":
                spent += fields["shown_s"]
            case "rating_end":
                spent += fields["rating_rt_s"]
            case "trial_end":
                times = (fields["look_s"], fields["rt_s"], limit_s)
                spent += next(time for time in times if time is not None)
            case "abort" if fields["reason"] in ON_ANOTHER_DAY:
                spent = 0.0
    return spent


def is_short(rules: Length, items: int, spent_s: float) -> bool:
    """Return whether a test has half of its items, since the time left is too short for all."""
    needed_s = items * rules.seconds_per_item
    return rules.shorten and rules.session_s - spent_s < needed_s


@dataclass(frozen=True, slots=True)
class LengthDecision:
    """Decides at a test's start how many items it has; pre and post alike.

    Attributes
    ----------
    step
        Unique in the plan.
    rules
        The protocol's.
    items
        How many items the test has as a whole.
    limit_s
        How long a prediction takes that nobody makes.
    skips
        Ids of the steps that a short test leaves out.
    """

    step: str
    rules: Length
    items: int
    limit_s: float
    skips: frozenset[str]

    def perform(self, presenter: Any, recorder: Attended) -> frozenset[str]:
        """Decide, record the decision, and return the ids of the steps that it settles."""
        spent_s = time_spent_s(recorder.recorded, self.limit_s)
        short = is_short(self.rules, self.items, spent_s)
        recorder.append("length", durable=True, step=self.step, spent_s=spent_s, short=short)
        return self.settles(short=short)

    def settles(self, *, short: bool) -> frozenset[str]:
        """Return the ids of the steps that a decision settles."""
        return frozenset({self.step}) | (self.skips if short else frozenset())
