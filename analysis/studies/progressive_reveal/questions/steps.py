"""Recognition step by step: life tables, and at which steps rounds were recognised."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from analysis.questions.question import Found, Promise, Question, Whole
from analysis.report.about import about
from analysis.report.declared import ReportFigure, ReportTable
from analysis.report.parts import Paragraph
from analysis.report.style import FAINT, WIDTH_IN, figure_style, subplots
from analysis.report.who import counted
from analysis.report.wording import count, listed, number, percent
from analysis.studies.progressive_reveal.data import RevealData
from analysis.studies.progressive_reveal.drawing import (
    draw_band,
    draw_legend,
    draw_line,
    percent_axis,
    rows_of,
)
from analysis.studies.progressive_reveal.gaps import gap_columns, mean_columns, with_gaps
from analysis.studies.progressive_reveal.needed import CourseStep, course_rows
from analysis.studies.progressive_reveal.questions.averages import AVERAGES
from analysis.studies.progressive_reveal.questions.models import MODELS
from analysis.studies.progressive_reveal.questions.participants import NOUN, Shown, methods_of
from analysis.studies.progressive_reveal.rates import (
    ALL_LAST_STEP,
    LifeTables,
    StepDistribution,
    step_distribution,
)
from analysis.studies.progressive_reveal.words import METHOD_COLUMN, named


@dataclass(frozen=True, slots=True)
class Steps:
    """Recognition step by step."""

    courses: Annotated[
        tuple[CourseStep, ...], about("What images uncover at each step, by method.")
    ]
    distribution: Annotated[StepDistribution, about("At which steps rounds were recognised.")]
    life_tables: Annotated[LifeTables, about("Recognition by the end of each step, all rounds.")]


def compute(data: RevealData, found: Found) -> Steps:
    """Return courses, the steps of recognition, and life tables."""
    table = data.table
    return Steps(course_rows(table), step_distribution(table), data.results.life_tables)


MEAN_STEPS = ReportTable(
    "mean_steps",
    lambda here: [*here.answer.life_tables.mean_steps, *here.answer.life_tables.differences],
    "Steps begun until recognition; unrecognised rounds count with all steps.",
    named(METHOD_COLUMN, *mean_columns("Mean steps", number), *gap_columns(number, "steps")),
    shown=lambda here: with_gaps(
        here.answer.life_tables.mean_steps, here.answer.life_tables.differences
    ),
)
LIFE_TABLES = ReportTable("steps", "answer.life_tables.rows")


def draw_courses(here: Shown[Steps]) -> Figure:
    """Return what each method uncovers at each step (Figure 4)."""
    courses = here.answer.courses
    methods = [method for method in here.methods.all if rows_of(courses, method)]
    with figure_style():
        figure, panels = subplots(
            1, len(methods), figsize=(WIDTH_IN, 2.2), sharey=True, layout="constrained",
            squeeze=False,
        )  # fmt: skip
        for axes, method in zip(panels[0], methods, strict=True):
            rows = rows_of(courses, method)
            step = [row.step for row in rows]
            colour = here.methods.look(method)[0]
            axes.fill_between(
                step, [row.q10 for row in rows], [row.q90 for row in rows],
                color=colour, alpha=0.2, linewidth=0, step="mid",
            )  # fmt: skip
            axes.plot(step, [row.median for row in rows], color=colour, drawstyle="steps-mid")
            axes.set_title(here.methods.panel_name(method))
            _steps_axis(axes, here.people.steps, most=5)
        panels[0][0].set_ylim(bottom=0)
        panels[0][0].set_ylabel("share of the image")
        percent_axis(panels[0][0].yaxis)
    return figure


def _steps_axis(axes: Axes, steps: int, most: int) -> None:
    axes.set_xlabel("step")
    axes.set_xlim(0.5, steps + 0.5)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=most))


COURSES = ReportFigure(
    "courses",
    lambda here: (
        "What each method uncovers at each step: median over images and the middle 80 % (Figure 4 "
        f"of the paper). Source: {here.people.schedule_source}."
    ),
    "One panel a method: uncovered share by step",
    draw_courses,
    "answer.courses",
)


def _recognised(here: Shown[Steps]) -> Paragraph:
    found = here.answer.distribution
    return Paragraph(
        f"Recognised rounds have their step of recognition at {number(found.mean_step)} on "
        f"average (median {number(found.median_step, 1)}); {percent(found.rounds_between)} "
        f"of them lie between the {found.low}th and the {found.high}th step, and so does the "
        f"average of {percent(found.people_between)} of the participants."
    )


def draw_steps(here: Shown[Steps]) -> Figure:
    """Return recognition by the end of each step, and how many rounds each step brought."""
    steps = here.people.steps
    with figure_style():
        figure, (left, right) = subplots(
            1, 2, figsize=(WIDTH_IN, 3.0), layout="constrained", width_ratios=(3, 2)
        )
        _draw_recognition(left, here)
        _draw_distribution(right, here)
        for axes in (left, right):
            _steps_axis(axes, steps, most=8)
        draw_legend(figure, left)
    return figure


def _draw_recognition(axes: Axes, here: Shown[Steps]) -> None:
    curves = here.whole.of(MODELS).curves
    for method in here.methods.all:
        rows = rows_of(here.answer.life_tables.rows, method)
        x = [row.step for row in rows]
        colour, _, marker = here.methods.look(method)
        draw_line(axes, here.methods, method, x, [row.reached for row in rows])
        draw_band(axes, colour, x, [row.ci_low for row in rows], [row.ci_high for row in rows])
        own = rows_of(curves, method)
        axes.plot(
            [row.step for row in own], [row.estimate for row in own], marker,
            color=colour, markersize=3.2, markerfacecolor="white", markeredgewidth=0.8,
        )  # fmt: skip
    axes.set_ylim(0, 1.02)
    axes.set_ylabel("recognised by the end of the step")
    percent_axis(axes.yaxis)


def _draw_distribution(axes: Axes, here: Shown[Steps]) -> None:
    found = here.answer.distribution
    for row in found.counts:
        draw_line(axes, here.methods, row.method, range(1, here.people.steps + 1),
                  _shares(row.counts))  # fmt: skip
    axes.axvspan(found.low, found.high, color=FAINT, alpha=0.5, linewidth=0, zorder=0)
    axes.set_ylim(bottom=0)
    axes.set_ylabel("share of the recognised rounds")
    percent_axis(axes.yaxis)


def _shares(counts: Sequence[int]) -> list[float]:
    total = max(sum(counts), 1)
    return [n / total for n in counts]


def _steps_caption(here: Shown[Steps]) -> str:
    markers = " Markers: the discrete-time model, averaged over participants and images."
    return (
        "Left: recognition by the end of each step, all rounds (product-limit estimate with 95 % "
        "bands over participants and images)."
        f"{markers if here.whole.of(MODELS).curves else ''} "
        "Right: at which step the recognised rounds were recognised; shaded: steps 4 to 9."
    )


RECOGNITION = ReportFigure(
    "steps",
    _steps_caption,
    "Recognition curves over steps, and the distribution of steps",
    draw_steps,
)


def _headline(_: Steps, whole: Whole) -> list[str]:
    """Return how often images were named in time."""
    methods, data = methods_of(whole), whole.frame.data
    said = [
        f"{methods.name(method)} {percent(row.recognition_rate)}"
        for method, row in whole.of(AVERAGES).of(ALL_LAST_STEP).items()
    ]
    return [
        f"{counted(data, NOUN)} saw "
        f"{count(data.trials, 'round')} and named the image in time with {listed(said)}."
    ]


STEPS = Question(
    id="steps",
    title="Recognition step by step",
    answer=Steps,
    compute=compute,
    parts=(COURSES, _recognised, RECOGNITION, MEAN_STEPS, LIFE_TABLES),
    view=Shown,
    headline=_headline,
    registered=lambda _: Promise("secondary", "Product-limit estimate of recognition by step."),
)
"""Recognition step by step."""
