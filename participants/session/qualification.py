"""Qualification: who answered enough validation trials rightly is a qualified person.

Who didn't is disqualified: the place in the design is free again (`participants.registry`). The
session goes on, since the first analysis has everybody in it, unless the study ends it there.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic import Field

from participants.journal import Event, Journal
from participants.journal.events import Count, Recorded
from participants.session.attended import Judge

QUALIFICATION: Final = "qualification"
"""Name of the event; a study that has the step has the event among its own."""


class Qualified(Recorded):
    """The validation trials were evaluated."""

    step: str = Field(min_length=1, description="The step of the session plan.")
    trials: Count = Field(description="Validation trials.")
    right: Count = Field(description="Number of correctly answered ones.")
    needed: Count = Field(description="Number needed to qualify.")
    qualified: bool = Field(description="Whether the person qualified.")


@dataclass(frozen=True, slots=True)
class Qualification:
    """A look back at the validation trials.

    Attributes
    ----------
    step
        Unique in the plan.
    trials
        Numbers of the validation trials. One without an end counts as not right.
    needed
        How many of them must be right.
    right
        Whether a trial was answered rightly.
    skips
        Ids of the steps that aren't done where too few were right.
    """

    step: str
    trials: tuple[int, ...]
    needed: int
    right: Judge = field(compare=False)
    skips: frozenset[str] = frozenset()

    def counted(self, ends: Iterable[Mapping[str, Any]]) -> dict[str, int | bool]:
        """Return what the event says, from the fields of the session's ``trial_end`` events."""
        right = sum(self.right(end) for end in ends if end["trial"] in self.trials)
        return {
            "trials": len(self.trials),
            "right": right,
            "needed": self.needed,
            "qualified": right >= self.needed,
        }

    def settles(self, *, qualified: bool) -> frozenset[str]:
        """Return the ids of the steps that a look back settles."""
        return frozenset({self.step}) | (frozenset() if qualified else self.skips)


def has_ended_early(steps: Iterable[Any], said: Iterable[tuple[str, Mapping[str, Any]]]) -> bool:
    """Return whether a look back led its person past a part of the session.

    Parameters
    ----------
    steps
        Of the plan; a look back that ends something has ``skips``.
    said
        Kind and fields of the session's events.
    """
    ending = {step.step for step in steps if getattr(step, "skips", None)}
    looks = (fields for kind, fields in said if kind == QUALIFICATION)
    return any(look["step"] in ending and not look["qualified"] for look in looks)


def disqualification_in(journal: Journal) -> Event | None:
    """Return the event that disqualifies a session's person, if there is one."""
    looks = [event for event in journal.events if event.event == QUALIFICATION]
    return looks[-1] if looks and not looks[-1]["qualified"] else None
