"""A session as a plan of steps, and the one loop that takes anyone through it.

The plan is made by a study (`participants.studies`). Whoever shows it, a window or a
response model, is a `Presenter`; what happened goes to a `participants.journal.Recorder`.
"""

from participants.session.loop import WELCOME_BACK, done_steps, record_trial_start, run_session
from participants.session.painting import record_paint_start
from participants.session.presenter import (
    ConsentResult,
    Feedback,
    PageResult,
    PaintResult,
    Presenter,
    SessionAborted,
    TrialResult,
)
from participants.session.repeats import counting_trials
from participants.session.steps import (
    Break,
    Check,
    Consent,
    Decision,
    ImageStimulus,
    Judge,
    Outcome,
    Page,
    PaintTask,
    Phase,
    PlateStimulus,
    Question,
    SessionPlan,
    Step,
    Stimulus,
    Trial,
    repeat_step,
    trial_step,
)

__all__ = [
    "WELCOME_BACK",
    "Break",
    "Check",
    "Consent",
    "ConsentResult",
    "Decision",
    "Feedback",
    "ImageStimulus",
    "Judge",
    "Outcome",
    "Page",
    "PageResult",
    "PaintResult",
    "PaintTask",
    "Phase",
    "PlateStimulus",
    "Presenter",
    "Question",
    "SessionAborted",
    "SessionPlan",
    "Step",
    "Stimulus",
    "Trial",
    "TrialResult",
    "counting_trials",
    "done_steps",
    "record_paint_start",
    "record_trial_start",
    "repeat_step",
    "run_session",
    "trial_step",
]
