"""Recognition step by step: life tables, and at which steps rounds were recognised."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from analysis.questions.estimates import (
    EstimateRow,
    Estimates,
    Quantity,
    estimate_row,
    select,
)
from analysis.questions.pivot import pivot, value_of
from analysis.questions.question import Promise, Question, Whole
from analysis.report.about import about
from analysis.report.deciding import MEANS, MODEL, Unvarying, apart, beside, used
from analysis.report.declared import ReportFigure
from analysis.report.few_people import these_people, why_wide
from analysis.report.parts import Paragraph
from analysis.report.results import called, counted
from analysis.report.style import FAINT, SOFT, WIDTH_IN, figure_style, panel_grid, subplots
from analysis.report.wording import (
    bare_percent,
    count,
    listed,
    number,
    percent,
    points,
    with_limits,
)
from analysis.statistics.estimate import Estimate
from analysis.studies.progressive_reveal.data import RevealData
from analysis.studies.progressive_reveal.pairs import (
    compared,
    corrected,
    equivalence_sentence,
    family_words,
)
from analysis.studies.progressive_reveal.quantities import (
    HAZARD,
    MEAN_STEPS,
    MODELLED,
    RATE,
    REACHED,
    RECOGNISED_LESS,
    STEPS_LESS,
)
from analysis.studies.progressive_reveal.questions.averages import AVERAGES
from analysis.studies.progressive_reveal.questions.models import MODELS
from analysis.studies.progressive_reveal.questions.pairs import PAIRS
from analysis.studies.progressive_reveal.questions.participants import (
    NOUN,
    RevealView,
    methods_of,
    rules_of,
)
from analysis.studies.progressive_reveal.rates import (
    EARLY_STEP,
    LATE_STEP,
    OF_RECOGNITION,
    PEOPLE_BETWEEN,
    recognition_steps,
)
from analysis.studies.progressive_reveal.recognition import Life
from analysis.studies.progressive_reveal.trials import RoundTable
from analysis.studies.progressive_reveal.words import (
    METHOD_COLUMN,
    between,
    draw_band,
    draw_legend,
    draw_line,
    estimates_of,
    less_columns,
    levels_of,
    named,
    percent_axis,
)

MOST_IN_ROW: Final = 4


COURSE = Quantity(
    "share_by_step", "Uncovered",
    "Share of the image that a method uncovers by a step: a quantile over images (Figure 4).",
    bare_percent, "% of image",
)  # fmt: skip
GENERAL = Quantity(
    "recognised_difference_in_general", "In general",
    "Recognition by the end less the reference's, for participants in general, if these are few.",
    points,
)  # fmt: skip
QUANTILES: Final = (0.1, 0.5, 0.9)
LOW, MIDDLE, HIGH = (percent(share) for share in QUANTILES)


@dataclass(frozen=True, slots=True)
class Steps(Estimates):
    """Recognition step by step."""

    unvarying: Annotated[
        Unvarying, about("Who and what is hardly ever, or nearly always, recognised.")
    ]


def compute(data: RevealData) -> Steps:
    """Return courses, the steps of recognition, and life tables."""
    table = data.table
    answers, people, items = (
        table.frame[name].to_numpy() for name in ("recognised", "participant", "item")
    )
    rows = (*_courses(table), *recognition_steps(table), *data.results.life.rows())
    return Steps((*rows, *_general(data)), Unvarying.count(answers, people, items))


def _general(data: RevealData) -> Iterator[EstimateRow]:
    if data.plan.people == "random":
        return
    table, of_these = data.table, data.results.life
    life = Life.of(table, replace(data.plan, people="random"))

    def less(a: int, b: int) -> Estimate:
        return life.recognised_less(a, b).no_narrower(of_these.recognised_less(a, b))

    rows = compared(GENERAL, life.by, table.methods, less)
    yield from select(rows, GENERAL, against=table.reference)


def _courses(table: RoundTable) -> Iterator[EstimateRow]:
    """Yield the uncovered share at each step over images (Figure 4), by method."""
    for m, method in enumerate(table.methods):
        courses = table.amounts[:, m]
        courses = courses[np.isfinite(courses).all(axis=1)]
        if not len(courses):
            continue
        cuts = np.quantile(courses, QUANTILES, axis=0)
        for k in range(table.steps):
            for level, cut in zip((LOW, MIDDLE, HIGH), cuts[:, k], strict=True):
                of = {"method": method, "step": str(k + 1), "quantile": level}
                yield estimate_row(COURSE, of, float(cut), len(courses))


def _with_differences(here: RevealView[Steps]) -> tuple[EstimateRow, ...]:
    pairs = here.whole.of(PAIRS)
    less = pairs.rows(STEPS_LESS, against=here.methods.reference, by=pairs.means)
    return (*here.answer.rows(MEAN_STEPS), *less)


TABLE = pivot(
    "Steps begun until recognition; unrecognised rounds count with all steps.",
    named(
        METHOD_COLUMN,
        value_of(MEAN_STEPS),
        between(MEAN_STEPS),
        *less_columns(STEPS_LESS, "steps"),
    ),
    by=("method",),
    of=_with_differences,
)


def draw_courses(here: RevealView[Steps]) -> Figure:
    """Return what each method uncovers at each step (Figure 4)."""
    methods = here.answer.levels("method", COURSE)
    with figure_style():
        figure, panels = subplots(
            1, len(methods), figsize=(WIDTH_IN, 2.2), sharey=True, layout="constrained",
            squeeze=False,
        )  # fmt: skip
        for axes, method in zip(panels[0], methods, strict=True):
            colour = here.methods.look(method)[0]
            low, middle, high = (
                here.answer.rows(COURSE, method=method, quantile=level)
                for level in (LOW, MIDDLE, HIGH)
            )
            step = levels_of("step", middle)
            axes.fill_between(
                step, estimates_of(low), estimates_of(high),
                color=colour, alpha=0.2, linewidth=0, step="mid",
            )  # fmt: skip
            axes.plot(step, estimates_of(middle), color=colour, drawstyle="steps-mid")
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
    lambda here: here.answer.rows(COURSE),
)


def _recognised(here: RevealView[Steps]) -> Paragraph:
    rounds, people, median, mean = (
        here.answer.row(quantity).estimate for quantity in OF_RECOGNITION
    )
    return Paragraph(
        f"Recognised rounds have their step of recognition at {number(mean, 1)} on "
        f"average (median {number(median, 1)}); {percent(rounds)} "
        f"of them lie between the {EARLY_STEP}th and the {LATE_STEP}th step, and so does the "
        f"average of {percent(people)} of the participants."
    )


def draw_steps(here: RevealView[Steps]) -> Figure:
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


def _draw_recognition(axes: Axes, here: RevealView[Steps], method: str) -> None:
    colour = here.methods.look(method)[0]
    rows, base = (
        here.answer.rows(REACHED, method=name) for name in (method, here.methods.reference)
    )
    x = levels_of("step", rows)
    draw_band(axes, colour, "step", rows, alpha=0.13)
    if method != here.methods.reference:
        axes.plot(x, estimates_of(base), color=SOFT, linewidth=0.8)
    axes.plot(x, estimates_of(rows), color=colour)
    by_model = here.whole.of(MODELS).rows(MODELLED, method=method)
    axes.plot(
        levels_of("step", by_model), estimates_of(by_model), "o",
        color=colour, markersize=3, markerfacecolor="white", markeredgewidth=0.8,
    )  # fmt: skip
    axes.set_title(here.methods.panel_name(method))
    axes.set_ylim(0, 1.02)
    percent_axis(axes.yaxis)


def draw_distribution(here: RevealView[Steps]) -> Figure:
    """Return at which step the recognised rounds were recognised."""
    steps = here.people.steps
    with figure_style():
        figure, axes = subplots(figsize=(WIDTH_IN, 2.2), layout="constrained")
        for method in here.methods.all:
            counts = [row.count for row in here.answer.rows(HAZARD, method=method)]
            shares = [n / max(sum(counts), 1) for n in counts]
            draw_line(axes, here.methods, method, range(1, steps + 1), shares)
        axes.axvspan(EARLY_STEP, LATE_STEP, color=FAINT, alpha=0.5, linewidth=0, zorder=0)
        axes.set_ylim(bottom=0)
        axes.set_ylabel("recognised rounds")
        percent_axis(axes.yaxis)
        _steps_axis(axes, steps, most=15)
        draw_legend(figure, axes)
    return figure


def _steps_caption(here: RevealView[Steps]) -> str:
    by_model = here.whole.of(MODELS).rows(MODELLED)
    markers = ", and the discrete-time model (markers)" if by_model else ""
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
    "Step of recognition, as share of a method’s recognised rounds; shaded: steps "
    f"{EARLY_STEP} to {LATE_STEP}.",
    "One line a method: share of rounds by step of recognition",
    draw_distribution,
    lambda here: here.answer.row(PEOPLE_BETWEEN).n,
)


def _headline(answer: Steps, whole: Whole) -> list[str]:
    """Return how often images were named in time, and how methods differ in it."""
    methods, data = methods_of(whole), whole.frame.data
    parts = [
        f"{methods.name(row.of['method'])} {percent(row.estimate)}"
        for row in whole.of(AVERAGES).rows(RATE)
    ]
    often = (
        f"{counted(data, NOUN)} saw "
        f"{count(data.trials, 'round')} and named the image in time with {listed(parts)}."
    )
    return [often, *_differences(answer, whole), *_at_the_ends(answer)]


def _differences(answer: Steps, whole: Whole) -> list[str]:
    """Return the methods' differences to the reference by means, the model's beside them."""
    methods, pairs = methods_of(whole), whole.of(PAIRS)
    by_model = bool(pairs.rows(RECOGNISED_LESS, by=MODEL))
    general = bool(answer.rows(GENERAL))
    asked = rules_of(whole).analysis.primary_test
    by = MEANS if general else used(asked, by_model)
    why = answer.unvarying.words("participants", "images")
    parts = []
    for row in pairs.rows(RECOGNISED_LESS, against=methods.reference, by=pairs.means):
        if row.estimate is None:
            continue
        method = row.of["method"]
        model = pairs.row(RECOGNISED_LESS, **{**row.of, "by": MODEL}) if by_model else None
        other = ""
        if model is not None:
            beside_it = beside(row, model, points, why, by=MEANS if by == MODEL else MODEL)
            other = f" ({beside_it})"
            why = "" if apart(row, model) else why
        if general:
            beyond = answer.row(GENERAL, method=method)
            limits = with_limits(beyond.adjusted_low, beyond.adjusted_high, points).strip()
            noun = called(whole.frame.data, NOUN)
            other = f" (for {noun}s in general {limits or 'not known'})"
        decided = row if by == MEANS or model is None else model
        parts.append(f"{methods.name(method)} {corrected(decided, points)}{other}")
    if not parts:
        return []
    decided_rows = pairs.rows(RECOGNISED_LESS, by=MODEL if by == MODEL else pairs.means)
    alike = equivalence_sentence(decided_rows, methods.all, methods.name)
    return [*_compared(parts, by, general, whole), *alike]


def _compared(differences: Sequence[str], by: str, general: bool, whole: Whole) -> list[str]:
    methods, people = methods_of(whole), whole.frame.data.participants
    noun = called(whole.frame.data, NOUN)
    who = f"For {these_people(people, noun)}, compared" if general else "Compared"
    return [
        f"{who} with {methods.name(methods.reference)}, in points of recognition by the last "
        f"step: {listed(differences)}{family_words(len(methods.all), by)}.",
        *([why_wide(people, noun, "image")] if general else []),
    ]


def _at_the_ends(answer: Steps) -> list[str]:
    """Return what can't be said if nobody recognised an image, or everybody did at once."""
    rows = answer.rows(HAZARD)
    if not any(row.count for row in rows):
        return ["No round was recognised, so how much recognition needs can’t be said."]
    if any(row.count for row in rows if row.of["step"] != "1"):
        return []
    return [
        "All recognised rounds were recognised at the first step: whether less would have been "
        "enough, and with which method, can’t be said."
    ]


STEPS = Question(
    id="steps",
    title="Recognition step by step",
    answer=Steps,
    quantities=(COURSE, *OF_RECOGNITION, HAZARD, REACHED, MEAN_STEPS, GENERAL),
    compute=compute,
    parts=(COURSES, RECOGNITION, _recognised, DISTRIBUTION, TABLE),
    view=RevealView,
    headline=_headline,
    registered=lambda _: Promise(
        "Product-limit estimate of recognition by step, and differences between methods in "
        "recognition by the last step, over participants and images. The headline gives them "
        "first, the model's beside them.",
    ),
)
"""Recognition step by step."""
