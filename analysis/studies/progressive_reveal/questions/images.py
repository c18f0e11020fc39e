"""Image by image and class by class: which method uncovers least (Table IV, Figure 10)."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.questions.estimates import EstimateRow, Estimates, Quantity
from analysis.questions.pivot import Wide, level_of, pivot, value_of
from analysis.questions.question import Lacking, Question
from analysis.report.declared import ReportFigure, changes
from analysis.report.parts import Column
from analysis.report.style import INK, SOFT, WIDTH_IN, figure_style, subplots
from analysis.report.wording import grouped, percent
from analysis.statistics.proportions import LEVEL
from analysis.studies.progressive_reveal.data import RevealData
from analysis.studies.progressive_reveal.images import (
    ALL,
    CLEAR,
    LOWEST,
    OTHERS,
    STEP,
    class_averages,
    lowest_counts,
)
from analysis.studies.progressive_reveal.quantities import RATE, SHARE
from analysis.studies.progressive_reveal.questions.participants import RevealView
from analysis.studies.progressive_reveal.words import (
    METHOD_COLUMN,
    READING_WORDS,
    named,
    percent_axis,
)


def compute(data: RevealData) -> Estimates:
    """Return Table IV, and the averages of each class and each image."""
    table, plan = data.table, data.plan
    return Estimates((*lowest_counts(table, plan), *class_averages(table, plan), *data.images))


def _compared(row: Wide) -> str:
    every, others = row[f"{LOWEST.id}/{ALL}.n"], row[f"{LOWEST.id}/{OTHERS}.n"]
    return f"{grouped(every)} ({grouped(others)})"


TABLE4 = pivot(
    "Images on which a method uncovers least on average.",
    named(
        level_of("reading", "Reading", READING_WORDS.__getitem__),
        METHOD_COLUMN,
        value_of(LOWEST, ALL),
        value_of(CLEAR, ALL),
        value_of(LOWEST, OTHERS, "Lowest without the reference"),
        value_of(CLEAR, OTHERS),
        Column("Compared", _compared, str, "images"),
    ),
    by=("reading", "method"),
    over="among",
    of=lambda here: here.answer.rows(LOWEST, CLEAR),
    note="Table IV of the paper. Clearly: lowest in at least "
    f"{percent(LEVEL)} of the draws of participants; the others "
    "are partly luck. An image counts where every compared method was seen; equal averages "
    "count for none.",
    strong=changes("reading"),
    row_headers=2,
)


def _by_class(
    here: RevealView[Estimates], quantity: Quantity
) -> dict[tuple[str, str], EstimateRow]:
    rows = (row for row in here.answer.rows(quantity) if "class" in row.of)
    return {(row.of["class"], row.of["method"]): row for row in rows}


def draw(here: RevealView[Estimates]) -> Figure:
    """Return each class's average share by method (Figure 10) as shades with their numbers."""
    methods, values, rates = here.methods.all, _by_class(here, SHARE), _by_class(here, RATE)
    names = list(dict.fromkeys(name for name, _ in values))
    shares = np.array(
        [[values[name, method].estimate for method in methods] for name in names], dtype=float
    )
    order = np.argsort(np.nanmean(shares, axis=1))
    with figure_style():
        figure, axes = subplots(figsize=(WIDTH_IN, 0.9 + 0.24 * len(names)), layout="constrained")
        top = float(np.nanmax(shares)) if np.isfinite(shares).any() else 1.0
        image = axes.imshow(shares[order], aspect="auto", cmap="Greys", vmin=0, vmax=1.25 * top)
        for y, place in enumerate(order):
            for x, method in enumerate(methods):
                cell = names[place], method
                _write_cell(axes, (x, y), values[cell], rates[cell], 1.25 * top)
        axes.set_xticks(
            range(len(methods)), [here.methods.panel_name(method) for method in methods]
        )
        axes.xaxis.tick_top()
        axes.set_yticks(range(len(names)), [names[place] for place in order])
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        bar = figure.colorbar(image, ax=axes, fraction=0.03, pad=0.02)
        percent_axis(bar.ax.yaxis)
        bar.outline.set_visible(False)
        bar.set_label("share uncovered")
    return figure


def _write_cell(
    axes: Axes, place: tuple[int, int], share: EstimateRow, rate: EstimateRow, top: float
) -> None:
    if share.estimate is None or rate.estimate is None:
        axes.text(*place, "–", ha="center", va="center", color=SOFT, fontsize=7.5)
        return
    colour = "white" if share.estimate > 0.6 * top else INK
    text = f"{percent(share.estimate, 1)}   ({percent(rate.estimate)} recognised)"
    axes.text(*place, text, ha="center", va="center", color=colour, fontsize=7)


FIGURE = ReportFigure(
    "classes",
    "Method × class: average share of the image uncovered in completed rounds, "
    "unrecognised ones with their last pixels, and the recognition rate. Darker is more; "
    "the easiest class is first. Intervals are in tables/estimates.csv.",
    "A table of shades, classes by methods",
    draw,
    lambda here: sum(row.estimate is not None for row in _by_class(here, SHARE).values()) > 1,
)


def _lacking(_: RevealData, answer: Estimates | None) -> list[Lacking]:
    assert answer is not None
    rows = answer.rows(LOWEST, among=ALL)
    if rows and rows[0].n:
        return []
    return [Lacking("Table IV", "no image was seen by every method in completed rounds")]


IMAGES = Question(
    id="images",
    title="Images and classes",
    answer=Estimates,
    quantities=(LOWEST, CLEAR, SHARE, RATE, STEP),
    compute=compute,
    parts=(TABLE4, FIGURE),
    view=RevealView,
    lacking=_lacking,
)
"""Which method uncovers least, image by image and class by class."""
