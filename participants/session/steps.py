"""The steps that every session has: pages, consent, questions, checks, breaks; and tasks.

A task is a step that a study defines. It runs itself and says which steps it settled. Its recorder
remembers how trials ended, and so whether anybody is there.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol

from participants.journal import Event, Recorder

UNATTENDED: Final = "unattended"
"""Name of the page on which a session waits, and of its step."""
BY_HAND: Final = frozenset({"page", "answer"})
"""Events that occur only if somebody pressed a key."""

Judge = Callable[[Mapping[str, Any]], bool]
"""Judges a trial by the fields of its ``trial_end`` event."""


class Attended:
    """A `participants.journal.Recorder` that remembers how trials ended.

    Parameters
    ----------
    recorder
        Records the events.
    answered
        Whether a trial was answered.
    before
        Events that the journal already holds.

    Attributes
    ----------
    recorded
        Kind and fields of all events, in order.
    ends
        The fields of all ``trial_end`` events, in order.
    agreed
        Whether the person has agreed to take part.
    passed
        Ids of the pages that were read and of the consents that were given.
    closed
        Whether a page that stays until the experimenter comes was shown.
    unanswered
        Number of unanswered trials in a row since somebody last pressed a key.
    """

    def __init__(self, recorder: Recorder, answered: Judge, before: Sequence[Event] = ()) -> None:
        self._recorder, self._answered = recorder, answered
        self.recorded = [(event.event, event.fields) for event in before]
        self.ends = [event.fields for event in before if event.event == "trial_end"]
        self.agreed = self.closed = False
        self.passed: set[str] = set()
        for event in before:
            self._pass(event.event, event.fields)
        self.unanswered = 0

    def append(
        self,
        event: str,
        *,
        t_monotonic_s: float | None = None,
        durable: bool = False,
        **fields: Any,
    ) -> None:
        """Record an event."""
        self._recorder.append(event, t_monotonic_s=t_monotonic_s, durable=durable, **fields)
        self.recorded.append((event, fields))
        self._pass(event, fields)
        if event == "trial_end":
            self._note(fields)
        elif event in BY_HAND:
            self.unanswered = 0

    def of(self, kind: str) -> list[Mapping[str, Any]]:
        """Return the fields of all events of a kind, in order."""
        return [fields for event, fields in self.recorded if event == kind]

    def _pass(self, event: str, fields: Mapping[str, Any]) -> None:
        if event == "page":
            self.passed.add(fields["step"])
        elif event == "consent" and fields["agreed"]:
            self.agreed = True
            self.passed.add(fields["text"])

    def _note(self, end: Mapping[str, Any]) -> None:
        self.ends.append(end)
        self.unanswered = 0 if self._answered(end) else self.unanswered + 1


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
            Records the events, and knows the earlier ones.
        """


def part_step(part: str, trial: int) -> str:
    """Return the step id of a part of a trial, such as ``own-0001``."""
    return f"{part}-{trial:04d}"


def trial_step(trial: int) -> str:
    """Return the step id of a trial's number."""
    return part_step("trial", trial)


def settled_parts(settles: Mapping[str, Sequence[str]], events: Iterable[Event]) -> frozenset[str]:
    """Return the step ids of the parts of trials that a journal's events settled.

    Parameters
    ----------
    settles
        The parts that an event settles, by its kind.
    events
        The journal's.
    """
    return frozenset(
        part_step(part, int(event["trial"]))
        for event in events
        for part in settles.get(event.event, ())
    )


def ended_trials(events: Iterable[Event]) -> frozenset[str]:
    """Return the step ids of the trials that are finished in a journal.

    This is the usual rule by which a plan resumes: a trial is settled by its ``trial_end``.
    """
    return frozenset(
        trial_step(int(event["trial"])) for event in events if event.event == "trial_end"
    )


