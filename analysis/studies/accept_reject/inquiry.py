"""The questions of accept_reject, in the order of the page."""

from typing import Final

import pandas as pd

from analysis.data.selected import rows_of
from analysis.questions.inquiry import Inquiry
from analysis.questions.metrics import metric_r, metrics_question
from analysis.questions.question import Whole
from analysis.questions.screens import SCREENS
from analysis.studies.accept_reject.data import LeadData, read_data, setting
from analysis.studies.accept_reject.design import registered
from analysis.studies.accept_reject.questions.acceptance import ACCEPTANCE
from analysis.studies.accept_reject.questions.blinding import BLINDING
from analysis.studies.accept_reject.questions.comparison import COMPARISON
from analysis.studies.accept_reject.questions.contour import CONTOUR
from analysis.studies.accept_reject.questions.controls import CONTROLS
from analysis.studies.accept_reject.questions.explainers import EXPLAINERS
from analysis.studies.accept_reject.questions.model import MIXED_MODEL
from analysis.studies.accept_reject.questions.other_choices import OTHER_CHOICES, people
from analysis.studies.accept_reject.questions.participants import PARTICIPANTS
from analysis.studies.accept_reject.questions.published import PUBLISHED
from analysis.studies.accept_reject.questions.seen import SEEN
from analysis.studies.accept_reject.questions.times import TIMES
from analysis.studies.accept_reject.questions.usefulness import USEFULNESS
from stimuli.versions import Schema

SCHEMA: Final = Schema("results_accept_reject")


def _explained_solutions(data: LeadData) -> pd.DataFrame:
    """Return judgements of S's explained solutions, and whether they were right."""
    frame = data.judged.frame
    explained = rows_of(frame, frame["explained"] & (frame["solver"] == "S"))
    if not {"shown_label", "true_label"} <= {*explained}:
        return explained.iloc[:0].assign(correct=0.0)
    return explained.assign(
        correct=explained["accepted"] == (explained["shown_label"] == explained["true_label"])
    )


METRICS = metrics_question(
    metric_r("plates", "the share of leads who accepted a right solution or rejected a wrong one"),
    _explained_solutions,
    by={"axis": "Axis", "rung": "Rung"},
    note="Over S’s explained solutions. The metrics are those of S’s map before it becomes a "
    "contour.",
)


def _resampling(whole: Whole) -> str:
    drawing = whole.frame.bootstrap
    seed = f" Bootstrap seed {drawing.seed}." if drawing.replicates else ""
    return f"Intervals: {whole.frame.intervals}.{seed}"


ACCEPT_REJECT: Final[Inquiry[LeadData]] = Inquiry(
    study="accept_reject",
    title="accept_reject: do explanations help the lead who decides?",
    schema=SCHEMA,
    read=read_data,
    setting=setting,
    main_fits=lambda data: {"": data.fit},
    sample=PARTICIPANTS,
    people=people,
    questions=(
        ACCEPTANCE,
        USEFULNESS,
        COMPARISON,
        CONTOUR,
        EXPLAINERS,
        METRICS,
        CONTROLS,
        MIXED_MODEL,
        OTHER_CHOICES,
        TIMES,
        BLINDING,
        SCREENS,
        SEEN,
    ),
    published=PUBLISHED,
    methods=(
        (PARTICIPANTS,),
        (ACCEPTANCE, USEFULNESS, CONTROLS, OTHER_CHOICES, COMPARISON, MIXED_MODEL),
    ),
    lacking=(
        ACCEPTANCE,
        USEFULNESS,
        COMPARISON,
        MIXED_MODEL,
        CONTROLS,
        TIMES,
        OTHER_CHOICES,
        BLINDING,
        PARTICIPANTS,
        PUBLISHED,
    ),
    promised=(
        MIXED_MODEL,
        USEFULNESS,
        CONTROLS,
        CONTOUR,
        ACCEPTANCE,
        TIMES,
        BLINDING,
        OTHER_CHOICES,
    ),
    registered=registered,
    resampling=_resampling,
    columns={
        "purpose": "",
        "order": "run",
        "control_kind": "",
        "frames_dropped": "",
        "rig": "",
        "rt_corrected_s": "",
        "true_label": "",
        "shown_label": "",
    },
    empty_files=True,
)
"""What is asked of the data of accept_reject."""
