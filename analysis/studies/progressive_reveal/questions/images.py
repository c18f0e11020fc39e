"""Image by image and class by class: which method uncovers least (Table IV, Figure 10)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.questions.question import Lacking, Question
from analysis.report.about import about
from analysis.report.declared import ReportFigure, ReportTable, as_mapping, changes, spelled
from analysis.report.parts import Column
from analysis.report.style import INK, SOFT, WIDTH_IN, figure_style, subplots
from analysis.report.wording import NOTHING, grouped, percent
from analysis.statistics.proportions import LEVEL
from analysis.studies.progressive_reveal.data import RevealData
from analysis.studies.progressive_reveal.images import (
    ClassAverage,
    ImageAverage,
    LowestCounts,
    class_averages,
    lowest_counts,
)
from analysis.studies.progressive_reveal.questions.participants import Shown
from analysis.studies.progressive_reveal.words import (
    METHOD_COLUMN,
    READING_WORDS,
    named,
    percent_axis,
)


@dataclass(frozen=True, slots=True)
class Images:
    """Which method uncovers least, image by image and class by class."""

    lowest: Annotated[
        tuple[LowestCounts, ...], about("On how many images each method uncovers least.")
    ]
    by_class: Annotated[tuple[ClassAverage, ...], about("Averages by class and method.")]
    by_image: Annotated[tuple[ImageAverage, ...], about("Averages by image and method.")]


def compute(data: RevealData) -> Images:
    """Return Table IV, and the averages of each class and each image."""
    table, plan = data.table, data.plan
    return Images(lowest_counts(table, plan), class_averages(table, plan), data.images)


def _clearly_without(row: LowestCounts) -> str:
    return NOTHING if row.without_reference is None else grouped(row.without_clear)


TABLE4 = ReportTable(
    "table4",
    "answer.lowest",
    "Images on which a method uncovers least on average.",
    named(
        Column("Reading", spelled("reading", READING_WORDS)),
        METHOD_COLUMN,
        Column("Lowest", "images", grouped, "images"),
        Column("Clearly", "clear", grouped, "images"),
        Column("Lowest without the reference", "without_reference", grouped, "images"),
        Column("Clearly", _clearly_without, str, "images"),
        Column(
            "Compared",
            lambda row: f"{grouped(row.compared)} ({grouped(row.compared_without)})",
            str,
            "images",
        ),
    ),
    (
        "Table IV of the paper. Clearly: lowest in at least "
        f"{percent(LEVEL)} of the draws of participants; the others "
        "are partly luck. An image counts where every compared method was seen; equal averages "
        "count for none."
    ),
    strong=changes("reading"),
    row_headers=2,
)


def _with_class(row: ClassAverage | ImageAverage) -> Mapping[str, Any]:
    """Return a row by the columns of its file, in which the class is ``class``."""
    names = {"image_class": "class"}
    return {names.get(name, name): value for name, value in as_mapping(row).items()}


CLASSES = ReportTable("classes", lambda here: list(map(_with_class, here.answer.by_class)))
IMAGES_FILE = ReportTable("images", lambda here: list(map(_with_class, here.answer.by_image)))


def draw(here: Shown[Images]) -> Figure:
    """Return each class's average share by method (Figure 10) as shades with their numbers."""
    methods, rows = here.methods.all, here.answer.by_class
    names = list(dict.fromkeys(row.image_class for row in rows))
    values = {(row.image_class, row.method): row for row in rows}
    shares = np.array(
        [[values[name, method].share for method in methods] for name in names], dtype=float
    )
    order = np.argsort(np.nanmean(shares, axis=1))
    with figure_style():
        figure, axes = subplots(figsize=(WIDTH_IN, 0.9 + 0.24 * len(names)), layout="constrained")
        top = float(np.nanmax(shares)) if np.isfinite(shares).any() else 1.0
        image = axes.imshow(shares[order], aspect="auto", cmap="Greys", vmin=0, vmax=1.25 * top)
        for y, place in enumerate(order):
            for x, method in enumerate(methods):
                _write_cell(axes, (x, y), values[names[place], method], 1.25 * top)
        axes.set_xticks(range(len(methods)), [here.methods.name(method) for method in methods])
        axes.xaxis.tick_top()
        axes.set_yticks(range(len(names)), [names[place] for place in order])
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        bar = figure.colorbar(image, ax=axes, fraction=0.03, pad=0.02)
        percent_axis(bar.ax.yaxis)
        bar.outline.set_visible(False)
        bar.set_label("share uncovered")
    return figure


def _write_cell(axes: Axes, place: tuple[int, int], row: ClassAverage, top: float) -> None:
    if row.share is None or row.recognition_rate is None:
        axes.text(*place, "–", ha="center", va="center", color=SOFT, fontsize=7.5)
        return
    colour = "white" if row.share > 0.6 * top else INK
    said = f"{100 * row.share:.1f} %   ({100 * row.recognition_rate:.0f} % recognised)"
    axes.text(*place, said, ha="center", va="center", color=colour, fontsize=7)


FIGURE = ReportFigure(
    "classes",
    "Method × class: average share of the image uncovered in completed rounds, "
    "unrecognised ones with their last pixels, and the recognition rate. Darker is more; "
    "the easiest class is first. Intervals are in tables/classes.csv.",
    "A table of shades, classes by methods",
    draw,
    lambda here: sum(row.share is not None for row in here.answer.by_class) > 1,
)


def _lacking(_: RevealData, found: Images | None) -> list[Lacking]:
    assert found is not None
    if found.lowest and found.lowest[0].compared:
        return []
    return [Lacking("Table IV", "no image was seen by every method in completed rounds")]


IMAGES = Question(
    id="images",
    title="Images and classes",
    answer=Images,
    compute=compute,
    parts=(TABLE4, FIGURE, CLASSES, IMAGES_FILE),
    view=Shown,
    lacking=_lacking,
)
"""Which method uncovers least, image by image and class by class."""
