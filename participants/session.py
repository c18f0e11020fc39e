"""A session as a plan of steps, and the one loop that takes anyone through it.

The plan is made by a study (`participants.studies`). Whoever shows it, a window or a
response model, is a `Presenter`; whoever keeps what happened is a `Recorder`.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

Decision = Literal["accept", "reject", "none"]
Phase = Literal["practice", "main"]

WELCOME_BACK = "welcome_back"


class SessionAborted(Exception):  # noqa: N818 - it is an end that somebody wanted, not an error
    """Raised by a presenter when the session is ended before its last step; `reason` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


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
class Page:
    """A text that stays until a key goes on.

    Attributes
    ----------
    step
        Unique in the plan.
    text
        Name of the text in `participants.texts`.
    values
        What the text's placeholders become.
    figure
        A worked example to show with the text.
    reader
        Whose key goes on: the experimenter's pages can't be left by the participant.
    """

    step: str
    text: str
    values: Mapping[str, str] = field(default_factory=dict)
    figure: PlateStimulus | None = None
    reader: Literal["participant", "experimenter"] = "participant"


@dataclass(frozen=True, slots=True)
class Consent:
    """A declaration to agree to or to decline; the step's id is the text's name.

    With ``renewed`` it stands after the debrief, and declining withdraws the data.
    """

    text: str
    renewed: bool = False

    @property
    def step(self) -> str:
        """Id of the step."""
        return self.text


@dataclass(frozen=True, slots=True)
class Question:
    """A question answered by one key; choices are ids, their words come from the texts."""

    step: str
    question: str
    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Check:
    """A comprehension check: every question must be answered rightly.

    Attributes
    ----------
    questions
        Asked in order; their ``step`` is unique too.
    right
        The right choice of each question.
    attempts
        Tries before the experimenter is called.
    again
        What is shown again after a failed attempt.
    call
        The experimenter's page after the last failed attempt; then the tries start anew.
    """

    step: str
    questions: tuple[Question, ...]
    right: tuple[str, ...]
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
    """One trial: fixation, then the stimulus until a decision or the limit.

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
    stimulus: PlateStimulus
    fixation_s: float
    limit_s: float
    right_decision: Decision | None = None
    feedback_s: float = 0.0
    repeat_of: int | None = None


Step = Page | Consent | Question | Check | Break | Trial


@dataclass(frozen=True, slots=True)
class Feedback:
    """What a practice trial is followed by, for ``feedback_s``."""

    decision: Decision
    right_decision: Decision
    feedback_s: float

    @property
    def right(self) -> bool:
        """Whether the decision was the right one."""
        return self.decision == self.right_decision


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

    @property
    def trials(self) -> tuple[Trial, ...]:
        """The planned trials, practice included, repeats not."""
        return tuple(
            step for step in self.steps if isinstance(step, Trial) and step.repeat_of is None
        )


@dataclass(frozen=True, slots=True)
class PageResult:
    """How long a page or break was on screen, and what was entered on it, if anything."""

    shown_s: float
    answers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ConsentResult:
    """What was shown, by version and SHA-256 of the text as shown, and the answer."""

    agreed: bool
    version: str
    sha256: str


@dataclass(frozen=True, slots=True)
class TrialResult:
    """What happened in a trial; times as stamped, nothing judged.

    Attributes
    ----------
    decision, rt_s
        ``none`` and None when the limit passed. ``rt_s`` is the press's stamp minus
        the onset's.
    lag_s
        The rig's constant lag for this device; 0 where it was never measured.
    onset_t_monotonic_s
        Onset of the stimulus's first frame, on the journal's clock.
    frames_planned
        None where the response ends the stimulus.
    frames_shown, frames_dropped, longest_interval_s
        The stimulus's frame record.
    flagged
        Whether a frame was lost before the answer.
    """

    decision: Decision
    rt_s: float | None
    lag_s: float
    onset_t_monotonic_s: float
    frames_planned: int | None
    frames_shown: int
    frames_dropped: int
    longest_interval_s: float
    flagged: bool


class Presenter(Protocol):
    """Shows steps to a person or a response model.

    Its `trial` records ``trial_start``, ``flip`` and ``response`` itself, at their own
    stamps, and any method records ``pause`` and ``continue``; the rest is the loop's.
    Any method may raise `SessionAborted`.
    """

    def page(self, page: Page) -> PageResult:
        """Show a page until its reader goes on."""

    def consent(self, consent: Consent) -> ConsentResult:
        """Ask for consent."""

    def check(self, check: Check, attempt: int) -> tuple[str, ...]:
        """Ask the check's questions and return the choices, one a question."""

    def question(self, question: Question) -> str:
        """Ask a question and return the choice."""

    def rest(self, pause: Break) -> PageResult:
        """Show a break, at least for its minimum."""

    def trial(self, trial: Trial) -> TrialResult:
        """Run a trial."""

    def feedback(self, feedback: Feedback) -> None:
        """Tell whether the decision was right."""


class Recorder(Protocol):
    """Keeps events; the journal's writer is one."""

    def append(
        self,
        event: str,
        *,
        t_monotonic_s: float | None = None,
        durable: bool = False,
        **fields: Any,
    ) -> None:
        """Keep an event; a durable one is on the disk when this returns."""


