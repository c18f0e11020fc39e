"""A task: a step of a study's own, which runs itself and says what it settled."""

from collections.abc import Iterable
from typing import Any, Protocol

from participants.journal import Event
from participants.session.attended import Attended


class Task(Protocol):
    """A step that a study's own presenter shows, such as a trial.

    Attributes
    ----------
    step
        Unique in the plan.
    """

    @property
    def step(self) -> str:
        """Id of the step."""

    def perform(self, presenter: Any, recorder: Attended) -> frozenset[str]:
        """Show the task, record what happened, and return the ids of the steps it settled.

        Parameters
        ----------
        presenter
            The study's own presenter.
        recorder
            Keeps what happened, and knows what happened before.
        """


def trial_step(trial: int) -> str:
    """Return the step id of a trial's number."""
    return f"trial-{trial:04d}"


def ended_trials(events: Iterable[Event]) -> frozenset[str]:
    """Return the step ids of the trials that a journal shows to be finished.

    This is the usual rule by which a plan resumes: a trial is settled by its ``trial_end``.
    """
    return frozenset(
        trial_step(int(event["trial"])) for event in events if event.event == "trial_end"
    )
