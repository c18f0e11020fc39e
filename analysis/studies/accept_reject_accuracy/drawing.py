"""How accurate the system is for leads, as figures: over all images, and class by class."""

from typing import Final

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

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
from analysis.report.wording import no_finer, number, rounded
from analysis.studies.accept_reject_accuracy.rates import Acceptance, Accuracy, ClassRates, Ratio

MOST_CLASSES: Final = 30
ROW_IN: Final = 0.24
APART: Final = 0.18
"""How far the two marks of a class are above and below its line: equal shares hide none."""


def draw(found: Accuracy) -> Figure:
    """Return p_S, p_E and acc_L with intervals, plain accuracy as a line."""
    ratio, system, expert = found.ratio, found.of_solver["S"], found.of_solver["E"]
    shown = [
        ("acc$_L$(S) = p$_S$ / p$_E$", ratio.estimate, ratio, "D", INK),
        ("p$_E$, data set’s labels", expert.rate, expert, "s", ORANGE),
        ("p$_S$, system’s labels", system.rate, system, "o", BLUE),
    ]
    with figure_style(), mpl.rc_context({"text.parse_math": True}):
        figure, axes = subplots(figsize=(WIDTH_IN, 1.75), layout="constrained")
        for place, (_, value, row, marker, colour) in enumerate(shown):
            if value is not None:
                _draw_limits(axes, place, row, colour)
                axes.plot(value, place, marker, color=colour, markersize=6)
                write = no_finer(rounded(number, 3), row.ci_low, row.ci_high, value)
                axes.annotate(
                    write(value), (value, place), xytext=(0, 7), textcoords="offset points",
                    ha="center", fontsize=8, color=INK,
                )  # fmt: skip
        axes.set_yticks(range(len(shown)), [label for label, *_ in shown])
        axes.set_ylim(-0.6, len(shown) - 0.25)
        plain = ratio.plain_accuracy
        if plain is not None:
            axes.axvline(plain, color=SOFT, linewidth=0.9, linestyle=(0, (4, 2)), zorder=0)
            axes.annotate(
                f"plain accuracy {number(plain, 3)}", (plain, -0.6), xytext=(4, 3),
                textcoords="offset points", fontsize=7.5, color=SOFT,
            )  # fmt: skip
        highest = max((row.ci_high or value or 0) for _, value, row, *_ in shown)
        axes.set_xlim(0, max(1.03, 1.03 * highest))
        axes.set_xlabel("share accepted; ratio of the two shares")
        axes.spines["left"].set_visible(False)
        axes.tick_params(axis="y", length=0)
    return figure


def _draw_limits(axes: Axes, place: float, row: Ratio | Acceptance, colour: str) -> None:
    if row.ci_low is not None and row.ci_high is not None:
        axes.plot([row.ci_low, row.ci_high], [place, place], color=colour, linewidth=1.6)


FIGURE = ReportFigure(
    "accuracy",
    "Acceptance of the system’s and of the data set’s labels, and their ratio. Bars: 95 % "
    "intervals over leads and images. Dashed: plain accuracy on the same images.",
    "Three points with intervals: p_S, p_E and acc_L; a line at plain accuracy",
    draw,
)


def draw_classes(found: Accuracy) -> Figure:
    """Return p_S, p_E and plain accuracy class by class."""
    rows = sorted(found.classes, key=lambda row: (row.p_S is None, row.p_S or 0))
    with figure_style():
        figure, axes = subplots(figsize=(WIDTH_IN, 1.0 + ROW_IN * len(rows)), layout="constrained")
        for place, row in enumerate(rows):
            axes.axhline(place, color=FAINT, linewidth=0.6, zorder=0)
            _draw_class(axes, place, row)
        names = [found.label_words.get(row.label, row.label) for row in rows]
        labels = [f"{name} ({row.tasks})" for name, row in zip(names, rows, strict=True)]
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


def _draw_class(axes: Axes, place: int, row: ClassRates) -> None:
    marks = (
        (row.plain_accuracy, 0.0, "plain accuracy", "|", GREY, 12),
        (row.p_E, -APART, "accepted, data set’s label", "s", ORANGE, 4),
        (row.p_S, APART, "accepted, system’s label", "o", BLUE, 4),
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
    lambda found: 1 < len(found.classes) <= MOST_CLASSES,
)
