"""Figures of what was shown, drawn from the pack's pictures."""

from collections.abc import Mapping
from typing import Any

from matplotlib.figure import Figure

from analysis.report.declared import ReportFigure
from analysis.report.plan import SectionPlan
from analysis.report.seen import LABEL_IN, drawable, grid, name_row, no_pictures, note, show
from analysis.report.style import WIDTH_IN, figure_style
from analysis.report.wording import count, number, percent
from analysis.studies.progressive_reveal.figures import rows_of
from analysis.studies.progressive_reveal.words import panel_name

Results = Mapping[str, Any]

_GAP = 0.25


def reveal_figure(results: Results) -> Figure:
    """Return how each method uncovers two images: a row a method, a column a step."""
    methods, reveals = results["data"]["methods"], results["seen"]["reveals"]
    steps = [row["step"] for row in rows_of(reveals[0]["rows"], methods[0])]
    columns, block = len(steps) + 1, [*[1.0] * len(methods), _GAP]
    cell = (WIDTH_IN - LABEL_IN) / columns
    with figure_style():
        figure, panels = grid((block * len(reveals))[:-1], columns, cell, 0.3)
        for nth, one in enumerate(reveals):
            for m, method in enumerate(methods):
                line = panels[nth * len(block) + m]
                name_row(line[0], panel_name(method, results["data"]))
                for axes, row in zip(line, rows_of(one["rows"], method), strict=False):
                    show(axes, results["pictures"][one["item"], method, row["step"]])
                    note(axes, percent(row["share"], 1))
                if not m:
                    show(line[-1], results["pictures"][one["item"], "", 0])
                    line[-1].set_title(one["name"], fontsize=7.5, fontweight="normal", loc="center")
        for axes, step in zip(panels[0], steps, strict=False):
            axes.set_title(f"step {step}", fontsize=8, loc="center")
    return figure


def example_figure(results: Results) -> Figure:
    """Return images as far as each method uncovered them on average: a row a class."""
    methods, examples = results["data"]["methods"], results["seen"]["examples"]
    cell = min((WIDTH_IN - LABEL_IN) / (len(methods) + 1), 1.05)
    with figure_style():
        figure, panels = grid([1.0] * len(examples), len(methods) + 1, cell, 0.4)
        for line, one in zip(panels, examples, strict=True):
            name_row(line[0], one["name"])
            show(line[0], results["pictures"][one["item"], "", 0])
            for axes, method in zip(line[1:], methods, strict=True):
                (row,) = rows_of(one["rows"], method)
                show(axes, results["pictures"][one["item"], method, row["step"]])
                note(axes, f"{percent(row['share'], 1)}, {row['recognised']} of {row['n']}")
        titles = ["whole", *(panel_name(m, results["data"]) for m in methods)]
        for axes, title in zip(panels[0], titles, strict=True):
            axes.set_title(title, fontsize=8, loc="center")
    return figure


def _reveal_caption(results: Results) -> str:
    reveal = results["protocol"]["reveal"]
    return (
        f"How the methods uncover images, at some of the {count(results['data']['steps'], 'step')} "
        f"of {number(reveal['step_s'], 1)} s, and the whole image "
        "(Figure 5 of the paper). Ordered by what the reference uncovers in the end, about a "
        "quarter of the images lies below the first, a quarter above the second. In the corner: "
        "share of the image uncovered by then."
    )


def _example_caption(results: Results) -> str:
    seen = results["seen"]
    shown, there = len(seen["examples"]), seen["classes"]
    which = (
        f"The {shown} of {there} classes in which methods differ most"
        if shown < there
        else "Each class"
    )
    return (
        f"{which}: the image on which average uncovered shares differ most between methods, whole "
        "and as far as each method had uncovered it on average when a completed round ended "
        "(Figures 10 and 11 of the paper). In the corner: the average share, and how many rounds "
        "were recognised. The images are chosen for their differences: they show what methods "
        "do, not how often."
    )


SEEN = SectionPlan(
    "What was shown",
    (
        ReportFigure(
            "reveals",
            _reveal_caption,
            "Rows of pictures: two images uncovered step by step, a row for each method",
            reveal_figure,
            lambda results: drawable(results) and results["seen"]["reveals"],
        ),
        ReportFigure(
            "examples",
            _example_caption,
            "Rows of pictures: a class each, whole and as uncovered on average by each method",
            example_figure,
            lambda results: drawable(results) and results["seen"]["examples"],
        ),
        no_pictures,
    ),
)
