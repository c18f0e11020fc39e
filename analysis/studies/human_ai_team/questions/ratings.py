"""How sure participants say they are, and how often they are then right."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from analysis.questions.question import Question, Unavailable
from analysis.report.about import about
from analysis.report.declared import ReportFigure, ReportTable
from analysis.report.estimates import limits_row
from analysis.report.parts import Column, limits
from analysis.report.style import BLUE, SOFT, figure_style, panel_grid
from analysis.report.wording import grouped, number, points_tenth, rounded
from analysis.statistics.bootstrap import Resampling
from analysis.statistics.detection import STEPS, calibrated_share, rating_worth
from analysis.statistics.proportions import Count, wilson
from analysis.studies.human_ai_team.data import TeamData
from analysis.studies.human_ai_team.trials import Answers
from analysis.studies.human_ai_team.words import arm, arm_name


@dataclass(frozen=True, slots=True)
class RatingStep:
    """An arm's right answers at a step of the rating."""

    method: Annotated[str, about("The arm.")]
    step: Annotated[int, about("The rating, from a guess (1) to sure (4).")]
    n: Annotated[int, about("Answers.")]
    rate: Annotated[float | None, about("Share of right answers, 0 to 1.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit (Wilson).")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit (Wilson).")]
    calibrated: Annotated[float, about("The share of a calibrated participant, from ½ to 1.")]


@dataclass(frozen=True, slots=True)
class ArmRatings:
    """What an arm's ratings are worth."""

    method: Annotated[str, about("The arm.")]
    n: Annotated[int, about("Answers with a rating.")]
    gap: Annotated[float, about("Mean distance from calibration over the answers.")]
    auroc: Annotated[
        float | None,
        about("Type-2 AUROC: how often a right answer was rated surer than a wrong one."),
    ]
    ci_low: Annotated[float | None, about("Its lower 95 % limit over participants and images.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]


@dataclass(frozen=True, slots=True)
class Ratings:
    """Confidence ratings (Galvin et al. 2003)."""

    steps: Annotated[tuple[RatingStep, ...], about("Right answers by arm and rating.")]
    arms: Annotated[tuple[ArmRatings, ...], about("What ratings are worth, by arm.")]


def compute(data: TeamData) -> Ratings | Unavailable:
    """Return accuracy by the step of the rating, and type-2 AUROC, by arm."""
    answers = data.answers
    known = np.isfinite(answers.frame["rating"].to_numpy(dtype=float))
    if not known.any():
        return Unavailable(
            "calibration of confidence ratings", "participants weren't asked for them"
        )
    rated = answers.of(known)
    steps = tuple(row for method in rated.arms for row in _steps(rated, method))
    arms = tuple(_of_arm(rated, method, data.plan) for method in rated.arms)
    return Ratings(steps, arms)


def _steps(rated: Answers, method: str) -> list[RatingStep]:
    own = rated.frame[rated.frame["method"] == method]
    rows = []
    for step in range(1, STEPS + 1):
        right = own.loc[own["rating"] == step, "correct"]
        limits_ = limits_row(wilson(Count(int(right.sum()), len(right))), "rate")
        rows.append(
            RatingStep(method, step, len(right), **limits_, calibrated=calibrated_share(step))
        )
    return rows


def _of_arm(rated: Answers, method: str, plan: Resampling) -> ArmRatings:
    own = rated.of(rated.frame["method"] == method)
    rating, right = own.frame["rating"].to_numpy(float), own.frame["correct"].to_numpy(bool)
    gap, area = rating_worth(rating, right, own.units(), plan)
    return ArmRatings(method, len(rating), gap, **limits_row(area, "auroc"))


def draw(found: Ratings) -> Figure:
    """Return how often answers of each confidence rating are right, by arm."""
    rows = [row for row in found.steps if row.n]
    arms = list(dict.fromkeys(row.method for row in rows))
    with figure_style():
        figure, panels = panel_grid(
            len(arms), 3, head_in=0.3, panel_in=1.9, sharex=True, sharey=True
        )
        for axes, method in zip(panels, arms, strict=True):
            own = [row for row in rows if row.method == method]
            axes.set_title(arm_name(method))
            axes.plot([1, 4], [0.5, 1], color=SOFT, linewidth=0.8, linestyle=(0, (1, 1.5)))
            for row in own:
                axes.plot([row.step] * 2, [row.ci_low, row.ci_high], color=BLUE, linewidth=1.1)
            axes.plot([row.step for row in own], [row.rate for row in own], "o-", color=BLUE,
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
BY_ARM = ReportTable(
    "ratings",
    "arms",
    "Confidence ratings: calibration, and whether they tell right answers from wrong ones.",
    (
        Column("Arm", arm()),
        Column("Answers", "n", grouped, "n"),
        Column("Distance from calibration", "gap", points_tenth, "points"),
        Column("Type-2 AUROC", "auroc", rounded(number, 3)),
        limits(),
    ),
    "Calibrated: right in 50, 67, 83 and 100 % of the answers at steps 1 to 4. AUROC: how often a "
    "right answer is rated surer than a wrong one; .5 is chance.",
)
BY_STEP = ReportTable("rating_steps", "steps")
RATINGS = Question(
    id="ratings",
    title="How sure participants are",
    answer=Ratings,
    compute=compute,
    step="resampling confidence ratings",
    parts=(FIGURE, BY_ARM, BY_STEP),
)
"""How sure participants are."""
