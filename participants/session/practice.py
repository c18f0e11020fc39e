"""Practice with a criterion: who reaches it goes on, who doesn't practises again."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, TypeVar

from participants.session.attended import Judge
from participants.session.steps import Page
from participants.session.task import Task
from stimuli.protocol import Practice

PRACTICE_AGAIN: Final = "practice_again"
"""Text of the page before practice comes again."""
PRACTICE_END: Final = "practice_end"
"""Reason of the abort that ends a session whose criterion wasn't reached, and its page's name."""


def anyhow(end: Mapping[str, Any]) -> bool:
    """Return True: of a study that doesn't look whether trials were answered."""
    return True


class NumberedTask(Task, Protocol):
    """A task with a number among all trials of the session."""

    @property
    def trial(self) -> int:
        """The number."""


Trial = TypeVar("Trial", bound=NumberedTask)


@dataclass(frozen=True, slots=True)
class PracticeCheck:
    """A look back at practice: was enough of it answered, and rightly?

    Attributes
    ----------
    step
        Unique in the plan.
    attempt
        Which practice it looks at, from 1.
    trials
        The numbers of that practice's trials that are judged. One without an end counts as not
        answered.
    rule
        The criterion.
    right
        Whether a trial was answered rightly.
    skips
        Ids of the steps that are skipped if the criterion was reached.
    end
        The page that ends the session where it wasn't; None where the plan goes on.
    """

    step: str
    attempt: int
    trials: tuple[int, ...]
    rule: Practice
    right: Judge = field(compare=False)
    skips: frozenset[str]
    end: Page | None = None

    def counted(self, ends: Iterable[Mapping[str, Any]], answered: Judge) -> dict[str, int]:
        """Return how many trials there were, were answered, and were answered rightly.

        Parameters
        ----------
        ends
            The fields of the session's ``trial_end`` events.
        answered
            Whether a trial was answered.
        """
        own = [end for end in ends if end["trial"] in self.trials and answered(end)]
        right = sum(map(self.right, own))
        return {"trials": len(self.trials), "answered": len(own), "right": right}

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
    """Return practice as its rule has it: checked, and repeated where it must be.

    Parameters
    ----------
    rule
        The protocol's.
    practice
        Returns the trials of practice, given how often it was done before.
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
