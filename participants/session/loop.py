"""The one loop that takes anyone through a plan, and the steps that a journal shows as done."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final

from participants.journal import Event, Recorder
from participants.session.attended import UNATTENDED, Attended
from participants.session.leaving import LEFT_FOR_GOOD, closing, is_leaving
from participants.session.plan import WELCOME_BACK, SessionPlan
from participants.session.practice import PRACTICE_END, PracticeCheck
from participants.session.presenter import (
    LEAVE,
    LEAVE_FOR_GOOD,
    LEFT,
    SITTING_END,
    PagePresenter,
    PageResult,
    SessionAborted,
)
from participants.session.qualification import QUALIFICATION, Qualification
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

KeepApart = Callable[[Mapping[str, str]], bool]
"""Keeps a form's answers, by question, apart from the journal; says whether it could."""
REASONS: Final = {LEAVE: LEFT, LEAVE_FOR_GOOD: LEFT_FOR_GOOD}
"""Reasons of the aborts by which somebody stops at a break, by the break's answer."""


def run_session(
    plan: SessionPlan,
    done: frozenset[str],
    pages: PagePresenter,
    tasks: Any,
    recorder: Recorder,
    at_end: Callable[[], None] = lambda: None,
    before: Sequence[Event] = (),
    keep_apart: KeepApart = lambda answers: True,
) -> bool:
    """Take a person or a response model through a plan and record what happens.

    The ``session`` event that opens a journal is the caller's.

    Parameters
    ----------
    plan
        What to show.
    done
        Ids of steps that need not be shown any more (`done_steps`); empty for a new session.
    pages
        Shows what every session has.
    tasks
        The study's own presenter, which its tasks are performed with.
    recorder
        Keeps what happened.
    at_end
        Called before the end is recorded, whether all was shown or not.
    before
        What the journal of a resumed session holds already.
    keep_apart
        Keeps a form's answers apart from the journal; False if it couldn't, and the form comes
        again when the session goes on.

    Returns
    -------
    bool
        True if the session came to its end (with renewed consent or without), False
        if it was aborted, consent was not given or the person left for good.
    """
    attended = Attended(recorder, plan.answered, before)
    complete, leaving = False, is_leaving(before)
    if not leaving:
        try:
            complete = _run_steps(plan, done, pages, tasks, attended, keep_apart)
        except SessionAborted as abort:
            recorder.append("abort", durable=True, reason=abort.reason)
            leaving = abort.reason == LEFT_FOR_GOOD
    if leaving:
        _take_leave(plan, pages, attended)
    at_end()
    recorder.append("session_end", durable=True, complete=complete)
    return complete


def done_steps(plan: SessionPlan, events: Sequence[Event]) -> frozenset[str]:
    """Return the ids of the steps that a journal shows to be finished.

    Parameters
    ----------
    plan
        Knows when its tasks are settled.
    events
        A journal's events, in order.
    """
    done = set(plan.settled(events))
    practice = {step.step: step for step in plan.steps if isinstance(step, PracticeCheck)}
    looks = {step.step: step for step in plan.steps if isinstance(step, Qualification)}
    for event in events:
        match event.event:
            case "qualification" if event["step"] in looks:
                done |= looks[event["step"]].settles(qualified=event["qualified"])
            case "page":
                done.add(event["step"])
            case "check" if event["step"] in practice:
                done |= _settled_by(practice[event["step"]], passed=event["passed"])
            case "answer":
                done |= _settled_by_answer(plan, event["step"], event["value"])
            case "check" if event["passed"]:
                done.add(event["step"])
            case "consent" if event["agreed"]:
                done.add(event["text"])
    return frozenset(done - {WELCOME_BACK})


def _run_steps(
    plan: SessionPlan,
    done: frozenset[str],
    pages: PagePresenter,
    tasks: Any,
    recorder: Attended,
    keep_apart: KeepApart,
) -> bool:
    settled = set(done)
    if done and not _greets(plan, settled):
        _show_page(Page(WELCOME_BACK, plan.welcome_back), pages, recorder)
    for step in plan.steps:
        if step.step in settled:
            continue
        match step:
            case Page():
                _show_page(step, pages, recorder)
            case Report():
                if (page := step.page(recorder.recorded)) is not None:
                    _show_page(page, pages, recorder)
            case Break():
                _rest(step, pages, recorder)
            case Consent():
                if not _ask_consent(step, plan, pages, recorder):
                    return step.renewed
            case Form():
                _fill_in(step, pages, recorder, keep_apart)
            case Check():
                _run_check(step, pages, recorder)
            case Question():
                value = pages.question(step)
                recorder.append("answer", step=step.step, question=step.question, value=value)
                settled |= _settled_by_answer(plan, step.step, value)
            case SittingEnd():
                _end_sitting(step, pages, recorder)
            case PracticeCheck():
                settled |= _check_practice(step, plan, pages, recorder)
            case Qualification():
                settled |= _look_back(step, recorder)
            case _:
                if 0 < plan.wait_after <= recorder.unanswered:
                    _show_page(Page(UNATTENDED, UNATTENDED), pages, recorder)
                settled |= step.perform(tasks, recorder)
    return True


