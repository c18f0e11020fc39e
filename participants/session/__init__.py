"""A session as a plan of steps, and the one loop that takes anyone through it.

A study makes the plan (`participants.studies`). A presenter shows it, to a person in a window or
to a response model; what happened goes to a `participants.journal.Recorder`.
"""

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
from participants.session.plan import (
    BACK,
    GO_ON,
    LEAVE,
    LEAVE_FOR_GOOD,
    LEFT,
    THEN,
    WELCOME_BACK,
    ConsentResult,
    PagePresenter,
    PageResult,
    SessionAborted,
    SessionPlan,
    Step,
)
from participants.session.qualification import (
    PracticeCheck,
    Qualification,
    checked_practice,
    disqualification_in,
    has_ended_early,
)
from participants.session.steps import (
    UNATTENDED,
    Attended,
    Break,
    Check,
    Consent,
    Form,
    Judge,
    Page,
    Phase,
    Question,
    Report,
    SittingEnd,
    comprehension_check,
    ended_trials,
    part_step,
    settled_parts,
    trial_step,
    with_breaks,
)
from participants.session.strokes import StrokeKind, StrokeResult, StrokeTask
from participants.session.timed_choice import (
    NO_CHOICE,
    RATINGS,
    Choice,
    Later,
    Presented,
    TimedChoice,
    confidence_question,
    confidence_step,
    counting_trials,
    repeat_step,
    settled_by,
    settled_choices,
    was_answered,
)
from participants.session.typed_line import to_microseconds