Phase = Literal["practice", "validation", "main"]
"""What a trial is for; validation checks whether somebody takes part in earnest."""


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
        Values of the text's placeholders; the presenter adds the lab's (institution, contact). A
        value whose name ends in ``_key`` is the id of a key, which the presenter puts into words.
    figure
        A worked example to show with the text: a stimulus that the study's presenter draws.
    reader
        The person whose key goes on: the participant can't leave the experimenter's pages.
    greets
        Whether it greets a returning person; then a session that resumes with it shows no other
        welcome first.
    confirmed
        Whether Enter leaves the page, not the space bar that turns pages. What follows decides
        whether somebody stays, and one press too many must not start it.
    keys
        Keys that the reader presses once before the page can be left: one that doesn't work is
        found before it is needed.
    may_return, from_end
        Whether the reader can go back to the page before, and whether the reader came back to this
        page, which then opens at its end. Set by the loop.
    """

    step: str
    text: str
    values: Mapping[str, str] = field(default_factory=dict)
    figure: Any = None
    reader: Literal["participant", "experimenter"] = "participant"
    greets: bool = False
    confirmed: bool = False
    keys: tuple[str, ...] = ()
    may_return: bool = False
    from_end: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """A page that reports earlier results; it is made when it is due.

    Attributes
    ----------
    step
        Unique in the plan, and the page's.
    page
        Returns the page, given ``(kind, fields)`` of each event so far, in order; None if there is
        nothing to report.
    texts
        Names of all texts that it may show.
    examples
        Pages that a rehearsal shows: one for each outcome.
    """

    step: str
    page: Callable[[Sequence[tuple[str, Mapping[str, Any]]]], Page | None]
    texts: tuple[str, ...] = ()
    examples: tuple[Page, ...] = ()


@dataclass(frozen=True, slots=True)
class Consent:
    """A declaration that the person accepts or declines; the step's id is the text's name.

    If ``renewed``, it comes after the debrief, and declining withdraws the data.
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
        Its number among the questions of its kind, from 1, and their total; None for a single one.
    unless
        Choices by the step of an earlier question; a person who chose one of them isn't asked.
    """

    step: str
    question: str
    choices: tuple[str, ...]
    about: Any = None
    place: tuple[int, int] | None = None
    unless: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Form:
    """Questions whose answers aren't part of the session's data, so no journal holds them.

    The journal notes that the form was answered.

    Attributes
    ----------
    text
        The text shown before the questions.
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
        The questions, asked in order; each ``step`` is unique too.
    right
        The right choice of each question, by its step.
    attempts
        Tries before the experimenter is called.
    again
        The page that is shown again after a failed attempt.
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
    questions: Sequence[tuple[str, tuple[str, ...], str]], attempts: int, again: str
) -> Check:
    """Return a comprehension check as the studies use it.

    Parameters
    ----------
    questions
        For each question: its name, its choices and the right choice.
    attempts
        Tries before the experimenter is called.
    again
        The text that is shown again after a failed attempt.
    """
    return Check(
        step="check",
        questions=tuple(Question(name, name, choices) for name, choices, _ in questions),
        right={name: right for name, _, right in questions},
        attempts=attempts,
        again=Page(again, again),
        call=Page("call_experimenter", "call_experimenter", reader="experimenter"),
    )


@dataclass(frozen=True, slots=True)
class Break:
    """A rest, which shows the session's progress and has a minimum duration.

    If ``may_leave`` is set, the break also offers to stop here and to go on another day.
    ``progress`` is the id of the word that states the progress; ``values`` fill its placeholders,
    beside ``done`` and ``total``.
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
    """The end of a sitting: a page after which the session stops until the person is back."""

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
        Number of tasks between breaks.
    text, progress
        Name of the break's text, and id of the word that states the progress.
    """
    steps: list[Task | Break] = []
    for place, task in enumerate(tasks, start=1):
        steps.append(task)
        if place % every == 0 and place < len(tasks):
            steps.append(Break(f"break-{place:04d}", text, place, len(tasks), progress=progress))
    return steps
