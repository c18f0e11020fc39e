"""Figures of accuracy: p_S, p_E and acc_L, and the same class by class."""

from typing import Final

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from analysis.questions.estimates import EstimateRow
from analysis.questions.pivot import Wide, wide
from analysis.questions.question import Within
from analysis.report.declared import ReportFigure
from analysis.report.style import (
    BLUE,
    FAINT,
    GREY,
    INK,
    ORANGE,
    SOFT,
    WIDTH_IN,
    figure_style,
    subplots,
)
from analysis.report.wording import (
    grouped,
    number,
)
from analysis.studies.accept_reject_accuracy.quantities import (
    ACC_L,
    ACCEPTED,
    IMAGES,
    PLAIN,
    Accuracy,
    ratio_words,
)
from analysis.studies.accept_reject_accuracy.rates import (
    SOLVERS,
)

MOST_CLASSES: Final = 30
ROW_IN: Final = 0.24
APART: Final = 0.18
"""How far the two marks of a class are above and below its line, so that both can be seen."""


def draw(here: Within[Accuracy]) -> Figure:
    """Return p_S, p_E and acc_L with intervals, plain accuracy as a line."""
    answer = here.answer
    lines = [
        ("acc$_L$(S) = p$_S$ / p$_E$", answer.row(ACC_L), "D", INK),
        ("p$_E$, data set’s labels", answer.row(ACCEPTED, solver="E"), "s", ORANGE),
        ("p$_S$, system’s labels", answer.row(ACCEPTED, solver="S"), "o", BLUE),
    ]
    with figure_style(), mpl.rc_context({"text.parse_math": True}):
        figure, axes = subplots(figsize=(WIDTH_IN, 1.75), layout="constrained")
        for place, (_, row, marker, colour) in enumerate(lines):
            if row.estimate is not None:
                _draw_limits(axes, place, row, colour)
                axes.plot(row.estimate, place, marker, color=colour, markersize=6)
                axes.annotate(
                    ratio_words(row)[0], (row.estimate, place), xytext=(0, 7),
                    textcoords="offset points", ha="center", fontsize=8, color=INK,
                )  # fmt: skip
        axes.set_yticks(range(len(lines)), [label for label, *_ in lines])
        axes.set_ylim(-0.6, len(lines) - 0.25)
        plain = answer.row(PLAIN).estimate
        if plain is not None:
            axes.axvline(plain, color=SOFT, linewidth=0.9, linestyle=(0, (4, 2)), zorder=0)
            axes.annotate(
                f"plain accuracy {number(plain, 3)}", (plain, -0.6), xytext=(4, 3),
                textcoords="offset points", fontsize=7.5, color=SOFT,
            )  # fmt: skip
        highest = max((row.ci_high or row.estimate or 0) for _, row, *_ in lines)
        axes.set_xlim(0, max(1.03, 1.03 * highest))
        axes.set_xlabel("share accepted; ratio of the two shares")
        axes.spines["left"].set_visible(False)
        axes.tick_params(axis="y", length=0)
    return figure


def _draw_limits(axes: Axes, place: float, row: EstimateRow, colour: str) -> None:
    if row.ci_low is not None and row.ci_high is not None:
        axes.plot([row.ci_low, row.ci_high], [place, place], color=colour, linewidth=1.6)


FIGURE = ReportFigure(
    "accuracy",
    "Acceptance of the system’s and of the data set’s labels, and their ratio. Bars: 95 % "
    "intervals. Dashed: plain accuracy on the same images.",
    "Three points with intervals: p_S, p_E and acc_L; a line at plain accuracy",
    draw,
)


def draw_classes(here: Within[Accuracy]) -> Figure:
    """Return p_S, p_E and plain accuracy class by class."""
    answer = here.answer
    rows = sorted(_classes(answer), key=lambda row: _unknown_last(row[_IN_CLASS["S"]]))
    with figure_style():
        figure, axes = subplots(figsize=(WIDTH_IN, 1.0 + ROW_IN * len(rows)), layout="constrained")
        for place, row in enumerate(rows):
            axes.axhline(place, color=FAINT, linewidth=0.6, zorder=0)
            _draw_class(axes, place, row)
        names = [answer.label_words.get(row["label"], row["label"]) for row in rows]
        counts = [grouped(row[IMAGES.id]) for row in rows]
        labels = [f"{name} ({n})" for name, n in zip(names, counts, strict=True)]
        axes.set_yticks(range(len(rows)), labels)
        axes.set_ylim(-0.7, len(rows) - 0.3)
        axes.set_xlim(-0.02, 1.02)
        axes.xaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
        axes.set_xlabel("share of the class’s images")
        figure.legend(
            *axes.get_legend_handles_labels(), loc="outside upper left", ncols=3, fontsize=8
        )
        axes.tick_params(axis="y", length=0)
    return figure


_IN_CLASS: Final = {solver: f"{ACCEPTED.id}/{solver}" for solver in SOLVERS}


def _classes(answer: Accuracy) -> list[Wide]:
    """Return a row for each class."""
    rows = [row for row in answer.estimates if "label" in row.of]
    return wide(rows, ("label",), "solver")


def _unknown_last(share: float | None) -> tuple[bool, float]:
    return share is None, share or 0


def _draw_class(axes: Axes, place: int, row: Wide) -> None:
    marks = (
        (row[PLAIN.id], 0.0, "plain accuracy", "|", GREY, 12),
        (row[_IN_CLASS["E"]], -APART, "accepted, data set’s label", "s", ORANGE, 4),
        (row[_IN_CLASS["S"]], APART, "accepted, system’s label", "o", BLUE, 4),
    )
    for value, up, words, marker, colour, size in marks:
        values = [] if value is None else [value]
        axes.plot(
            values, [place + up] * len(values), marker, label=words if place == 0 else None,
            linestyle="none", color=colour, markersize=size,
        )  # fmt: skip


CLASSES_FIGURE = ReportFigure(
    "classes",
    "Class by class, with the number of judged images: circles, accepted labels of the "
    "system; squares, accepted labels of the data set; strokes, plain accuracy.",
    "For each class p_S, p_E and plain accuracy",
    draw_classes,
    lambda here: 1 < len(_classes(here.answer)) <= MOST_CLASSES,
)
