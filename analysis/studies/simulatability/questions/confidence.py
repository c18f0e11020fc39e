"""How sure participants are of a prediction, and how often they are then right."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import pandas as pd
from matplotlib.figure import Figure

from analysis.questions.estimates import (
    EstimateRow,
    Estimates,
    Quantity,
    estimate_row,
    levels,
    select,
    share_row,
)
from analysis.questions.pivot import level_of, limits_of, n_of, pivot, value_of
from analysis.questions.question import Question, Unavailable
from analysis.report.declared import ReportFigure
from analysis.report.style import BLUE, GREY, SOFT, figure_style, in_lines, panel_grid
from analysis.report.wording import number, percent, rounded
from analysis.statistics.bootstrap import Resampling
from analysis.statistics.detection import STEPS, rating_worth
from analysis.statistics.proportions import Count
from analysis.studies.simulatability.data import SimulatabilityData
from analysis.studies.simulatability.tables import METHOD
from analysis.studies.simulatability.trials import Predictions, units_of
from analysis.studies.simulatability.words import (
    DOTTED,
    POST,
    PRE,
    draw_legend,
    method_name,
    tenth,
)

PHASE_WORDS: Final = {PRE: "before", POST: "after"}
RIGHT = Quantity(
    "right_at_step", "Right",
    "Right predictions at a step of confidence, from a guess (1) to sure (4).", percent,
)  # fmt: skip
GAP = Quantity(
    "calibration_gap_points", "Distance from calibration",
    "Mean distance from calibration over the predictions.", tenth, "points",
)  # fmt: skip
AUROC = Quantity(
    "auroc", "Type-2 AUROC",
    "How often a right prediction has a higher confidence than a wrong one.", rounded(number, 3),
)  # fmt: skip


def compute(data: SimulatabilityData) -> Estimates | Unavailable:
    """Return accuracy by the step of confidence, by method and phase."""
    predictions = data.predictions
    if predictions.sure.empty:
        return Unavailable("calibration of confidence", "nobody was asked for it")
    return Estimates(tuple(confidence_rows(predictions, data.plan)))


def confidence_rows(predictions: Predictions, plan: Resampling) -> Iterator[EstimateRow]:
    """Yield accuracy by the step of confidence, and what confidence is worth."""
    groups = dict(list(predictions.sure.groupby(["method", "phase"])))
    for name in predictions.methods:
        for phase in (PRE, POST):
            if (name, phase) in groups:
                sure = groups[name, phase].reset_index(drop=True)
                yield from _of_phase(sure, {"method": name, "phase": phase}, plan)


def _of_phase(sure: pd.DataFrame, of: dict[str, str], plan: Resampling) -> Iterator[EstimateRow]:
    confidence, correct = (sure[name].to_numpy(float) for name in ("confidence", "correct"))
    for step in range(1, STEPS + 1):
        right = correct[confidence == step]
        count = Count(int(right.sum()), len(right))
        yield share_row(RIGHT, of | {"step": str(step)}, count)
    gap, area = rating_worth(confidence, correct > 0, units_of(sure), plan)
    yield estimate_row(GAP, of, 100 * gap, len(sure))
    yield estimate_row(AUROC, of, area, len(sure))


def draw(answer: Estimates) -> Figure:
    """Return how often predictions of each step of confidence are right, by method and phase."""
    rows = [row for row in answer.rows(RIGHT) if row.n]
    methods = levels(rows, "method")
    with figure_style():
        figure, panels = panel_grid(
            len(methods), 3, head_in=0.5, panel_in=1.8, sharex=True, sharey=True
        )
        for axes, name in zip(panels, methods, strict=True):
            axes.set_title(in_lines(method_name(name), 24))
            axes.plot([1, 4], [50, 100], color=SOFT, linewidth=0.8, linestyle=DOTTED)
            for phase, colour, marker, aside in ((PRE, GREY, "s", -0.06), (POST, BLUE, "o", 0.06)):
                shares = select(rows, method=name, phase=phase)
                steps = [int(row.of["step"]) + aside for row in shares]
                for x, row in zip(steps, shares, strict=True):
                    ends = [100 * row.interval.ci_low, 100 * row.interval.ci_high]
                    axes.plot([x, x], ends, color=colour, linewidth=1.0)
                axes.plot(steps, [100 * row.interval.estimate for row in shares], marker,
                          color=colour, markersize=4, linestyle="-", linewidth=1.0)  # fmt: skip
            axes.set_xticks([1, 2, 3, 4])
        draw_legend(figure, (("before", GREY, "s", False), ("after", BLUE, "o", False)))
        figure.supxlabel("how sure, from a guess (1) to sure (4)", fontsize=8.5)
        figure.supylabel("right predictions, %", fontsize=8.5)
    return figure


FIGURE = ReportFigure(
    "confidence",
    "Right predictions at each step of confidence, with Wilson’s 95 % intervals. The "
    "dotted line shows a calibrated participant.",
    "A panel for each method: right predictions over confidence, before and after",
    draw,
)
BY_METHOD = pivot(
    "How far confidence is from calibration, and whether it tells right from wrong.",
    (
        replace(METHOD, once=True),
        level_of("phase", "Phase", PHASE_WORDS.__getitem__),
        n_of(GAP, "Predictions"),
        value_of(GAP),
        value_of(AUROC),
        limits_of(AUROC, write=number),
    ),
    by=("method", "phase"),
    of=lambda answer: answer.rows(GAP, AUROC),
    note="Calibrated: right in 50, 67, 83 and 100 % at steps 1 to 4. AUROC: how often a right "
    "prediction has a higher confidence than a wrong one; at .5, confidence says nothing about it.",
    row_headers=2,
)
CONFIDENCE = Question(
    id="confidence",
    title="How sure participants are",
    answer=Estimates,
    quantities=(RIGHT, GAP, AUROC),
    compute=compute,
    parts=(FIGURE, BY_METHOD),
)
"""How sure participants are."""
