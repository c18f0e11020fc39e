"""The one loop that takes anyone through a plan, and the steps that a journal shows as done."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from participants.journal import Event, Recorder
from participants.session.leaving import (
    END,
    END_EARLY,
    FAREWELL,
    LEFT_FOR_GOOD,
    STOPPED,
    closing,
    is_leaving,
)
from participants.session.plan import (
    BACK,
    LEAVE,
    LEAVE_FOR_GOOD,
    LEFT,
    SITTING_END,
    THEN,
    WELCOME_BACK,
    PagePresenter,
    PageResult,
    SessionAborted,
    SessionPlan,
)
from participants.session.qualification import (
    PRACTICE_END,
    QUALIFICATION,
    PracticeCheck,
    Qualification,
    has_ended_early,
)
from participants.session.steps import (
    UNATTENDED,
    Attended,
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
"""Keeps a form's answers, by question, apart from the journal; returns whether it could."""
Close = Callable[[str], None]
"""Shows a text until the experimenter presses the chord."""
REASONS: Final = {LEAVE: LEFT, LEAVE_FOR_GOOD: LEFT_FOR_GOOD}
"""Reason in the ``abort`` event of somebody who stops at a break, by the break's answer."""


@dataclass(frozen=True, slots=True)
class Around:
    """A session's past events, and what happens beside its plan.

    Attributes
    ----------
    before
        Events that the journal of a resumed session already holds.
    at_end
        Called before the end is recorded, even if not everything was shown.
    keep_apart
        Keeps a form's answers apart from the journal. If it returns False, it couldn't, and the
        form is shown again when the session goes on.
    close
        Called last if no page of the session stays until the experimenter comes, so that no typing
        reaches what lies behind the window.
    """

    before: Sequence[Event] = ()
    at_end: Callable[[], None] = lambda: None
    keep_apart: KeepApart = lambda answers: True
    close: Close = lambda text: None


def run_session(
    plan: SessionPlan,
    done: frozenset[str],
    pages: PagePresenter,
    tasks: Any,
    recorder: Recorder,
    around: Around = Around(),
) -> bool:
    """Take a person or a response model through a plan and record what happens.

    The ``session`` event that opens a journal is the caller's.

    Parameters
    ----------
    plan
        What to show.
    done
        Ids of steps that aren't shown again (`done_steps`); empty for a new session.
    pages
        Shows the pages and questions that every session has.
    tasks
        The study's own presenter, which performs its tasks.
    recorder
        Keeps what happened.
    around
        What was before, and what happens beside the plan.

    Returns
    -------
    bool
        True if the session is complete (with renewed consent or without), False if it was aborted,
        consent was not given or the person left for good.
    """
    attended = Attended(recorder, plan.answered, around.before)
    complete, leaving = False, is_leaving(around.before)
    if not leaving:
        try:
            complete = _run_steps(plan, done, pages, tasks, attended, around.keep_apart)
        except SessionAborted as abort:
            recorder.append("abort", durable=True, reason=abort.reason)
            leaving = abort.reason == LEFT_FOR_GOOD
    if leaving:
        _take_leave(plan, pages, attended)
    around.at_end()
    recorder.append("session_end", durable=True, complete=complete)
    if not attended.closed:
        around.close(END if complete else STOPPED)
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
            case "page" if event["answers"].get(THEN) != BACK:
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
    at, returned = 0, False
    while at < len(plan.steps):
        step, came_back, returned = plan.steps[at], returned, False
        if came_back or step.step not in settled:
            if isinstance(step, Page | Report):
                page = step if isinstance(step, Page) else step.page(recorder.recorded)
                if page is not None:
                    returned = _read(page, at, plan, pages, recorder, came_back=came_back)
            elif isinstance(step, Consent):
                if not _ask_consent(step, plan, pages, recorder):
                    return step.renewed
            elif isinstance(step, Form):
                _fill_in(step, pages, recorder, keep_apart)
            else:
                settled |= _do(step, plan, pages, tasks, recorder)
        at += -1 if returned else 1
    return True


def _do(
    step: Any, plan: SessionPlan, pages: PagePresenter, tasks: Any, recorder: Attended
) -> frozenset[str]:
    """Perform a step that isn't a page, and return the ids of the steps that it settles."""
    match step:
        case Break():
            _rest(step, pages, recorder)
        case Check():
            _run_check(step, pages, recorder)
        case Question():
            value = pages.question(step)
            recorder.append("answer", step=step.step, question=step.question, value=value)
            return _settled_by_answer(plan, step.step, value)
        case SittingEnd():
            _end_sitting(step, pages, recorder)
        case PracticeCheck():
            return _check_practice(step, plan, pages, recorder)
        case Qualification():
            return _look_back(step, recorder)
        case _:
            if 0 < plan.wait_after <= recorder.unanswered:
                _show_page(Page(UNATTENDED, UNATTENDED), pages, recorder)
            return frozenset(step.perform(tasks, recorder))
    return frozenset()


