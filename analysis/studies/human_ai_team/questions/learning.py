"""Whether people get better or worse over the trials, by arm."""

from typing import Final

import numpy as np

from analysis.questions.cells import Cells
from analysis.questions.estimates import Estimates, Quantity
from analysis.questions.pivot import level_of, pivot, value_of, with_limits_of
from analysis.questions.question import Question, Unavailable
from analysis.questions.trials import FIRST, LAST, MIDDLE, THIRDS, in_thirds
from analysis.report.wording import percent, points
from analysis.studies.human_ai_team.data import TeamData
from analysis.studies.human_ai_team.words import arm_name

LEAST: Final = 3
RESULT: Final = "learning over trials"

RIGHT = Quantity(
    "right_by_third", "Right", "Right answers in a third of each participant’s trials.", percent
)
CHANGE = Quantity(
    "right_change", "Last less first", "Right answers in the last third less the first.", points,
    "points, 95 % interval",
)  # fmt: skip


def compute(data: TeamData) -> Estimates | Unavailable:
    """Return right answers by arm and third of each participant's trials."""
    answers = data.answers
    frame = answers.frame
    if not np.isfinite(frame["position"]).all():
        return Unavailable(RESULT, "the table doesn't say in which order trials came")
    if frame["participant"].value_counts().min() < LEAST:
        return Unavailable(RESULT, f"a participant has fewer than {LEAST} answers")
    thirds = in_thirds(frame)
    cells = Cells.of(thirds, "correct", {"method": answers.arms, "third": THIRDS}, data.plan)
    change = cells.contrasts(CHANGE, "third", [(LAST, FIRST)])
    return Estimates((*cells.rows(RIGHT), *(contrast.row() for contrast in change)))


TABLE = pivot(
    "Right answers by third of a participant’s trials.",
    (
        level_of("method", "Arm", arm_name),
        value_of(RIGHT, FIRST, "First third"),
        value_of(RIGHT, MIDDLE, "Middle"),
        value_of(RIGHT, LAST, "Last"),
        with_limits_of(CHANGE, level=LAST),
    ),
    by=("method",),
    over="third",
    note="No answer was followed by feedback. Intervals are over participants and images.",
)
LEARNING = Question(
    id="learning",
    title="Learning over trials",
    answer=Estimates,
    quantities=(RIGHT, CHANGE),
    compute=compute,
    parts=(TABLE,),
)
"""Whether people get better or worse over the trials."""
