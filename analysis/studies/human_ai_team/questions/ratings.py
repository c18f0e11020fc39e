"""How sure participants say they are, and how often they are then right."""

from collections.abc import Iterator
from typing import Final

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from analysis.questions.estimates import EstimateRow, Estimates, Quantity, estimate_row, share_row
from analysis.questions.pivot import level_of, limits_of, n_of, pivot, value_of
from analysis.questions.question import Question, Unavailable
from analysis.report.declared import ReportFigure
from analysis.report.style import BLUE, SOFT, figure_style, panel_grid
from analysis.report.wording import number, percent, points_tenth, rounded, sentence_if
from analysis.statistics.bootstrap import Resampling
from analysis.statistics.detection import STEPS, calibrated_share, rating_worth
from analysis.statistics.proportions import Count
from analysis.studies.human_ai_team.data import TeamData
from analysis.studies.human_ai_team.trials import Answers
from analysis.studies.human_ai_team.words import arm_name, resampled

RIGHT = Quantity(
    "right_by_rating", "Right", "Right answers at a rating, from a guess (1) to sure (4).", percent
)
CALIBRATED = Quantity(
    "calibrated_by_rating", "Calibrated", "The same of a calibrated participant.", percent
)
GAP = Quantity(
    "calibration_gap", "Distance from calibration",
    "Mean distance from calibration over the answers.", points_tenth, "points",
)  # fmt: skip
AUROC = Quantity(
    "type_2_auroc", "Type-2 AUROC",
    "How often a right answer was rated surer than a wrong one (Galvin et al. 2003).",
    rounded(number, 3),
)  # fmt: skip
STEP: Final = "rating"


def compute(data: TeamData) -> Estimates | Unavailable:
    """Return accuracy by the step of the rating, and type-2 AUROC, by arm."""
    answers = data.answers
    known = np.isfinite(answers.frame["rating"].to_numpy(dtype=float))
    if not known.any():
        return Unavailable(
            "calibration of confidence ratings", "participants weren't asked for them"
        )
    rated = answers.of(known)
    calibrated = (
        estimate_row(CALIBRATED, {STEP: str(step)}, calibrated_share(step))
        for step in range(1, STEPS + 1)
    )
    of_arms = (row for method in rated.arms for row in _of_arm(rated, method, data.plan))
    return Estimates((*calibrated, *of_arms))


def _of_arm(rated: Answers, method: str, plan: Resampling) -> Iterator[EstimateRow]:
    answers = rated.of(rated.frame["method"] == method)
    rating, right = answers.frame["rating"].to_numpy(float), answers.frame["correct"].to_numpy(bool)
    of = {"method": method}
    for step in range(1, STEPS + 1):
        count = Count(int(right[rating == step].sum()), int((rating == step).sum()))
        yield share_row(RIGHT, of | {STEP: str(step)}, count)
    gap, area = rating_worth(rating, right, answers.units(), plan)
    yield estimate_row(GAP, of, gap, len(rating))
    yield estimate_row(AUROC, of, area, len(rating))


def draw(answer: Estimates) -> Figure:
    """Return how often answers of each confidence rating are right, by arm."""
    arms = answer.levels("method")
    with figure_style():
        figure, panels = panel_grid(
            len(arms), 3, head_in=0.3, panel_in=1.9, sharex=True, sharey=True
        )
        for axes, method in zip(panels, arms, strict=True):
            rows = {int(row.of[STEP]): row for row in answer.rows(RIGHT, method=method) if row.n}
            axes.set_title(arm_name(method))
            axes.plot([1, 4], [0.5, 1], color=SOFT, linewidth=0.8, linestyle=(0, (1, 1.5)))
            for step, row in rows.items():
                axes.plot([step] * 2, [row.ci_low, row.ci_high], color=BLUE, linewidth=1.1)
            axes.plot(list(rows), [row.estimate for row in rows.values()], "o-", color=BLUE,
                      markersize=4, linewidth=1.0)  # fmt: skip
            axes.set_xticks([1, 2, 3, 4])
            axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
        figure.supxlabel("how sure, from a guess (1) to sure (4)", fontsize=8.5)
        figure.supylabel("right answers", fontsize=8.5)
    return figure


FIGURE = ReportFigure(
    "ratings",
    "Right answers at each step of the rating, with Wilson’s 95 % intervals. Dotted: a "
    "calibrated participant.",
    "A panel for each arm: right answers over the rating",
    draw,
)
BY_ARM = pivot(
    "Confidence ratings: calibration, and whether they tell right answers from wrong ones.",
    (
        level_of("method", "Arm", arm_name),
        n_of(GAP, "Answers"),
        value_of(GAP),
        value_of(AUROC),
        limits_of(AUROC, write=number),
    ),
    by=("method",),
    of=lambda answer: answer.rows(GAP, AUROC),
    note="Calibrated: right in 50, 67, 83 and 100 % of the answers at steps 1 to 4. AUROC: how "
    "often a right answer is rated surer than a wrong one; .5 is chance.",
)
RATINGS = Question(
    id="ratings",
    title="How sure participants are",
    answer=Estimates,
    quantities=(RIGHT, CALIBRATED, GAP, AUROC),
    compute=compute,
    step="resampling confidence ratings",
    parts=(FIGURE, BY_ARM),
    methods=lambda answer, whole: sentence_if(
        answer.has_limits(AUROC), resampled("The AUROC of ratings has", whole.frame.bootstrap)
    ),
)
"""How sure participants are."""
