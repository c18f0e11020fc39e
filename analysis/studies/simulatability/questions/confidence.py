"""How sure participants are of a prediction, and how often they are then right."""

from dataclasses import dataclass
from math import nan
from typing import Annotated, Final

import pandas as pd
from matplotlib.figure import Figure

from analysis.questions.question import Question, Unavailable
from analysis.report.about import about
from analysis.report.declared import ReportFigure, ReportTable, spelled
from analysis.report.estimates import limits_row
from analysis.report.parts import Column, limits
from analysis.report.style import BLUE, GREY, SOFT, figure_style, panel_grid
from analysis.report.wording import grouped, number, rounded
from analysis.statistics.bootstrap import Resampling
from analysis.statistics.detection import STEPS, calibrated_share, rating_worth
from analysis.statistics.proportions import Count, wilson
from analysis.studies.simulatability.data import SimulatabilityData
from analysis.studies.simulatability.trials import Predictions, units_of
from analysis.studies.simulatability.words import (
    DOTTED,
    POST,
    PRE,
    draw_legend,
    method,
    method_name,
    tenth,
)

PHASE_WORDS: Final = {PRE: "before", POST: "after"}


@dataclass(frozen=True, slots=True)
class ConfidenceStep:
    """Right predictions of a method and phase at a step of confidence."""

    method: Annotated[str, about("The method.")]
    phase: Annotated[str, about("Phase: pre or post.")]
    step: Annotated[int, about("Confidence, from a guess (1) to sure (4).")]
    n: Annotated[int, about("Predictions.")]
    rate: Annotated[float | None, about("Share of right predictions, 0 to 1.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit (Wilson).")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit (Wilson).")]
    calibrated: Annotated[float, about("The share of a calibrated participant, from ½ to 1.")]


@dataclass(frozen=True, slots=True)
class MethodConfidence:
    """What confidence is worth in a method and phase."""

    method: Annotated[str, about("The method.")]
    phase: Annotated[str, about("Phase: pre or post.")]
    n: Annotated[int, about("Predictions with a confidence.")]
    gap: Annotated[float, about("Mean distance from calibration over the predictions, a share.")]
    auroc: Annotated[
        float | None,
        about(
            "Type-2 AUROC: how often a right prediction has a higher confidence than a wrong one."
        ),
    ]
    ci_low: Annotated[float | None, about("Lower 95 % limit over participants and items.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]


@dataclass(frozen=True, slots=True)
class Confidence:
    """Confidence in predictions."""

    steps: Annotated[tuple[ConfidenceStep, ...], about("Right predictions by confidence.")]
    methods: Annotated[tuple[MethodConfidence, ...], about("What confidence is worth.")]


def compute(data: SimulatabilityData) -> Confidence | Unavailable:
    """Return accuracy by the step of confidence, by method and phase."""
    predictions = data.predictions
    if predictions.sure.empty:
        return Unavailable("calibration of confidence", "nobody was asked for it")
    return confidence_of(predictions, data.plan)


def confidence_of(predictions: Predictions, plan: Resampling) -> Confidence:
    """Return accuracy by the step of confidence, and what confidence is worth."""
    sure, steps, methods = predictions.sure, [], []
    for name in predictions.methods:
        for phase in (PRE, POST):
            own = sure[(sure["method"] == name) & (sure["phase"] == phase)].reset_index(drop=True)
            if own.empty:
                continue
            of = name, phase
            steps += [_step(own, of, step) for step in range(1, STEPS + 1)]
            methods.append(_worth(own, of, plan))
    return Confidence(tuple(steps), tuple(methods))


def _step(own: pd.DataFrame, of: tuple[str, str], step: int) -> ConfidenceStep:
    right = own.loc[own["confidence"] == step, "correct"]
    rate = limits_row(wilson(Count(int(right.sum()), len(right))), "rate")
    return ConfidenceStep(*of, step, len(right), **rate, calibrated=calibrated_share(step))


def _worth(own: pd.DataFrame, of: tuple[str, str], plan: Resampling) -> MethodConfidence:
    rating, right = own["confidence"].to_numpy(float), own["correct"].to_numpy(float) > 0
    gap, area = rating_worth(rating, right, units_of(own), plan)
    return MethodConfidence(*of, len(own), gap, **limits_row(area, "auroc"))


def draw(found: Confidence) -> Figure:
    """Return how often predictions of each step of confidence are right, by method and phase."""
    rows = [row for row in found.steps if row.n]
    methods = list(dict.fromkeys(row.method for row in rows))
    with figure_style():
        figure, panels = panel_grid(
            len(methods), 3, head_in=0.5, panel_in=1.8, sharex=True, sharey=True
        )
        for axes, name in zip(panels, methods, strict=True):
            axes.set_title(method_name(name))
            axes.plot([1, 4], [50, 100], color=SOFT, linewidth=0.8, linestyle=DOTTED)
            for phase, colour, marker, aside in ((PRE, GREY, "s", -0.06), (POST, BLUE, "o", 0.06)):
                own = [row for row in rows if (row.method, row.phase) == (name, phase)]
                steps = [row.step + aside for row in own]
                for x, row in zip(steps, own, strict=True):
                    ends = [_percent(row.ci_low), _percent(row.ci_high)]
                    axes.plot([x, x], ends, color=colour, linewidth=1.0)
                axes.plot(steps, [_percent(row.rate) for row in own], marker, color=colour,
                          markersize=4, linestyle="-", linewidth=1.0)  # fmt: skip
            axes.set_xticks([1, 2, 3, 4])
        draw_legend(figure, (("before", GREY, "s", False), ("after", BLUE, "o", False)))
        figure.supxlabel("how sure, from a guess (1) to sure (4)", fontsize=8.5)
        figure.supylabel("right predictions, %", fontsize=8.5)
    return figure


def _percent(share: float | None) -> float:
    return nan if share is None else 100 * share


FIGURE = ReportFigure(
    "confidence",
    "Right predictions at each step of confidence, with Wilson’s 95 % intervals. The "
    "dotted line shows a calibrated participant.",
    "A panel for each method: right predictions over confidence, before and after",
    draw,
)
BY_METHOD = ReportTable(
    "confidence",
    "methods",
    "How far confidence is from calibration, and whether it tells right from wrong.",
    (
        Column("Method", method, once=True),
        Column("Phase", spelled("phase", PHASE_WORDS)),
        Column("Predictions", "n", grouped, "n"),
        Column("Distance from calibration", lambda row: 100 * row.gap, tenth, "points"),
        Column("Type-2 AUROC", "auroc", rounded(number, 3)),
        limits(),
    ),
    "Calibrated: right in 50, 67, 83 and 100 % at steps 1 to 4. AUROC: how often a right "
    "prediction has a higher confidence than a wrong one; at .5, confidence says nothing about it.",
    row_headers=2,
)
BY_STEP = ReportTable("confidence_steps", "steps")
CONFIDENCE = Question(
    id="confidence",
    title="How sure participants are",
    answer=Confidence,
    compute=compute,
    parts=(FIGURE, BY_METHOD, BY_STEP),
)
"""How sure participants are."""
