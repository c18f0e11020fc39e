"""Evaluations of trials: practice with a criterion, and qualification by validation trials.

People who reach the criterion of practice go on. The others practise again.

People who answer enough validation trials correctly are qualified. The others are disqualified, and
their place in the design is free again (`participants.registry`). Their session goes on, because
the first analysis has everybody in it, unless the study ends it there.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, TypeVar

from pydantic import Field

from participants.journal import Event, Journal
from participants.journal.events import Count, Recorded
from participants.session.steps import Judge, Page, Task
from stimuli.protocol import Practice

PRACTICE_AGAIN: Final = "practice_again"
"""Text of the page before practice is repeated."""
PRACTICE_END: Final = "practice_end"
"""Reason in the ``abort`` event of a session that fails the criterion, and its page's name."""
QUALIFICATION: Final = "qualification"
"""Name of the event; a study that uses the step declares the event."""


def anyhow(end: Mapping[str, Any]) -> bool:
    """Return True, for a study that doesn't check whether trials were answered."""
    return True


class NumberedTask(Task, Protocol):
    """A task with a number among all trials of the session."""

    @property
    def trial(self) -> int:
        """The number."""


Trial = TypeVar("Trial", bound=NumberedTask)


@dataclass(frozen=True, slots=True)
class PracticeCheck:
    """A check of practice: were enough trials answered, and enough of them rightly?

    Attributes
    ----------
    step
        Unique in the plan.
    attempt
        Number of the practice that it checks, from 1.
    trials
        The numbers of that practice's judged trials. A trial without an end counts as unanswered.
    rule
        The criterion.
    right
        Whether a trial was answered rightly.
    skips
        Ids of the steps that are skipped if the criterion was reached.
    end
        The page that ends the session if it wasn't; None if the plan goes on.
    """

    step: str
    attempt: int
    trials: tuple[int, ...]
    rule: Practice
    right: Judge = field(compare=False)
    skips: frozenset[str]
    end: Page | None = None

    def counted(self, ends: Iterable[Mapping[str, Any]], answered: Judge) -> dict[str, int]:
        """Return the numbers of trials, of answered trials and of right answers.

        Parameters
        ----------
        ends
            The fields of the session's ``trial_end`` events.
        answered
            Whether a trial was answered.
        """
        counted = [end for end in ends if end["trial"] in self.trials and answered(end)]
        right = sum(map(self.right, counted))
        return {"trials": len(self.trials), "answered": len(counted), "right": right}

    def passes(self, counted: Mapping[str, int]) -> bool:
        """Return whether counts of `counted` reach the criterion."""
        answered, right = self.rule.answered_share, self.rule.right_share
        trials = counted["trials"]
        return counted["answered"] >= answered * trials and counted["right"] >= right * trials


def checked_practice(
    rule: Practice,
    practice: Callable[[int], Sequence[Trial]],
    right: Judge,
    judged: Callable[[Trial], bool] = lambda trial: True,
) -> list[Page | Task | PracticeCheck]:
    """Return the steps of practice by its rule: with checks, and with repeats if required.

    Parameters
    ----------
    rule
        The protocol's.
    practice
        Returns the trials of a practice, given the number of practices before it.
    right
        Whether a trial was answered rightly.
    judged
        Whether a trial counts for the rule.
    """
    first = practice(0)
    if not (first and rule.has_criterion):
        return list(first)
    ends = rule.then == "end"
    call = Page("practice_call", "call_experimenter", reader="experimenter")
    steps: list[Page | Task | PracticeCheck] = [] if ends else [call]
    for before in range(rule.repeats, -1, -1):
        trials = practice(before)
        check = PracticeCheck(
            step=f"practice_check-{before + 1}",
            attempt=before + 1,
            trials=tuple(trial.trial for trial in trials if judged(trial)),
            rule=rule,
            right=right,
            skips=frozenset(step.step for step in steps),
            end=Page(PRACTICE_END, PRACTICE_END) if ends and before == rule.repeats else None,
        )
        again = [Page(f"{PRACTICE_AGAIN}-{before}", PRACTICE_AGAIN)] if before else []
        steps = [*again, *trials, check, *steps]
    return steps


class Qualified(Recorded):
    """The validation trials were evaluated."""

    step: str = Field(min_length=1, description="The step of the session plan.")
    trials: Count = Field(description="Validation trials.")
    right: Count = Field(description="Number of correctly answered ones.")
    needed: Count = Field(description="Number needed to qualify.")
    qualified: bool = Field(description="Whether the person qualified.")


@dataclass(frozen=True, slots=True)
class Qualification:
    """A check of the validation trials.

    Attributes
    ----------
    step
        Unique in the plan.
    trials
        Numbers of the validation trials. A trial without an end counts as not right.
    needed
        How many of them must be right.
    right
        Whether a trial was answered rightly.
    skips
        Ids of the steps that are skipped if too few were right.
    """

    step: str
    trials: tuple[int, ...]
    needed: int
    right: Judge = field(compare=False)
    skips: frozenset[str] = frozenset()

    def counted(self, ends: Iterable[Mapping[str, Any]]) -> dict[str, int | bool]:
        """Return the fields of the event, from those of the session's ``trial_end`` events."""
        right = sum(self.right(end) for end in ends if end["trial"] in self.trials)
        return {
            "trials": len(self.trials),
            "right": right,
            "needed": self.needed,
            "qualified": right >= self.needed,
        }

    def settles(self, *, qualified: bool) -> frozenset[str]:
        """Return the ids of the steps that the check settles."""
        return frozenset({self.step}) | (frozenset() if qualified else self.skips)


@dataclass(frozen=True, slots=True)
class Missed:
    """Why somebody was disqualified: how many of the answers that are checked were right."""

    trials: int
    right: int
    needed: int

    @property
    def as_texts(self) -> dict[str, str]:
        """The values as texts, for words with their names."""
        return {"trials": str(self.trials), "right": str(self.right), "needed": str(self.needed)}


def has_ended_early(
    steps: Iterable[Any], recorded: Iterable[tuple[str, Mapping[str, Any]]]
) -> bool:
    """Return whether a check made its person skip a part of the session.

    Parameters
    ----------
    steps
        Steps of the plan; a check that can skip a part has ``skips``.
    recorded
        Kind and fields of the session's events.
    """
    ending = {step.step for step in steps if getattr(step, "skips", None)}
    looks = (fields for kind, fields in recorded if kind == QUALIFICATION)
    return any(look["step"] in ending and not look["qualified"] for look in looks)


def disqualification_in(journal: Journal) -> Event | None:
    """Return the event that disqualifies a session's person, if there is one."""
    looks = [event for event in journal.events if event.event == QUALIFICATION]
    return looks[-1] if looks and not looks[-1]["qualified"] else None


def missed_in(journal: Journal) -> Missed | None:
    """Return why a session's person was disqualified; None if they weren't."""
    look = disqualification_in(journal)
    return None if look is None else Missed(look["trials"], look["right"], look["needed"])