def _take_leave(plan: SessionPlan, pages: PagePresenter, recorder: Attended) -> None:
    """Show who leaves for good what the study is about, and ask for the data once more."""
    try:
        for step in closing(plan, agreed=recorder.agreed):
            if step.step in recorder.passed:
                continue
            if isinstance(step, Page):
                _show_page(step, pages, recorder)
            elif not _ask_consent(step, plan, pages, recorder):
                return
    except SessionAborted as abort:
        recorder.append("abort", durable=True, reason=abort.reason)


def _greets(plan: SessionPlan, settled: Collection[str]) -> bool:
    """Return whether what comes next is a page that greets who comes back."""
    following = next((step for step in plan.steps if step.step not in settled), None)
    return isinstance(following, Page) and following.greets


def _settled_by_answer(plan: SessionPlan, step: str, value: str) -> frozenset[str]:
    """Return the ids of the question that was answered, and of those not asked after it."""
    left_out = (
        question.step
        for question in plan.steps
        if isinstance(question, Question) and value in question.unless.get(step, ())
    )
    return frozenset({step, *left_out})


def _show_page(page: Page, pages: PagePresenter, recorder: Recorder) -> None:
    _record_page(page.step, page.text, pages.page(page), recorder)


def _fill_in(form: Form, pages: PagePresenter, recorder: Recorder, keep_apart: KeepApart) -> None:
    shown = pages.page(Page(form.step, form.text))
    answers = {question.question: pages.question(question) for question in form.questions}
    if keep_apart(answers):
        _record_page(form.step, form.text, shown, recorder)


def _rest(pause: Break, pages: PagePresenter, recorder: Recorder) -> None:
    rested = pages.rest(pause)
    _record_page(pause.step, pause.text, rested, recorder)
    if pause.may_leave and rested.then in REASONS:
        raise SessionAborted(REASONS[rested.then])


def _end_sitting(end: SittingEnd, pages: PagePresenter, recorder: Recorder) -> None:
    values = {"sitting": str(end.sitting), "sittings": str(end.sittings)}
    _show_page(Page(end.step, SITTING_END, values), pages, recorder)
    raise SessionAborted(SITTING_END)


def _check_practice(
    check: PracticeCheck, plan: SessionPlan, pages: PagePresenter, recorder: Attended
) -> frozenset[str]:
    """Judge practice, and return the ids of the steps that this settles."""
    counted = check.counted(recorder.ends, plan.answered)
    passed = check.passes(counted)
    recorder.append("check", step=check.step, attempt=check.attempt, answers=counted, passed=passed)
    if not passed and check.end is not None:
        _show_page(check.end, pages, recorder)
        raise SessionAborted(PRACTICE_END)
    return _settled_by(check, passed=passed)


def _look_back(look: Qualification, recorder: Attended) -> frozenset[str]:
    """Say who qualified, and return the ids of the steps that this settles."""
    counted = look.counted(recorder.ends)
    recorder.append(QUALIFICATION, durable=True, step=look.step, **counted)
    return look.settles(qualified=bool(counted["qualified"]))


def _settled_by(check: PracticeCheck, *, passed: bool) -> frozenset[str]:
    """Return the ids of the steps that a look back at practice settles.

    One that ends the session settles nothing: who comes back meets it again.
    """
    if passed:
        return check.skips | {check.step}
    return frozenset() if check.end is not None else frozenset({check.step})


def _record_page(step: str, text: str, result: PageResult, recorder: Recorder) -> None:
    recorder.append(
        "page", step=step, name=text, shown_s=result.shown_s, answers=dict(result.answers)
    )


def _ask_consent(
    consent: Consent, plan: SessionPlan, pages: PagePresenter, recorder: Recorder
) -> bool:
    result = pages.consent(consent)
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
        _show_page(Page(ending, ending), pages, recorder)
    return result.agreed


def _run_check(check: Check, pages: PagePresenter, recorder: Recorder) -> None:
    attempt = 0
    while True:
        attempt += 1
        answers = dict(pages.check(check, attempt))
        passed = answers == check.right
        recorder.append("check", step=check.step, attempt=attempt, answers=answers, passed=passed)
        if passed:
            return
        if attempt % check.attempts == 0:
            _show_page(check.call, pages, recorder)
        _show_page(check.again, pages, recorder)
