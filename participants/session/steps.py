"""What any session is made of: pages, consent, questions, breaks, trials, paintings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

Decision = Literal["accept", "reject", "none"]
Phase = Literal["practice", "main"]


@dataclass(frozen=True, slots=True)
class PlateStimulus:
    """A plate with a solution, and with an explanation where there is one.

    Attributes
    ----------
    plate_file, region_file
        Paths in the pack; ``region_file`` is None without an explanation.
    shown_label
        The solution's digit, or ``no_solution``.
    axis, rung
        Confusion axis, and rung of its ladder (1 is the lowest).
    contrast
        The rung's contrast, Δu′v′.
    """

    plate_file: str
    region_file: str | None
    shown_label: str
    axis: str
    rung: int
    contrast: float


@dataclass(frozen=True, slots=True)
class ImageStimulus:
    """An image with a label.

    Attributes
    ----------
    image_file
        Path in the pack.
    shown_label
        The label's word in the session's language, or ``no_solution``.
    axis, rung, region_file
        None: what plates have and images don't.
    """

    image_file: str
    shown_label: str
    axis: None = None
    rung: None = None
    region_file: None = None


Stimulus = PlateStimulus | ImageStimulus


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
        What the text's placeholders become; what the lab fills in (institution, contact)
        is the presenter's. ``accept_key`` and ``reject_key`` are ids of keys, which the
        presenter words.
    figure
        A worked example to show with the text.
    reader
        Whose key goes on: the experimenter's pages can't be left by the participant.
    """

    step: str
    text: str
    values: Mapping[str, str] = field(default_factory=dict)
    figure: Stimulus | None = None
    reader: Literal["participant", "experimenter"] = "participant"


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
    """A question answered by one key; choices are ids, their words come from the texts.

    ``about`` is a plate with its solution to show beside the question.
    """

    step: str
    question: str
    choices: tuple[str, ...]
    about: PlateStimulus | None = None


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
        The experimenter's page after the last failed attempt; then the tries start anew.
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

    Where ``may_leave`` is set the rest also offers to stop here and to go on another day.
    """

    step: str
    text: str
    done: int
    total: int
    minimum_s: float = 0.0
    may_leave: bool = False


@dataclass(frozen=True, slots=True)
class Trial:
    """One trial: fixation, then the stimulus until a decision, its exposure or the limit.

    Attributes
    ----------
    step
        ``trial-0001`` and so on.
    trial
        Number in the session, from 1, practice included. A repeat's number is its
        original's plus the number of planned trials.
    phase, run, position
        ``practice`` is run 0; main runs are 1 and 2 in the order in which they are
        shown; the position counts within the run, from 1.
    presentation
        Opaque id of what is shown.
    stimulus
        What is shown.
    fixation_s, limit_s
        Fixation before the stimulus, and the longest time for an answer from its onset.
    exposure_s
        How long the stimulus stays at most, from its onset; the answer may follow until
        the limit. None where only the answer or the limit ends it.
    right_decision, feedback_s
        Set where the trial is followed by feedback, else None and 0.
    repeat_of
        Number of the trial that this one repeats; shown only if that one was flagged.
    """

    step: str
    trial: int
    phase: Phase
    run: int
    position: int
    presentation: str
    stimulus: Stimulus
    fixation_s: float
    limit_s: float
    exposure_s: float | None = None
    right_decision: Decision | None = None
    feedback_s: float = 0.0
    repeat_of: int | None = None

    @property
    def longest_look_s(self) -> float:
        """How long the stimulus can be looked at, from its onset."""
        return self.limit_s if self.exposure_s is None else min(self.exposure_s, self.limit_s)


@dataclass(frozen=True, slots=True)
class PaintTask:
    """A plate to be read and painted, for as long as that takes.

    Attributes
    ----------
    step
        ``trial-0001`` and so on.
    trial, phase, position
        As of a `Trial`; the position counts within the phase.
    item
        The plate, as in the pack's table.
    plate_file
        Its path in the pack.
    axis, rung, contrast
        Confusion axis, rung of its ladder (1 is the lowest) and the rung's contrast, Δu′v′.
    fixation_s
        Fixation before the plate.
    right_label
        Set where the answer is followed by feedback: the plate's digit, or ``no_solution``.
    feedback_s
        How long that feedback stays.
    """

    step: str
    trial: int
    phase: Phase
    position: int
    item: str
    plate_file: str
    axis: str
    rung: int
    contrast: float
    fixation_s: float
    right_label: str | None = None
    feedback_s: float = 0.0
