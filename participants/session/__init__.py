"""A session as a plan of steps, and the one loop that takes anyone through it.

A study makes the plan (`participants.studies`). A presenter shows it, to a person in a window or
to a response model; what happened goes to a `participants.journal.Recorder`.
"""

from participants.session.attended import UNATTENDED, Attended, Judge
from participants.session.frames import Presented, to_microseconds
from participants.session.leaving import (
    END_EARLY,
    FAREWELL,
    LEFT_FOR_GOOD,
    RENEWED,
    STOPPED,
    has_declined,
    has_left,
    is_leaving,
    is_released,
    withdrawal_in,
)
from participants.session.loop import Around, done_steps, run_session
from participants.session.plan import WELCOME_BACK, SessionPlan, Step
from participants.session.practice import PracticeCheck, checked_practice
from participants.session.presenter import (
    BACK,
    GO_ON,
    LEAVE,
    LEAVE_FOR_GOOD,
    LEFT,
    THEN,
    ConsentResult,
    PagePresenter,
    PageResult,
    SessionAborted,
)
from participants.session.qualification import Qualification, disqualification_in, has_ended_early
from participants.session.repeats import counting_trials
from participants.session.steps import (
    Break,
    Check,
    Consent,
    Form,
    Page,
    Phase,
    Question,
    Report,
    SittingEnd,
    comprehension_check,
    with_breaks,
)
from participants.session.strokes import StrokeKind, StrokeResult, StrokeTask
from participants.session.task import ended_trials, trial_step
from participants.session.timed_choice import (
    NO_CHOICE,
    Choice,
    ChoicePresenter,
    ChoiceTrial,
    Later,
    TimedChoice,
    repeat_step,
    settled_by,
    settled_choices,
)

__all__ = [
    "BACK",
    "END_EARLY",
    "FAREWELL",
    "GO_ON",
    "LEAVE",
    "LEAVE_FOR_GOOD",
    "LEFT",
    "LEFT_FOR_GOOD",
    "NO_CHOICE",
    "RENEWED",
    "STOPPED",
    "THEN",
    "UNATTENDED",
    "WELCOME_BACK",
    "Around",
    "Attended",
    "Break",
    "Check",
    "Choice",
    "ChoicePresenter",
    "ChoiceTrial",
    "Consent",
    "ConsentResult",
    "Form",
    "Judge",
    "Later",
    "Page",
    "PagePresenter",
    "PageResult",
    "Phase",
    "PracticeCheck",
    "Presented",
    "Qualification",
    "Question",
    "Report",
    "SessionAborted",
    "SessionPlan",
    "SittingEnd",
    "Step",
    "StrokeKind",
    "StrokeResult",
    "StrokeTask",
    "TimedChoice",
    "checked_practice",
    "comprehension_check",
    "counting_trials",
    "disqualification_in",
    "done_steps",
    "ended_trials",
    "has_declined",
    "has_ended_early",
    "has_left",
    "is_leaving",
    "is_released",
    "repeat_step",
    "run_session",
    "settled_by",
    "settled_choices",
    "to_microseconds",
    "trial_step",
    "with_breaks",
    "withdrawal_in",
]