def _read(
    page: Page,
    at: int,
    plan: SessionPlan,
    pages: PagePresenter,
    recorder: Attended,
    *,
    came_back: bool,
) -> bool:
    """Show the page at a place of the plan; return whether its reader goes back a page.

    The reader can go back through consecutive pages until the step after them begins, also after an
    interruption.
    """
    if at == len(plan.steps) - 1:
        _show_last(_named_end(page, plan, recorder), pages, recorder)
        return False
    before = plan.steps[at - 1] if at else None
    if isinstance(before, Page) and before.reader == page.reader == "participant":
        page = replace(page, may_return=before.step in recorder.passed)
    return _show_page(replace(page, from_end=came_back), pages, recorder) == BACK


def _take_leave(plan: SessionPlan, pages: PagePresenter, recorder: Attended) -> None:
    """Show the debrief to a person who leaves for good, and ask again for the use of the data."""
    try:
        for step in closing(plan, agreed=recorder.agreed):
            if step.step in recorder.passed:
                continue
            if isinstance(step, Page):
                show = _show_last if step.text == FAREWELL else _show_page
                show(step, pages, recorder)
            elif not _ask_consent(step, plan, pages, recorder):
                return
    except SessionAborted as abort:
        recorder.append("abort", durable=True, reason=abort.reason)


def _greets(plan: SessionPlan, settled: Collection[str]) -> bool:
    """Return whether the next step greets a returning person, or is the consent.

    Before the consent nothing was answered, and a person who declined it wasn't interrupted.
    """
    following = next((step for step in plan.steps if step.step not in settled), None)
    if isinstance(following, Consent):
        return not following.renewed
    return isinstance(following, Page) and following.greets


def _settled_by_answer(plan: SessionPlan, step: str, value: str) -> frozenset[str]:
    """Return the ids of the answered question and of the questions that its answer skips."""
    left_out = (
        question.step
        for question in plan.steps
        if isinstance(question, Question) and value in question.unless.get(step, ())
    )
    return frozenset({step, *left_out})


def _show_page(page: Page, pages: PagePresenter, recorder: Recorder) -> str:
    """Show a page, and return what its reader does next."""
    result = pages.page(page)
    _record_page(page.step, page.text, result, recorder)
    return result.then


def _show_last(page: Page, pages: PagePresenter, recorder: Attended) -> None:
    """Show a last page, which stays until the experimenter comes."""
    _show_page(replace(page, reader="experimenter"), pages, recorder)
    recorder.closed = True


def _named_end(page: Page, plan: SessionPlan, recorder: Attended) -> Page:
    """Return the last page; it doesn't say "complete" if a part of the session was skipped."""
    early = page.text == END and has_ended_early(plan.steps, recorder.recorded)
    return replace(page, text=END_EARLY) if early else page


def _fill_in(form: Form, pages: PagePresenter, recorder: Recorder, keep_apart: KeepApart) -> None:
    result = pages.page(Page(form.step, form.text))
    answers = {question.question: pages.question(question) for question in form.questions}
    if keep_apart(answers):
        _record_page(form.step, form.text, result, recorder)


def _rest(pause: Break, pages: PagePresenter, recorder: Recorder) -> None:
    rested = pages.rest(pause)
    _record_page(pause.step, pause.text, rested, recorder)
    if pause.may_leave and rested.then in REASONS:
        raise SessionAborted(REASONS[rested.then])


def _end_sitting(end: SittingEnd, pages: PagePresenter, recorder: Attended) -> None:
    values = {"sitting": str(end.sitting), "sittings": str(end.sittings)}
    _show_last(Page(end.step, SITTING_END, values), pages, recorder)
    raise SessionAborted(SITTING_END)


def _check_practice(
    check: PracticeCheck, plan: SessionPlan, pages: PagePresenter, recorder: Attended
) -> frozenset[str]:
    """Judge practice, and return the ids of the steps that the judgement settles."""
    counted = check.counted(recorder.ends, plan.answered)
    passed = check.passes(counted)
    recorder.append("check", step=check.step, attempt=check.attempt, answers=counted, passed=passed)
    if not passed and check.end is not None:
        _show_last(check.end, pages, recorder)
        raise SessionAborted(PRACTICE_END)
    return _settled_by(check, passed=passed)


def _look_back(look: Qualification, recorder: Attended) -> frozenset[str]:
    """Record whether the person qualified, and return the ids of the steps that this settles."""
    counted = look.counted(recorder.ends)
    recorder.append(QUALIFICATION, durable=True, step=look.step, **counted)
    return look.settles(qualified=bool(counted["qualified"]))


def _settled_by(check: PracticeCheck, *, passed: bool) -> frozenset[str]:
    """Return the ids of the steps that a check of practice settles.

    A check that ends the session settles nothing, so a returning person meets it again.
    """
    if passed:
        return check.skips | {check.step}
    return frozenset() if check.end is not None else frozenset({check.step})


def _record_page(step: str, text: str, result: PageResult, recorder: Recorder) -> None:
    recorder.append(
        "page", step=step, name=text, shown_s=result.shown_s, answers=dict(result.answers)
    )


def _ask_consent(
    consent: Consent, plan: SessionPlan, pages: PagePresenter, recorder: Attended
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
        _show_last(Page(ending, ending), pages, recorder)
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
