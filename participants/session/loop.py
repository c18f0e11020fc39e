"""The one loop that takes anyone through a plan, and what is left of it after a break-off."""

from collections.abc import Callable, Iterable

from participants.journal import Event, Recorder
from participants.session.plan import SessionPlan, repeat_step, trial_step
from participants.session.presenter import Feedback, PageResult, Presenter, SessionAborted
from participants.session.steps import (
    Break,
    Check,
    Consent,
    Page,
    PaintTask,
    Question,
    Trial,
)
from participants.studies.accept_reject.paint_task import run_paint_task, to_microseconds
from participants.studies.progressive_reveal.bubble_steps import BubbleTask
from participants.studies.progressive_reveal.bubble_task import run_bubble_task
from participants.studies.progressive_reveal.round_types import (
    LEFT,
    SITTING_END,
    CopyTask,
    RevealRound,
    SittingEnd,
)
from participants.studies.progressive_reveal.rounds import begun_rounds, run_copy_task, run_round

WELCOME_BACK = "welcome_back"


def run_session(
    plan: SessionPlan,
    done: frozenset[str],
    presenter: Presenter,
    recorder: Recorder,
    at_end: Callable[[], None] = lambda: None,
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
    at_end
        Called before the end is recorded, whether all was shown or not.

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
    at_end()
    recorder.append("session_end", durable=True, complete=complete)
    return complete


def record_trial_start(recorder: Recorder, trial: Trial, plate_sha256: str) -> None:
    """Record that a trial is about to be shown; for presenters, outside timed windows.

    Parameters
    ----------
    recorder
        Who keeps it.
    trial
        The trial.
    plate_sha256
        Of the plate's pixels, without its explanation; empty where none were rendered.
    """
    recorder.append(
        "trial_start",
        trial=trial.trial,
        repeat_of=trial.repeat_of,
        phase=trial.phase,
        run=trial.run,
        position=trial.position,
        presentation=trial.presentation,
        axis=trial.stimulus.axis,
        rung=trial.stimulus.rung,
        plate_sha256=plate_sha256,
    )


def done_steps(events: Iterable[Event]) -> frozenset[str]:
    """Return the ids of the steps that a journal shows to be finished.

    A trial is finished by its ``trial_end``; the repeat of a trial is settled too when
    the trial was not flagged. A round is finished as soon as its image may have been seen
    (`begun_rounds`).

    Parameters
    ----------
    events
        A journal's events, in order.
    """
    events = tuple(events)
    done = set(begun_rounds(events))
    for event in events:
        match event.event:
            case "page" | "answer" | "copy":
                done.add(event["step"])
            case "check" if event["passed"]:
                done.add(event["step"])
            case "consent" if event["agreed"]:
                done.add(event["text"])
            case "trial_end":
                done |= _settled(int(event["trial"]), bool(event["flagged"]))
    return frozenset(done - {WELCOME_BACK})


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
                _rest(step, presenter, recorder)
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
            case PaintTask():
                run_paint_task(step, presenter, recorder)
            case BubbleTask():
                run_bubble_task(step, presenter, recorder)
            case RevealRound():
                run_round(step, plan.score, presenter, recorder)
            case CopyTask():
                run_copy_task(step, presenter, recorder)
            case SittingEnd():
                _end_sitting(step, presenter, recorder)
    return True


def _show_page(page: Page, presenter: Presenter, recorder: Recorder) -> None:
    _record_page(page.step, page.text, presenter.page(page), recorder)


def _rest(pause: Break, presenter: Presenter, recorder: Recorder) -> None:
    rested = presenter.rest(pause)
    _record_page(pause.step, pause.text, rested, recorder)
    if pause.may_leave and rested.leaves:
        raise SessionAborted(LEFT)


def _end_sitting(end: SittingEnd, presenter: Presenter, recorder: Recorder) -> None:
    values = {"sitting": str(end.sitting), "sittings": str(end.sittings)}
    _show_page(Page(end.step, SITTING_END, values), presenter, recorder)
    raise SessionAborted(SITTING_END)


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
        answers = dict(presenter.check(check, attempt))
        passed = answers == check.right
        recorder.append("check", step=check.step, attempt=attempt, answers=answers, passed=passed)
        if passed:
            return
        if attempt % check.attempts == 0:
            _show_page(check.call, presenter, recorder)
        _show_page(check.again, presenter, recorder)


def _run_trial(
    trial: Trial, plan: SessionPlan, presenter: Presenter, recorder: Recorder
) -> set[str]:
    result = presenter.trial(trial)
    rt_s = to_microseconds(result.rt_s)
    outcome = plan.judge(trial, result.decision, rt_s, result.lag_s)
    recorder.append(
        "trial_end",
        durable=True,
        trial=trial.trial,
        repeat_of=trial.repeat_of,
        phase=trial.phase,
        run=trial.run,
        position=trial.position,
        presentation=trial.presentation,
        decision=result.decision,
        rt_s=rt_s,
        rt_corrected_s=to_microseconds(outcome.rt_corrected_s),
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