def run_session(
    plan: SessionPlan, done: frozenset[str], presenter: Presenter, recorder: Recorder
) -> bool:
    """Take a presenter through a plan and record what happens.

    The ``session`` event that opens a journal is the caller's.

    Parameters
    ----------
    plan
        What to show.
    done
        Ids of steps that need not be shown any more (`done_steps`); empty for a new session.
    presenter
        Who shows it.
    recorder
        Who keeps it.

    Returns
    -------
    bool
        True if the session came to its end (with renewed consent or without), False
        if it was aborted or consent was not given.
    """
    try:
        complete = _run_steps(plan, done, presenter, recorder)
    except SessionAborted as abort:
        recorder.append("abort", durable=True, reason=abort.reason)
        complete = False
    recorder.append("session_end", durable=True, complete=complete)
    return complete


def done_steps(events: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """Return the ids of the steps that a journal shows to be finished.

    A trial is finished by its ``trial_end``; the repeat of a trial is settled too when
    the trial was not flagged.

    Parameters
    ----------
    events
        A journal's events as mappings, in order.
    """
    done: set[str] = set()
    for event in events:
        match event["event"]:
            case "page" | "answer":
                done.add(event["step"])
            case "check" if event["passed"]:
                done.add(event["step"])
            case "consent" if event["agreed"]:
                done.add(event["text"])
            case "trial_end":
                done |= _settled(int(event["trial"]), bool(event["flagged"]))
    return frozenset(done - {WELCOME_BACK})


def trial_step(trial: int) -> str:
    """Return the step id of a trial's number."""
    return f"trial-{trial:04d}"


def repeat_step(trial: int) -> str:
    """Return the step id of a trial's possible repeat."""
    return f"repeat-{trial:04d}"


def _settled(trial: int, flagged: bool) -> set[str]:
    return {trial_step(trial)} | (set() if flagged else {repeat_step(trial)})


def _run_steps(
    plan: SessionPlan, done: frozenset[str], presenter: Presenter, recorder: Recorder
) -> bool:
    settled = set(done)
    if done:
        _show_page(Page(WELCOME_BACK, WELCOME_BACK), presenter, recorder)
    for step in plan.steps:
        if step.step in settled:
            continue
        match step:
            case Page():
                _show_page(step, presenter, recorder)
            case Break():
                rested = presenter.rest(step)
                _record_page(step.step, step.text, rested, recorder)
            case Consent():
                if not _ask_consent(step, plan, presenter, recorder):
                    return step.renewed
            case Check():
                _run_check(step, presenter, recorder)
            case Question():
                value = presenter.question(step)
                recorder.append("answer", step=step.step, question=step.question, value=value)
            case Trial():
                if step.repeat_of is None or repeat_step(step.repeat_of) not in settled:
                    settled |= _run_trial(step, plan, presenter, recorder)
    return True


def _show_page(page: Page, presenter: Presenter, recorder: Recorder) -> None:
    _record_page(page.step, page.text, presenter.page(page), recorder)


def _record_page(step: str, text: str, result: PageResult, recorder: Recorder) -> None:
    recorder.append(
        "page", step=step, name=text, shown_s=result.shown_s, answers=dict(result.answers)
    )


def _ask_consent(
    consent: Consent, plan: SessionPlan, presenter: Presenter, recorder: Recorder
) -> bool:
    result = presenter.consent(consent)
    recorder.append(
        "consent",
        durable=True,
        text=consent.text,
        version=result.version,
        sha256=result.sha256,
        language=plan.language,
        agreed=result.agreed,
    )
    if not result.agreed:
        ending = "withdrawn" if consent.renewed else "declined"
        _show_page(Page(ending, ending), presenter, recorder)
    return result.agreed


def _run_check(check: Check, presenter: Presenter, recorder: Recorder) -> None:
    attempt = 0
    while True:
        attempt += 1
        answers = tuple(presenter.check(check, attempt))
        passed = answers == check.right
        recorder.append(
            "check", step=check.step, attempt=attempt, answers=list(answers), passed=passed
        )
        if passed:
            return
        if attempt % check.attempts == 0:
            _show_page(check.call, presenter, recorder)
        _show_page(check.again, presenter, recorder)


def _run_trial(
    trial: Trial, plan: SessionPlan, presenter: Presenter, recorder: Recorder
) -> set[str]:
    result = presenter.trial(trial)
    outcome = plan.judge(trial, result.decision, result.rt_s, result.lag_s)
    recorder.append(
        "trial_end",
        durable=True,
        trial=trial.trial,
        phase=trial.phase,
        run=trial.run,
        position=trial.position,
        presentation=trial.presentation,
        decision=result.decision,
        rt_s=result.rt_s,
        rt_corrected_s=outcome.rt_corrected_s,
        in_time=outcome.in_time,
        accepted=outcome.accepted,
        onset_t_monotonic_s=result.onset_t_monotonic_s,
        frames_planned=result.frames_planned,
        frames_shown=result.frames_shown,
        frames_dropped=result.frames_dropped,
        longest_interval_s=result.longest_interval_s,
        flagged=result.flagged,
    )
    if trial.right_decision is not None:
        presenter.feedback(Feedback(result.decision, trial.right_decision, trial.feedback_s))
    return _settled(trial.trial, result.flagged)
