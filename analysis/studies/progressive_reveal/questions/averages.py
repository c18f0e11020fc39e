"""Uncovered pixels, tries and recognition on average, as published (Table III)."""

from collections.abc import Mapping
from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.questions.estimates import EstimateRow, Estimates
from analysis.questions.pivot import limits_of, n_of, pivot, value_of
from analysis.questions.question import Promise, Question, Whole
from analysis.report.declared import ReportFigure
from analysis.report.parts import Column, Paragraph
from analysis.report.style import FAINT, HALF_FILLED, WIDTH_IN, figure_style, subplots
from analysis.report.wording import grouped, points_tenth
from analysis.studies.progressive_reveal.data import RevealData
from analysis.studies.progressive_reveal.quantities import (
    ALL_LAST_STEP,
    RATE,
    READINGS,
    RECOGNISED,
    RESTRICTED,
    SHARE,
)
from analysis.studies.progressive_reveal.questions.needed import NEEDED
from analysis.studies.progressive_reveal.questions.participants import RevealView, methods_of
from analysis.studies.progressive_reveal.rates import DROPPING, PIXELS, TRIES
from analysis.studies.progressive_reveal.words import (
    METHOD_COLUMN,
    between,
    draw_legend,
    named,
    percent_axis,
)

ROW_IN: Final = 0.42


def compute(data: RevealData) -> Estimates:
    """Return Table III in both readings."""
    return Estimates(data.results.averages)


def _uncovered(heading: str, reading: str) -> tuple[Column, ...]:
    return (
        value_of(PIXELS, reading, heading),
        value_of(SHARE, reading, heading),
        between(SHARE, reading),
    )


INTRODUCTION = Paragraph(
    "A round that ends unrecognised has no uncovered share at recognition. Leaving it out, as "
    "published averages may do, flatters the method that fails more."
)
TABLE3 = pivot(
    "Uncovered pixels on average, completed rounds.",
    named(
        METHOD_COLUMN,
        *_uncovered("Recognised rounds", RECOGNISED),
        Column("Rounds", f"{SHARE.id}/{RECOGNISED}.n", grouped, "n"),
        *_uncovered("All rounds", ALL_LAST_STEP),
    ),
    by=("method",),
    over="reading",
    of=lambda here: here.answer.rows(SHARE, PIXELS),
    note="Table III of the paper in both readings; it doesn’t state which is its own. All rounds: "
    "unrecognised ones enter with their last pixels, which is less than they needed. "
    "tables/estimates.csv has what leaving them out does to each average.",
)
RATES = pivot(
    "Tries and recognition, all completed rounds (Table III).",
    named(
        METHOD_COLUMN,
        value_of(TRIES),
        limits_of(TRIES),
        value_of(RATE),
        limits_of(RATE),
        n_of(RATE, "Rounds"),
    ),
    by=("method",),
    of=lambda here: here.answer.rows(RATE, TRIES),
)


def draw(here: RevealView[Estimates]) -> Figure:
    """Return restricted means beside Table III's two averages."""
    methods, needed = here.methods, here.whole.of(NEEDED)
    with figure_style():
        figure, axes = subplots(
            figsize=(WIDTH_IN, 1.15 + ROW_IN * len(methods.all)), layout="constrained"
        )
        for place, method in enumerate(reversed(methods.all)):
            colour, _, marker = methods.look(method)
            seen, every = (
                here.answer.row(SHARE, method=method, reading=reading) for reading in READINGS
            )
            mean = needed.row(RESTRICTED, method=method)
            hollow = {"markerfacecolor": "white", "markersize": 5}
            axes.axhline(place, color=FAINT, linewidth=0.6, zorder=0)
            for row, up, label, looks in (
                (seen, 0.22, "recognised rounds only", hollow),
                (every, 0.0, "all rounds, last pixels", HALF_FILLED),
                (mean, -0.22, "restricted mean, image by image", {"markersize": 5}),
            ):
                named_once = label if place == len(methods.all) - 1 else None
                looks = {"marker": marker, "color": colour, "label": named_once, **looks}
                _draw_point(axes, row, place + up, looks)
        names = [methods.name(method) for method in reversed(methods.all)]
        axes.set_yticks(range(len(names)), names)
        axes.set_ylim(-0.6, len(names) - 0.4)
        axes.set_xlim(left=0)
        axes.set_xlabel("share of the image uncovered up to recognition")
        axes.tick_params(axis="y", length=0)
        percent_axis(axes.xaxis)
        draw_legend(figure, axes)
    return figure


def _draw_point(axes: Axes, row: EstimateRow, y: float, looks: Mapping[str, Any]) -> None:
    if row.estimate is None:
        return
    if row.ci_low is not None and row.ci_high is not None:
        axes.plot([row.ci_low, row.ci_high], [y, y], color=looks["color"], linewidth=1.2)
    axes.plot(row.estimate, y, linestyle="none", **looks)


FIGURE = ReportFigure(
    "restricted_means",
    "Average share of the image by method, three ways: hollow, recognised rounds only; half "
    "filled, all rounds with their last pixels; filled, the mean restricted to each image’s "
    "smallest final count. Bars: 95 % intervals over participants and images.",
    "Three points with intervals for each method",
    draw,
)


def _headline(answer: Estimates, whole: Whole) -> list[str]:
    """Return the most that leaving out unrecognised rounds does; none if it lowers nothing."""
    rows = answer.rows(DROPPING)
    lowered = [(row.estimate, row.of["method"]) for row in rows if (row.estimate or 0.0) < 0]
    if not lowered:
        return []
    most, method = min(lowered)
    return [
        "Averages over recognised rounds only exclude the hardest rounds, which changes them by "
        f"up to {points_tenth(most)} points ({methods_of(whole).name(method)})."
    ]


def _methods(_: Estimates, whole: Whole) -> list[str]:
    return [
        "As published: averages of uncovered pixels, tries and recognition over completed rounds "
        "(Table III), with unrecognised rounds excluded from the average of pixels and, "
        "alternatively, included with their last pixels."
    ]


AVERAGES = Question(
    id="averages",
    title="Uncovered pixels, tries and recognition",
    answer=Estimates,
    quantities=(SHARE, PIXELS, RATE, TRIES, DROPPING),
    compute=compute,
    step="measuring methods over participants and images",
    parts=(INTRODUCTION, FIGURE, TABLE3, RATES),
    view=RevealView,
    headline=_headline,
    methods=_methods,
    needs={"attempts": "tries in Table III and their model"},
    registered=lambda _: Promise("As published: averages over completed rounds."),
)
"""Uncovered pixels, tries and recognition on average."""
