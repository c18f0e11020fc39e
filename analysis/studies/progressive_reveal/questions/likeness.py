"""How like the human maps the methods' maps are (Figures 8 and 9)."""

from dataclasses import fields
from typing import Any, Final

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from analysis.questions.question import Found, Lacking, Promise, Question
from analysis.report.declared import ReportFigure, ReportTable
from analysis.report.parts import Column, limits
from analysis.report.style import SOFT, WIDTH_IN, figure_style, subplots
from analysis.report.wording import grouped, number, p_value, percent
from analysis.studies.progressive_reveal.correlations import Likeness, MapLikeness, likeness_of
from analysis.studies.progressive_reveal.data import RevealData
from analysis.studies.progressive_reveal.drawing import rows_of
from analysis.studies.progressive_reveal.questions.participants import Shown
from analysis.studies.progressive_reveal.words import METHOD_COLUMN, named

HISTOGRAM: Final = ("edges", "counts")


def compute(data: RevealData, found: Found) -> Likeness:
    """Return the correlations with the human maps, at the last step and at every one."""
    return likeness_of(data.table, data.dataset.items, data.curves, data.plan.seed)


def _file_rows(here: Shown[Likeness]) -> list[dict[str, Any]]:
    """Return the rows of the file, without the histograms."""
    names = [one.name for one in fields(MapLikeness) if one.name not in HISTOGRAM]
    return [{name: getattr(row, name) for name in names} for row in here.answer.last]


def _columns(here: Shown[Likeness]) -> tuple[Column, ...]:
    weak = number(here.answer.weak, 1)
    efficiency = {row.method: row for row in here.answer.efficiency}

    def with_share(row: MapLikeness) -> str:
        own = efficiency[row.method]
        return f"{number(own.rho)} (p {p_value(own.p)})"

    return named(
        METHOD_COLUMN,
        Column("Mean", "estimate", number, "Spearman"),
        limits(),
        Column("Middle half", lambda row: f"{number(row.q25)} to {number(row.q75)}", str),
        Column(f"Above {weak}", "above", percent),
        Column(f"Within ±{weak}", "near", percent),
        Column(f"Below −{weak}", "below", percent),
        Column("Images", "images", grouped, "n"),
        Column("With needed share", with_share, str, "Spearman"),
    )(here)


TABLE = ReportTable(
    "correlations_last",
    _file_rows,
    lambda here: f"Rank correlation with the {here.methods.human_map} at the last step.",
    _columns,
    "With needed share: over images, whether maps more like that one go with a larger "
    "(positive) or smaller (negative) share uncovered.",
    shown="answer.last",
)
BY_STEP = ReportTable("correlations_steps", "answer.steps")


def draw_last(here: Shown[Likeness]) -> Figure:
    """Return the maps' correlation with the human ones at the last step (Figure 8)."""
    rows = here.answer.last
    with figure_style():
        figure, panels = subplots(
            1, len(rows), figsize=(WIDTH_IN, 2.2), sharex=True, sharey=True, layout="constrained",
            squeeze=False,
        )  # fmt: skip
        for axes, row in zip(panels[0], rows, strict=True):
            axes.bar(
                row.edges[:-1], row.counts, np.diff(row.edges), align="edge",
                color=here.methods.look(row.method)[0], edgecolor="white", linewidth=0.4,
            )  # fmt: skip
            axes.axvline(0, color=SOFT, linewidth=0.8)
            axes.set_title(here.methods.panel_name(row.method))
            axes.set_xlabel(f"Spearman with the\n{here.methods.human_map}")
            axes.set_xlim(-1, 1)
            axes.set_xticks([-0.5, 0, 0.5])
            axes.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=5))
        panels[0][0].set_ylabel("images")
    return figure


LAST_FIGURE = ReportFigure(
    "correlation",
    lambda here: (
        f"Rank correlation of each map with the {here.methods.human_map} of the same "
        "image, at the last step (Figure 8 of the paper)."
    ),
    "One histogram for each method",
    draw_last,
    "answer.last",
)


def draw_steps(here: Shown[Likeness]) -> Figure:
    """Return the maps' correlation with the human ones at every step (Figure 9)."""
    found = here.answer.steps
    methods = [method for method in here.methods.all if rows_of(found, method)]
    with figure_style():
        figure, panels = subplots(
            1, len(methods), figsize=(WIDTH_IN, 2.3), sharey=True, layout="constrained",
            squeeze=False,
        )  # fmt: skip
        for axes, method in zip(panels[0], methods, strict=True):
            rows = rows_of(found, method)
            x = [row.step for row in rows]
            colour = here.methods.look(method)[0]
            for low, high, alpha in (
                ([row.q10 for row in rows], [row.q90 for row in rows], 0.13),
                ([row.q25 for row in rows], [row.q75 for row in rows], 0.2),
            ):
                axes.fill_between(x, low, high, color=colour, alpha=alpha, linewidth=0)
            axes.plot(x, [row.q50 for row in rows], color=colour)
            axes.axhline(0, color=SOFT, linewidth=0.8)
            axes.set_title(here.methods.panel_name(method))
            axes.set_xlabel("step")
            axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=5))
        panels[0][0].set_ylabel(f"Spearman with the\n{here.methods.human_map}")
    return figure


STEPS_FIGURE = ReportFigure(
    "correlation_steps",
    "The same at every step: median over images, middle half and middle 80 % (Figure 9 of "
    "the paper).",
    "One panel for each method: correlation by step",
    draw_steps,
    "answer.steps",
)


def _lacking(data: RevealData, found: Likeness | None) -> list[Lacking]:
    assert found is not None
    rows = []
    if data.curves is None:
        result = (
            "similarity to the reference maps at each step (Figure 9), and exact counts of steps "
            "at which no round ended"
        )
        rows.append(Lacking(result, "there is no table of curves"))
    if not found.last:
        reason = (
            "there is no item table"
            if data.dataset.items is None
            else "there are no reference maps for these maps"
        )
        rows.append(Lacking("similarity to the reference maps (Figure 8)", reason))
    return rows


LIKENESS = Question(
    id="likeness",
    title="Likeness to the reference",
    answer=Likeness,
    compute=compute,
    parts=(LAST_FIGURE, TABLE, STEPS_FIGURE, BY_STEP),
    view=Shown,
    lacking=_lacking,
    registered=lambda _: Promise(
        "secondary", "Rank correlation of each map with the reference map, and recognition."
    ),
)
"""How similar the methods' maps are to the human maps."""
