"""The report's section that compares S's explanation methods."""

from collections.abc import Mapping
from typing import Any

from matplotlib.figure import Figure

from analysis.report.declared import ReportFigure, ReportTable, Results, some
from analysis.report.parts import Column, Paragraph, limits
from analysis.report.plan import SectionPlan
from analysis.report.style import (
    BLUE,
    INK,
    SOFT,
    WIDTH_IN,
    draw_estimate,
    figure_style,
    points_axis,
    subplots,
)
from analysis.report.wording import grouped, p_value, percent, points, rounded
from analysis.studies.accept_reject.words import N_COLUMN, granted
from stimuli.method_names import method_title

Row = Mapping[str, Any]

DESIGN_WORDS: Mapping[str, str] = {
    "between": "The methods were shown to different leads: their difference is one of groups, and "
    "holds as far as the groups are alike but for the method.",
    "within": "Every lead saw all methods: in a difference the solutions without explanation, "
    "which are the same, fall out.",
    "mixed": "Some leads saw several methods, others one; differences are partly between leads.",
}
_STEP_IN = 0.24


def _said(results: Results) -> Paragraph:
    text = (
        "Usefulness of S’s explanations by the method that made them: acceptance of S’s solutions "
        "with explanations of this method, less that of S’s solutions without by the same leads."
    )
    return Paragraph(f"{text} {DESIGN_WORDS[results['explainers']['design']]}")


def _pair(row: Row) -> str:
    return f"{method_title(row['first'])} less {method_title(row['second'])}"


_METHODS = ReportTable(
    "explanation_methods",
    some("explainers.methods"),
    lambda results: f"Usefulness by explanation method: acceptance {granted(results['data'])}.",
    (
        Column("Method", lambda row: method_title(row["method"])),
        Column("Leads", "leads", grouped, "n"),
        Column("Without", "without", rounded(percent, 1), "accepted"),
        Column("With", "with", rounded(percent, 1), "accepted"),
        Column("Usefulness", "estimate", points, "percentage points"),
        limits(points),
        N_COLUMN,
    ),
)
_PAIRS = ReportTable(
    "explanation_method_pairs",
    some("explainers.pairs"),
    "Differences of usefulness between explanation methods.",
    (
        Column("Methods", _pair),
        Column("Difference", "estimate", points, "percentage points"),
        limits(points),
        Column("p", "p", p_value),
        Column("p", "p_holm", p_value, "Holm"),
        Column("Leads of both", "leads_of_both", grouped, "n"),
    ),
    lambda results: (
        "Intervals are not adjusted; the second p is, by Holm, over all pairs."
        if len(results["explainers"]["pairs"]) > 1
        else ""
    ),
)
EXPLAINERS = SectionPlan(
    "Explanation methods",
    (
        _said,
        _METHODS,
        ReportFigure(
            "explanation_methods",
            "Usefulness of each explanation method (filled) and differences of pairs, first less "
            "second (hollow), with 95 % intervals.",
            "Dots and intervals of usefulness by explanation method, and of their differences",
            lambda results: methods_figure(results["explainers"]),
        ),
        _PAIRS,
    ),
    "explainers.methods",
)
"""Usefulness by method, where there are several."""


def methods_figure(found: Row) -> Figure:
    """Dots and intervals of methods, and of pairs below."""
    rows = [(method_title(row["method"]), row, False) for row in found["methods"]]
    rows += [(_pair(row), row, True) for row in found["pairs"]]
    height = 0.9 + _STEP_IN * len(rows)
    with figure_style():
        figure, axes = subplots(figsize=(WIDTH_IN, height), layout="constrained")
        for place, (_, row, hollow) in enumerate(rows):
            look = (INK, "D", True) if hollow else (BLUE, "o", False)
            draw_estimate(axes, row, place, *look)
        axes.axhline(len(found["methods"]) - 0.5, color=SOFT, linewidth=0.5)
        axes.axvline(0, color=SOFT, linewidth=0.7, zorder=0)
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_yticks(range(len(rows)), [name for name, _, _ in rows], fontsize=7.8)
        axes.spines["left"].set_visible(False)
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel("usefulness, or difference of usefulness (percentage points)")
        points_axis(axes.xaxis)
    return figure
