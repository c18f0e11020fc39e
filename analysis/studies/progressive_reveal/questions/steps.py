"""Recognition step by step: life tables, and at which steps rounds were recognised."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from analysis.questions.question import Promise, Question, Whole
from analysis.report.about import about
from analysis.report.declared import ReportFigure, ReportTable
from analysis.report.estimates import (
    MEANS,
    MODEL,
    Unvarying,
    apart,
    beside,
    used,
)
from analysis.report.few_people import these_people, why_wide
from analysis.report.parts import Paragraph
from analysis.report.results import called, counted
from analysis.report.style import FAINT, SOFT, WIDTH_IN, figure_style, panel_grid, subplots
from analysis.report.wording import (
    count,
    listed,
    number,
    percent,
    points,
    rounded,
    unknown,
    with_limits,
)
from analysis.studies.progressive_reveal.data import RevealData
from analysis.studies.progressive_reveal.pairs import (
    Difference,
    corrected,
    family,
    to_reference,
)
from analysis.studies.progressive_reveal.questions.averages import AVERAGES
from analysis.studies.progressive_reveal.questions.models import MODELS
from analysis.studies.progressive_reveal.questions.participants import (
    NOUN,
    Shown,
    methods_of,
    rules_of,
)
from analysis.studies.progressive_reveal.rates import (
    ALL_LAST_STEP,
    StepDistribution,
    step_distribution,
)
from analysis.studies.progressive_reveal.recognition import (
    LifeTables,
    gap_columns,
    life_tables,
    mean_columns,
    with_gaps,
)
from analysis.studies.progressive_reveal.trials import RoundTable
from analysis.studies.progressive_reveal.words import (
    METHOD_COLUMN,
    draw_band,
    draw_legend,
    draw_line,
    named,
    percent_axis,
    rows_of,
)

MOST_IN_ROW: Final = 4


@dataclass(frozen=True, slots=True)
class CourseStep:
    """What a method uncovers at a step, over images (Figure 4)."""

    method: Annotated[str, about("The method.")]
    step: Annotated[int, about("The step.")]
    q10: Annotated[float, about("Share of the image, 10 % quantile over images.")]
    median: Annotated[float, about("Its median.")]
    q90: Annotated[float, about("Its 90 % quantile.")]
    images: Annotated[int, about("Images.")]


@dataclass(frozen=True, slots=True)
class Steps:
    """Recognition step by step."""

    courses: Annotated[
        tuple[CourseStep, ...], about("What images uncover at each step, by method.")
    ]
    distribution: Annotated[StepDistribution, about("At which steps rounds were recognised.")]
    life_tables: Annotated[LifeTables, about("Recognition by the end of each step, all rounds.")]
    unvarying: Annotated[
        Unvarying, about("Who and what is hardly ever, or nearly always, recognised.")
    ]
    general: Annotated[
        tuple[Difference, ...],
        about(
            "Recognition by the end less the reference's, for participants in general, if these "
            "are few; else empty: it is that of life_tables."
        ),
    ] = ()


def compute(data: RevealData) -> Steps:
    """Return courses, the steps of recognition, and life tables."""
    table, frame = data.table, data.table.frame
    answers, people, items = (
        frame[name].to_numpy() for name in ("recognised", "participant", "item")
    )
    return Steps(
        _courses(table),
        step_distribution(table),
        data.results.life_tables,
        Unvarying.count(answers, people, items),
        _general(data),
    )


def _general(data: RevealData) -> tuple[Difference, ...]:
    if data.plan.people == "random":
        return ()
    found = life_tables(data.table, replace(data.plan, people="random"))
    own = (row for row in found.pairs if row.of == "recognised")
    return to_reference(own, data.table.reference)


def _courses(table: RoundTable) -> tuple[CourseStep, ...]:
    """Return the uncovered share at each step over images (Figure 4), by method."""
    rows: list[CourseStep] = []
    for m, method in enumerate(table.methods):
        own = table.amounts[:, m]
        own = own[np.isfinite(own).all(axis=1)]
        if not len(own):
            continue
        low, middle, high = np.quantile(own, [0.1, 0.5, 0.9], axis=0)
        rows += [
            CourseStep(method, k + 1, float(low[k]), float(middle[k]), float(high[k]), len(own))
            for k in range(table.steps)
        ]
    return tuple(rows)


tenths: Final = rounded(number, 1)
MEAN_STEPS = ReportTable(
    "mean_steps",
    lambda here: [*here.answer.life_tables.mean_steps, *here.answer.life_tables.differences],
    "Steps begun until recognition; unrecognised rounds count with all steps.",
    named(METHOD_COLUMN, *mean_columns("Mean steps", tenths), *gap_columns(tenths, "steps")),
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
        f"Recognised rounds have their step of recognition at {number(found.mean_step, 1)} on "
        f"average (median {number(found.median_step, 1)}); {percent(found.rounds_between)} "
        f"of them lie between the {found.low}th and the {found.high}th step, and so does the "
        f"average of {percent(found.people_between)} of the participants."
    )


def draw_steps(here: Shown[Steps]) -> Figure:
    """Return recognition by the end of each step, a panel for each method: no bands overlap."""
    methods = here.methods.all
    with figure_style():
        figure, panels = panel_grid(
            len(methods), MOST_IN_ROW, head_in=0.4, panel_in=2.0, sharey=True
        )
        for axes, method in zip(panels, methods, strict=True):
            _draw_recognition(axes, here, method)
            _steps_axis(axes, here.people.steps, most=5)
        for axes in panels[::MOST_IN_ROW]:
            axes.set_ylabel("recognised by then")
    return figure


def _draw_recognition(axes: Axes, here: Shown[Steps], method: str) -> None:
    rows, base = (
        rows_of(here.answer.life_tables.rows, name) for name in (method, here.methods.reference)
    )
    x = [row.step for row in rows]
    colour = here.methods.look(method)[0]
    draw_band(axes, colour, x, [row.ci_low for row in rows], [row.ci_high for row in rows])
    if method != here.methods.reference:
        axes.plot(x, [row.reached for row in base], color=SOFT, linewidth=0.8)
    axes.plot(x, [row.reached for row in rows], color=colour)
    own = rows_of(here.whole.of(MODELS).curves, method)
    axes.plot(
        [row.step for row in own], [row.estimate for row in own], "o",
        color=colour, markersize=3, markerfacecolor="white", markeredgewidth=0.8,
    )  # fmt: skip
    axes.set_title(here.methods.panel_name(method))
    axes.set_ylim(0, 1.02)
    percent_axis(axes.yaxis)


def draw_distribution(here: Shown[Steps]) -> Figure:
    """Return at which step the recognised rounds were recognised."""
    found, steps = here.answer.distribution, here.people.steps
    with figure_style():
        figure, axes = subplots(figsize=(WIDTH_IN, 2.2), layout="constrained")
        for row in found.counts:
            draw_line(axes, here.methods, row.method, range(1, steps + 1), _shares(row.counts))
        axes.axvspan(found.low, found.high, color=FAINT, alpha=0.5, linewidth=0, zorder=0)
        axes.set_ylim(bottom=0)
        axes.set_ylabel("recognised rounds")
        percent_axis(axes.yaxis)
        _steps_axis(axes, steps, most=15)
        draw_legend(figure, axes)
    return figure


def _shares(counts: Sequence[int]) -> list[float]:
    total = max(sum(counts), 1)
    return [n / total for n in counts]


def _steps_caption(here: Shown[Steps]) -> str:
    markers = ", and the discrete-time model (markers)" if here.whole.of(MODELS).curves else ""
    thin = f" Thin: {here.methods.name(here.methods.reference)}." if here.methods.others else ""
    return (
        "Recognition by the end of each step, all rounds: product-limit estimate with pointwise "
        f"95 % limits over participants and images{markers}.{thin}"
    )


RECOGNITION = ReportFigure(
    "steps", _steps_caption, "One panel a method: recognition curve over steps", draw_steps
)
DISTRIBUTION = ReportFigure(
    "step_distribution",
    lambda here: (
        "Step of recognition, as share of a method’s recognised rounds; shaded: steps "
        f"{here.answer.distribution.low} to {here.answer.distribution.high}."
    ),
    "One line a method: share of rounds by step of recognition",
    draw_distribution,
    lambda here: here.answer.distribution.people,
)


def _headline(found: Steps, whole: Whole) -> list[str]:
    """Return how often images were named in time, and how methods differ in it."""
    methods, data = methods_of(whole), whole.frame.data
    said = [
        f"{methods.name(method)} {percent(row.recognition_rate)}"
        for method, row in whole.of(AVERAGES).of(ALL_LAST_STEP).items()
    ]
    often = (
        f"{counted(data, NOUN)} saw "
        f"{count(data.trials, 'round')} and named the image in time with {listed(said)}."
    )
    return [often, *_differences(found, whole), *_at_the_ends(found, whole)]


def _differences(found: Steps, whole: Whole) -> list[str]:
    """Return the methods' differences to the reference by means, the model's beside them."""
    methods, pairs = methods_of(whole), found.life_tables.pairs
    models, asked = whole.of(MODELS), rules_of(whole).analysis.primary_test
    by_model = {row.method: row for row in models.contrasts if row.of == "recognised"}
    by = MEANS if found.general else used(asked, bool(by_model))
    why = found.unvarying.words("participants", "images")
    said = []
    for row in to_reference((one for one in pairs if one.of == "recognised"), methods.reference):
        if unknown(row.estimate):
            continue
        model = by_model.get(row.method)
        decided = corrected(models.pairs if by == MODEL else pairs, row, "recognised", points)
        other = (
            ""
            if model is None
            else f" ({beside(row, model, points, why, by=MEANS if by == MODEL else MODEL)})"
        )
        if found.general:
            (beyond,) = (one for one in found.general if one.method == row.method)
            limits = with_limits(beyond.ci_low, beyond.ci_high, points).strip()
            noun = called(whole.frame.data, NOUN)
            other = f" (for {noun}s in general {limits or 'not known'})"
        why = "" if model is not None and apart(row, model) else why
        said.append(f"{methods.name(row.method)} {decided}{other}")
    if not said:
        return []
    data = whole.frame.data
    noun = called(data, NOUN)
    who = f"For {these_people(data.participants, noun)}, compared" if found.general else "Compared"
    return [
        f"{who} with {methods.name(methods.reference)}, in points of recognition by the last "
        f"step: {listed(said)}{family(len(methods.all), by)}.",
        *([why_wide(data.participants, noun, "image")] if found.general else []),
    ]


def _at_the_ends(found: Steps, whole: Whole) -> list[str]:
    """Return what can't be said if nobody recognised an image, or everybody did at once."""
    counts = [row.counts for row in found.distribution.counts]
    by_step = [sum(of_step) for of_step in zip(*counts, strict=True)]
    if not sum(by_step):
        return ["No round was recognised, so how much recognition needs can’t be said."]
    if by_step[0] < sum(by_step):
        return []
    return [
        "All recognised rounds were recognised at the first step: whether less would have been "
        "enough, and with which method, can’t be said."
    ]


STEPS = Question(
    id="steps",
    title="Recognition step by step",
    answer=Steps,
    compute=compute,
    parts=(COURSES, RECOGNITION, _recognised, DISTRIBUTION, MEAN_STEPS, LIFE_TABLES),
    view=Shown,
    headline=_headline,
    registered=lambda _: Promise(
        "secondary",
        "Product-limit estimate of recognition by step, and differences between methods in "
        "recognition by the last step, over participants and images. The headline gives them "
        "first, the model's beside them.",
    ),
)
"""Recognition step by step."""
