"""Figures of what was shown, drawn from the pack's pictures."""

from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.report.declared import ReportFigure
from analysis.report.plan import SectionPlan
from analysis.report.seen import drawable, no_pictures, show
from analysis.report.style import WIDTH_IN, figure_style, subplots
from analysis.report.wording import count, number, percent
from analysis.studies.progressive_reveal.figures import rows_of
from analysis.studies.progressive_reveal.words import method_name

Results = Mapping[str, Any]

_LABEL_IN = 0.9
_NOTE_PT = 6.5


def reveal_figure(results: Results) -> Figure:
    """Return how each method uncovers two images: a row a method, a column a step."""
    methods, reveals = results["data"]["methods"], results["seen"]["reveals"]
    steps = [row["step"] for row in rows_of(reveals[0]["rows"], methods[0])]
    columns, lines = len(steps) + 1, len(methods) * len(reveals)
    cell = (WIDTH_IN - _LABEL_IN) / columns
    with figure_style():
        figure, panels = _grid(lines, columns, cell, 0.55)
        for nth, one in enumerate(reveals):
            for m, method in enumerate(methods):
                line = panels[nth * len(methods) + m]
                _name(line[0], method_name(method, results["data"]))
                for axes, row in zip(line, rows_of(one["rows"], method), strict=False):
                    show(axes, results["pictures"][one["item"], method, row["step"]])
                    _note(axes, percent(row["share"], 1))
                show(line[-1], results["pictures"][one["item"], "", 0] if not m else None)
                if not m:
                    line[-1].set_title(one["name"], fontsize=7.5, fontweight="normal", loc="center")
        for axes, step in zip(panels[0], steps, strict=False):
            axes.set_title(f"step {step}", fontsize=8, loc="center")
    return figure


def example_figure(results: Results) -> Figure:
    """Return images as far as each method uncovered them on average: a row a class."""
    methods, examples = results["data"]["methods"], results["seen"]["examples"]
    cell = min((WIDTH_IN - _LABEL_IN) / (len(methods) + 1), 1.05)
    with figure_style():
        figure, panels = _grid(len(examples), len(methods) + 1, cell, 0.55)
        for line, one in zip(panels, examples, strict=True):
            _name(line[0], one["name"])
            show(line[0], results["pictures"][one["item"], "", 0])
            for axes, method in zip(line[1:], methods, strict=True):
                (row,) = rows_of(one["rows"], method)
                show(axes, results["pictures"][one["item"], method, row["step"]])
                _note(axes, f"{percent(row['share'], 1)}, {row['recognised']} of {row['n']}")
        titles = ["whole", *(method_name(m, results["data"]) for m in methods)]
        for axes, title in zip(panels[0], titles, strict=True):
            axes.set_title(title, fontsize=8, loc="center")
    return figure


def _grid(lines: int, columns: int, cell_in: float, head_in: float) -> tuple[Figure, Any]:
    """Return square panels close together, with room for names on the left and above."""
    width, height = _LABEL_IN + columns * cell_in, head_in + lines * cell_in
    figure, panels = subplots(lines, columns, figsize=(width, height), squeeze=False)
    figure.subplots_adjust(
        left=_LABEL_IN / width, right=0.995, bottom=0.01, top=1 - 0.6 * head_in / height,
        wspace=0.06, hspace=0.06,
    )  # fmt: skip
    return figure, panels


def _name(axes: Axes, text: str) -> None:
    axes.text(
        -0.08, 0.5, text.replace(" ", "\n", 1), transform=axes.transAxes, ha="right", va="center",
        fontsize=8,
    )  # fmt: skip


def _note(axes: Axes, text: str) -> None:
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8, "alpha": 0.85}
    axes.text(
        0.03, 0.03, text, transform=axes.transAxes, fontsize=_NOTE_PT, ha="left", va="bottom",
        bbox=box,
    )  # fmt: skip


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
