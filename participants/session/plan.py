"""The plan of a session: its steps in order."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from participants.journal import Event
from participants.session.attended import Judge
from participants.session.practice import PracticeCheck, anyhow
from participants.session.qualification import Qualification
from participants.session.steps import (
    Break,
    Check,
    Consent,
    Form,
    Page,
    Question,
    Report,
    SittingEnd,
)
from participants.session.task import Task, ended_trials
from participants.session.timed_choice import Device

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
WELCOME_BACK = "welcome_back"


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
        With unique ids.
    device
        What choices are made with.
    keys
        Keys (or ``left``, ``right`` buttons) by what they mean; empty where they differ from
        trial to trial or there are none.
    settled
        Returns the ids of the tasks that a journal's events show to be settled: they are not
        shown again when the session is resumed.
    texts
        Folder of the texts, where it isn't the study's name; else empty.
    welcome_back
        Name of the text that a resumed session begins with.
    title
        The word that names the study on the screen and on paper.
    answered
        Whether somebody answered a trial, by the fields of its ``trial_end`` event.
    wait_after
        After so many trials in a row that nobody answered the session waits for a key; 0 for
        never.
    """

    study: str
    pack_id: str
    protocol_hash: str
    list_id: str
    order: str
    language: str
    steps: tuple[Step, ...]
    device: Device = "keyboard"
    keys: Mapping[str, str] = field(default_factory=dict)
    settled: Callable[[Sequence[Event]], frozenset[str]] = ended_trials
    texts: str = ""
    welcome_back: str = WELCOME_BACK
    title: str = "title"
    answered: Judge = anyhow
    wait_after: int = 0

    @property
    def text_folder(self) -> str:
        """Whose texts are read: the study's, unless the plan names others."""
        return self.texts or self.study

    @property
    def trials(self) -> tuple[Any, ...]:
        """The planned tasks that are numbered, practice included, repeats of both not."""
        checks = (step for step in self.steps if isinstance(step, PracticeCheck))
        repeats = frozenset[str]().union(*(check.skips for check in checks))
        return tuple(
            step
            for step in self.steps
            if hasattr(step, "trial")
            and getattr(step, "repeat_of", None) is None
            and step.step not in repeats
        )
