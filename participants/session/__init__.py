"""A session as a plan of steps, and the one loop that takes anyone through it.

The plan is made by a study (`participants.studies`). Whoever shows it, a window or a
response model, is a `Presenter`; what happened goes to a `participants.journal.Recorder`.
"""

from participants.session.loop import WELCOME_BACK, done_steps, record_trial_start, run_session
from participants.session.plan import (
    Judge,
    Outcome,
    Scorer,
    SessionPlan,
    Step,
    repeat_step,
    trial_step,
)
from participants.session.presenter import (
    GO_ON,
    LEAVE,
    THEN,
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
    Page,
    PaintTask,
    Phase,
    PlateStimulus,
    Question,
    Stimulus,
    Trial,
    comprehension_check,
)
from participants.session.withdrawal import RENEWED, withdrawal_in
from participants.studies.accept_reject.paint_task import record_paint_start
from participants.studies.progressive_reveal.bubble_steps import BubbleResult, BubbleTask
from participants.studies.progressive_reveal.bubble_task import record_bubble_start
from participants.studies.progressive_reveal.round_types import (
    LEFT,
    SITTING_END,
    Attempt,
    CopyResult,
    CopyTask,
    Keystroke,
    RevealRound,
    RoundResult,
    Score,
    SittingEnd,
)
from participants.studies.progressive_reveal.rounds import (
    begun_rounds,
    in_microseconds,
    record_round_start,
)

__all__ = [
    "GO_ON",
    "LEAVE",
    "LEFT",
    "RENEWED",
    "SITTING_END",
    "THEN",
    "WELCOME_BACK",
    "Attempt",
    "Break",
    "BubbleResult",
    "BubbleTask",
    "Check",
    "Consent",
    "ConsentResult",
    "CopyResult",
    "CopyTask",
    "Decision",
    "Feedback",
    "ImageStimulus",
    "Judge",
    "Keystroke",
    "Outcome",
    "Page",
    "PageResult",
    "PaintResult",
    "PaintTask",
    "Phase",
    "PlateStimulus",
    "Presenter",
    "Question",
    "RevealRound",
    "RoundResult",
    "Score",
    "Scorer",
    "SessionAborted",
    "SessionPlan",
    "SittingEnd",
    "Step",
    "Stimulus",
    "Trial",
    "TrialResult",
    "begun_rounds",
    "comprehension_check",
    "counting_trials",
    "done_steps",
    "in_microseconds",
    "record_bubble_start",
    "record_paint_start",
    "record_round_start",
    "record_trial_start",
    "repeat_step",
    "run_session",
    "trial_step",
    "withdrawal_in",
]
