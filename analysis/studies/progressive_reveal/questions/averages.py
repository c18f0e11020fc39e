"""Uncovered pixels, tries and recognition on average, as published (Table III)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.questions.question import Promise, Question, Whole
from analysis.report.declared import ReportFigure, ReportTable
from analysis.report.parts import Column, Paragraph, limits
from analysis.report.style import FAINT, HALF_FILLED, WIDTH_IN, figure_style, subplots
from analysis.report.wording import (
    bare_percent,
    grouped,
    interval,
    number,
    points_tenth,
    rounded,
    whole_percent,
)
from analysis.studies.progressive_reveal.data import RevealData
from analysis.studies.progressive_reveal.questions.needed import NEEDED
from analysis.studies.progressive_reveal.questions.participants import Shown, methods_of
from analysis.studies.progressive_reveal.rates import (
    ALL_LAST_STEP,
    RECOGNISED,
    Averages,
    MethodAverages,
)
from analysis.studies.progressive_reveal.words import (
    METHOD_COLUMN,
    draw_legend,
    named,
    percent_axis,
)

ROW_IN: Final = 0.42


def compute(data: RevealData) -> Averages:
    """Return Table III in both readings."""
    return data.results.averages


@dataclass(frozen=True, slots=True)
class _Readings:
    """A method's averages in both readings, which stand in one row of the page."""

    method: str
    recognised: MethodAverages
    every: MethodAverages


def _readings(here: Shown[Averages]) -> list[_Readings]:
    recognised, every = (here.answer.of(reading) for reading in (RECOGNISED, ALL_LAST_STEP))
    return [_Readings(method, recognised[method], every[method]) for method in every]


def _pixels(heading: str, reading: Callable[[_Readings], MethodAverages]) -> tuple[Column, ...]:
    def between(row: _Readings) -> str:
        return interval(reading(row).share_low, reading(row).share_high, bare_percent)

    return (
        Column(heading, lambda row: reading(row).pixels, rounded(number, 0), "px"),
        Column(heading, lambda row: reading(row).share, bare_percent, "% of image"),
        Column("95 % interval", between, str),
        Column("Rounds", lambda row: reading(row).n_averaged, grouped, "n"),
    )


INTRODUCTION = Paragraph(
    "A round that ends unrecognised has no uncovered share at recognition. Leaving it out, as "
    "published averages may do, flatters the method that fails more."
)
TABLE3 = ReportTable(
    "table3",
    "answer.rows",
    "Uncovered pixels on average, completed rounds.",
    named(
        METHOD_COLUMN,
        *_pixels("Recognised rounds", lambda row: row.recognised),
        *_pixels("All rounds", lambda row: row.every),
    ),
    "Table III of the paper in both readings; it doesn’t state which is its own. All rounds: "
    "unrecognised ones enter with their last pixels, which is less than they needed. "
    "tables/table3_dropping.csv has what leaving them out does to each average.",
    shown=_readings,
)
RATES = ReportTable(
    "",
    lambda here: list(here.answer.of(RECOGNISED).values()),
    "Tries and recognition, all completed rounds (Table III).",
    named(
        METHOD_COLUMN,
        Column("Tries", "attempts", number),
        limits(number, "attempts_low", "attempts_high"),
        Column("Recognised", "recognition_rate", whole_percent, "%"),
        limits(whole_percent, "recognition_rate_low", "recognition_rate_high"),
        Column("Rounds", "n", grouped, "n"),
    ),
)
DROPPING = ReportTable("table3_dropping", "answer.dropping")


@dataclass(frozen=True, slots=True)
class _Point:
    """A mean share with its limits, and how it is drawn."""

    value: float | None
    low: float | None
    high: float | None
    up: float
    label: str
    looks: dict[str, Any]


def draw(here: Shown[Averages]) -> Figure:
    """Return restricted means beside Table III's two averages."""
    methods = here.methods
    means = {row.method: row for row in here.whole.of(NEEDED).restricted.methods}
    with figure_style():
        figure, axes = subplots(
            figsize=(WIDTH_IN, 1.15 + ROW_IN * len(methods.all)), layout="constrained"
        )
        rows = {row.method: row for row in _readings(here)}
        for place, method in enumerate(reversed(methods.all)):
            colour, _, marker = methods.look(method)
            own, every, mean = rows[method].recognised, rows[method].every, means[method]
            points = (
                _Point(own.share, own.share_low, own.share_high, 0.22, "recognised rounds only",
                       {"marker": marker, "markerfacecolor": "white", "markersize": 5}),
                _Point(every.share, every.share_low, every.share_high, 0.0,
                       "all rounds, last pixels", {"marker": marker, **HALF_FILLED}),
                _Point(mean.estimate, mean.ci_low, mean.ci_high, -0.22,
                       "restricted mean, image by image", {"marker": marker, "markersize": 5}),
            )  # fmt: skip
            axes.axhline(place, color=FAINT, linewidth=0.6, zorder=0)
            for point in points:
                _draw_point(axes, point, place, colour, labelled=place == len(methods.all) - 1)
        names = [methods.name(method) for method in reversed(methods.all)]
        axes.set_yticks(range(len(names)), names)
        axes.set_ylim(-0.6, len(names) - 0.4)
        axes.set_xlim(left=0)
        axes.set_xlabel("share of the image uncovered up to recognition")
        axes.tick_params(axis="y", length=0)
        percent_axis(axes.xaxis)
        draw_legend(figure, axes)
    return figure


def _draw_point(axes: Axes, point: _Point, place: int, colour: str, *, labelled: bool) -> None:
    if point.value is None:
        return
    y = place + point.up
    if point.low is not None and point.high is not None:
        axes.plot([point.low, point.high], [y, y], color=colour, linewidth=1.2)
    axes.plot(
        point.value, y, color=colour, linestyle="none",
        label=point.label if labelled else None, **point.looks,
    )  # fmt: skip


FIGURE = ReportFigure(
    "restricted_means",
    "Average share of the image by method, three ways: hollow, recognised rounds only; half "
    "filled, all rounds with their last pixels; filled, the mean restricted to each image’s "
    "smallest final count. Bars: 95 % intervals over participants and images.",
    "Three points with intervals for each method",
    draw,
)


def _headline(found: Averages, whole: Whole) -> list[str]:
    """Return the most that leaving out unrecognised rounds does; none if it lowers nothing."""
    rows = [(row.estimate, row.method) for row in found.dropping if row.estimate is not None]
    if not rows:
        return []
    most, method = min(rows, key=lambda row: row[0])
    if not most < 0:
        return []
    return [
        "Averages over recognised rounds only exclude the hardest rounds, which changes them by "
        f"up to {points_tenth(most)} points ({methods_of(whole).name(method)})."
    ]


def _methods(_: Averages, whole: Whole) -> list[str]:
    return [
        "As published: averages of uncovered pixels, tries and recognition over completed rounds "
        "(Table III), with unrecognised rounds excluded from the average of pixels and, "
        "alternatively, included with their last pixels."
    ]


AVERAGES = Question(
    id="averages",
    title="Uncovered pixels, tries and recognition",
    answer=Averages,
    compute=compute,
    step="measuring methods over participants and images",
    parts=(INTRODUCTION, FIGURE, TABLE3, RATES, DROPPING),
    view=Shown,
    headline=_headline,
    methods=_methods,
    needs={"attempts": "tries in Table III and their model"},
    registered=lambda _: Promise("secondary", "As published: averages over completed rounds."),
)
"""Uncovered pixels, tries and recognition on average."""
