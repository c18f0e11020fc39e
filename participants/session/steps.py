"""The steps that every session has: pages, consent, questions, checks, breaks."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from participants.session.task import Task

Phase = Literal["practice", "validation", "main"]
"""What a trial is for; validation is there to see whether somebody takes part in earnest."""


@dataclass(frozen=True, slots=True)
class Page:
    """A text that stays until a key goes on.

    Attributes
    ----------
    step
        Unique in the plan.
    text
        Name of the text in `participants.texts`.
    values
        What the text's placeholders become; the presenter adds what the lab fills in
        (institution, contact). A value whose name ends in ``_key`` is the id of a key, which
        the presenter puts into words.
    figure
        A worked example to show with the text: a stimulus that the study's presenter draws.
    reader
        Whose key goes on: the experimenter's pages can't be left by the participant.
    greets
        Whether it greets who comes back: a session that goes on with it shows no other
        welcome before.
    confirmed
        Whether Enter leaves it, not the space bar that turns pages: what follows decides whether
        somebody stays, and one press too many must not begin it.
    may_return, from_end
        Whether the page before it can be gone back to, and whether it was gone back to itself, and
        so begins with its end; the loop knows.
    """

    step: str
    text: str
    values: Mapping[str, str] = field(default_factory=dict)
    figure: Any = None
    reader: Literal["participant", "experimenter"] = "participant"
    greets: bool = False
    confirmed: bool = False
    may_return: bool = False
    from_end: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """A page that tells what came out before it; made when it is due.

    Attributes
    ----------
    step
        Unique in the plan, and the page's.
    page
        Returns the page from what was recorded so far, ``(kind, fields)`` of each event in
        order; None where there is nothing to tell.
    texts
        Names of all texts that it may show.
    examples
        What a rehearsal shows of it: a page for each outcome.
    """

    step: str
    page: Callable[[Sequence[tuple[str, Mapping[str, Any]]]], Page | None]
    texts: tuple[str, ...] = ()
    examples: tuple[Page, ...] = ()


@dataclass(frozen=True, slots=True)
class Consent:
    """A declaration to agree to or to decline; the step's id is the text's name.

    With ``renewed`` it stands after the debrief, and declining withdraws the data.
    """

    text: str
    values: Mapping[str, str] = field(default_factory=dict)
    renewed: bool = False

    @property
    def step(self) -> str:
        """Id of the step."""
        return self.text


@dataclass(frozen=True, slots=True)
class Question:
    """A question answered by one key or click; choices are ids, their words come from the texts.

    Attributes
    ----------
    step, question
        Id of the step, and name of the question in the texts.
    choices
        Ids of the choices, in order.
    about
        A stimulus that the study's presenter shows beside the question.
    place
        Its number among several of its kind, from 1, and how many they are; None for one alone.
    unless
        Choices by the step of an earlier question: who chose one of them isn't asked.
    """

    step: str
    question: str
    choices: tuple[str, ...]
    about: Any = None
    place: tuple[int, int] | None = None
    unless: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Form:
    """Questions whose answers don't belong to the session's data: no journal holds them.

    The journal notes that the form was answered.

    Attributes
    ----------
    text
        What is shown before the questions.
    """

    step: str
    text: str
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class Check:
    """A comprehension check: every question must be answered rightly.

    Attributes
    ----------
    questions
        Asked in order; their ``step`` is unique too.
    right
        The right choice of each question, by its step.
    attempts
        Tries before the experimenter is called.
    again
        What is shown again after a failed attempt.
    call
        The experimenter's page after the last failed attempt; then the tries start again.
    """

    step: str
    questions: tuple[Question, ...]
    right: Mapping[str, str]
    attempts: int
    again: Page
    call: Page


def comprehension_check(
    asked: Sequence[tuple[str, tuple[str, ...], str]], attempts: int, again: str
) -> Check:
    """Return a check as the studies have it.

    Parameters
    ----------
    asked
        A question's name, its choices and the right one, each.
    attempts
        Tries before the experimenter is called.
    again
        The text that is shown again after a failed attempt.
    """
    return Check(
        step="check",
        questions=tuple(Question(name, name, choices) for name, choices, _ in asked),
        right={name: right for name, _, right in asked},
        attempts=attempts,
        again=Page(again, again),
        call=Page("call_experimenter", "call_experimenter", reader="experimenter"),
    )


@dataclass(frozen=True, slots=True)
class Break:
    """A rest: how far the session is, and the shortest time before it goes on.

    Where ``may_leave`` is set the break also offers to stop here and to go on another day.
    ``progress`` is the word of the texts that says how far the session is, ``values`` what that
    word is filled with beside ``done`` and ``total``.
    """

    step: str
    text: str
    done: int
    total: int
    minimum_s: float = 0.0
    may_leave: bool = False
    progress: str = "progress"
    values: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SittingEnd:
    """The end of a sitting: a page, after which the session stops until the person is back."""

    step: str
    sitting: int
    sittings: int


def with_breaks(
    tasks: Sequence[Task], every: int, text: str, progress: str = "progress"
) -> list[Task | Break]:
    """Return tasks with a break after every so many, but none after the last one.

    Parameters
    ----------
    tasks
        In order.
    every
        Tasks from break to break.
    text, progress
        Name of the break's text, and the word that says how far the session is.
    """
    steps: list[Task | Break] = []
    for place, task in enumerate(tasks, start=1):
        steps.append(task)
        if place % every == 0 and place < len(tasks):
            steps.append(Break(f"break-{place:04d}", text, place, len(tasks), progress=progress))
    return steps
