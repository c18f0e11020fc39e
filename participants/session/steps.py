"""What a session is made of: steps in order, and the plan that holds them."""

from collections.abc import Callable, Mapping
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


@dataclass(frozen=True, slots=True)
class Break:
    """A rest: how far the session is, and the shortest time before it goes on."""

    step: str
    text: str
    done: int
    total: int
    minimum_s: float = 0.0


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


Step = Page | Consent | Question | Check | Break | Trial | PaintTask


@dataclass(frozen=True, slots=True)
class Outcome:
    """A trial's decision, judged; ``rt_corrected_s`` is the time less the rig's lag."""

    in_time: bool
    accepted: bool
    rt_corrected_s: float | None


Judge = Callable[[Trial, Decision, float | None, float], Outcome]


@dataclass(frozen=True, slots=True)
class SessionPlan:
    """All that a session shows, in order.

    Attributes
    ----------
    list_id, order, language
        The lead's list of the pack, which run comes first, language of the texts.
    device
        What decisions are made with, ``keyboard`` or ``mouse``.
    accept_key, reject_key
        Keys (or ``left``, ``right`` buttons) of the two decisions.
    steps
        With unique ids.
    judge
        ``judge(trial, decision, rt_s, lag_s)``: the study's rule.
    texts
        Folder of the texts, where the protocol has its own; else empty.
    """

    study: str
    pack_id: str
    protocol_hash: str
    list_id: str
    order: str
    language: str
    device: Literal["keyboard", "mouse"]
    accept_key: str
    reject_key: str
    steps: tuple[Step, ...]
    judge: Judge
    texts: str = ""

    @property
    def text_folder(self) -> str:
        """Whose texts are read: the study's, unless the protocol has its own."""
        return self.texts or self.study

    @property
    def trials(self) -> tuple[Trial, ...]:
        """The planned trials, practice included, repeats not."""
        return tuple(
            step for step in self.steps if isinstance(step, Trial) and step.repeat_of is None
        )


def trial_step(trial: int) -> str:
    """Return the step id of a trial's number."""
    return f"trial-{trial:04d}"


def repeat_step(trial: int) -> str:
    """Return the step id of a trial's possible repeat."""
    return f"repeat-{trial:04d}"
