"""Figures of what leads saw, drawn from the pack's plates."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyBboxPatch, Rectangle

from analysis.report.declared import ReportFigure
from analysis.report.plan import SectionPlan
from analysis.report.seen import LABEL_IN, Pixels, drawable, grid, name_row, no_pictures, note, show
from analysis.report.style import WIDTH_IN, figure_style, subplots
from analysis.report.wording import number
from analysis.studies.accept_reject.seen import LARGE_PX, SMALL_PX, background
from analysis.studies.accept_reject.words import solver_words

Results = Mapping[str, Any]

_SCREEN = (16.0, 10.0)
"""Width and height of a drawn screen, in units of its own."""
_PLATE = 7.2
_MIDDLE = (8.0, 5.6)
_GAP = 0.22
_ABREAST = 5
"""Plates side by side at most: with more of them contours are too small to be seen."""


def sequence_figure(results: Results) -> Figure:
    """Return a trial's screens: fixation, then the plate without and with its explanation."""
    sequence, rules = results["seen"]["sequence"], results["protocol"]["trial"]
    stays = _stays(rules)
    screens = (
        (f"Fixation\n{number(rules['fixation_s'], 1)} s", None),
        (f"Run without explanations\n{stays}", "without"),
        (f"Run with explanations\n{stays}", "with"),
    )
    with figure_style():
        figure, panels = subplots(1, 3, figsize=(WIDTH_IN, 1.85), layout="constrained")
        for axes, (title, way) in zip(panels, screens, strict=True):
            _screen(axes, results)
            axes.set_title(title, fontsize=7.5, fontweight="normal", loc="left")
            if way is None:
                _fixation(axes, results)
                continue
            _plate(axes, results["pictures"][sequence[way], LARGE_PX])
            _solution(axes, results, sequence["label"])
            _keys(axes, results)
    return figure


def example_figure(results: Results) -> Figure:
    """Return explained plates: a column a digit, a row for each who explained.

    More digits than stand side by side go on in a block below.
    """
    examples, images = results["seen"]["examples"], results["pictures"]
    digits = list(dict.fromkeys(row["digit"] for row in examples))
    ways = sorted(
        {(row["solver"], row["method"]) for row in examples},
        key=lambda way: (way[0] != "S", way[1]),
    )
    of = {(row["digit"], row["solver"], row["method"]): row for row in examples}
    across = min(len(digits), _ABREAST)
    blocks = [digits[start : start + across] for start in range(0, len(digits), across)]
    lines = [*[1.0] * len(ways), _GAP]
    cell = (WIDTH_IN - LABEL_IN) / _ABREAST
    with figure_style():
        figure, panels = grid((lines * len(blocks))[:-1], across, cell, 0.25)
        for nth, block in enumerate(blocks):
            rows = panels[nth * len(lines) :]
            for axes, digit in zip(rows[0], block, strict=False):
                axes.set_title(digit, fontsize=8, loc="center")
            for line, way in zip(rows, ways, strict=False):
                name_row(line[0], _name(way, results))
                for axes, digit in zip(line, block, strict=False):
                    row = of.get((digit, *way))
                    if row is None:
                        continue
                    show(axes, images[row["presentation"], SMALL_PX])
                    if row["label"] != digit:
                        note(axes, f"solved as {row['label'].replace('_', ' ')}")
    return figure


def _stays(rules: Mapping[str, Any]) -> str:
    if rules["cutoff_mode"] == "visible":
        return f"{number(rules['cutoff_s'], 1)} s"
    return f"until the answer, {number(rules['limit_s'], 0)} s at most"


def _screen(axes: Axes, results: Results) -> None:
    axes.set(xticks=[], yticks=[], xlim=(0, _SCREEN[0]), ylim=(0, _SCREEN[1]), aspect="equal")
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.set_facecolor(background(results))


def _towards_white(results: Results, part: float) -> np.ndarray:
    """Return the ground's colour mixed with white, as the screens do."""
    return (1 - part) * background(results) + part


def _fixation(axes: Axes, results: Results) -> None:
    """Draw the bull's eye with a cross hair that holds the eyes."""
    light, ground = _towards_white(results, 0.86), background(results)
    x, y = _MIDDLE
    axes.add_patch(Circle(_MIDDLE, 0.42, color=light, linewidth=0))
    for wide, high in ((0.84, 0.17), (0.17, 0.84)):
        corner = (x - wide / 2, y - high / 2)
        axes.add_patch(Rectangle(corner, wide, high, facecolor=ground, edgecolor="none"))
    axes.add_patch(Circle(_MIDDLE, 0.09, color=light, linewidth=0))


def _plate(axes: Axes, pixels: Pixels) -> None:
    x, y, half = *_MIDDLE, _PLATE / 2
    axes.imshow(
        pixels, extent=(x - half, x + half, y - half, y + half), interpolation="antialiased"
    )
    axes.set(xlim=(0, _SCREEN[0]), ylim=(0, _SCREEN[1]))


def _solution(axes: Axes, results: Results, label: str) -> None:
    across = (_MIDDLE[0] + _PLATE / 2 + _SCREEN[0]) / 2
    for text, up, size, part in (("Solution", 1.2, 6, 0.58), (label, 0, 12, 1.0)):
        colour = _towards_white(results, part)
        axes.text(across, _MIDDLE[1] + up, text, color=colour, fontsize=size, ha="center",
                  va="center", fontweight="bold" if size > 6 else "normal")  # fmt: skip


def _keys(axes: Axes, results: Results) -> None:
    """Draw the answer keys below the plate; which of them accepts is each lead's own."""
    session = results["protocol"]["session"]
    mouse = session["device"] == "mouse"
    keys = ("left", "right") if mouse else (session["left_key"], session["right_key"])
    for key, word, across in zip(keys, ("Accept", "Reject"), (4.6, 11.4), strict=True):
        cap = key if mouse else key.upper()
        colour = _towards_white(results, 0.86)
        wide = 0.9 + 0.34 * (len(cap) - 1)
        left = across - (wide + 2.0) / 2
        axes.add_patch(
            FancyBboxPatch((left, 0.5), wide, 0.9, boxstyle="round,pad=0,rounding_size=0.15",
                           facecolor="none", edgecolor=colour, linewidth=0.6)
        )  # fmt: skip
        axes.text(left + wide / 2, 0.92, cap, color=colour, fontsize=5.5, ha="center", va="center")
        axes.text(left + wide + 0.3, 0.92, word, color=colour, fontsize=6, ha="left", va="center")


def _name(way: tuple[str, str], results: Results) -> str:
    """Return who explained and how, a word or two a line."""
    solver, method = way
    name = solver_words(results["data"])[solver].replace("simulated ", "simulated\n")
    return f"{name}\n{method}".strip()


SEEN = SectionPlan(
    "What leads saw",
    (
        ReportFigure(
            "trial",
            "A trial, drawn from the pack on an assumed sRGB display: fixation, then one plate "
            "with its solution in the run without and in the run with explanations. The lead "
            "answers with one of the keys below; which of them accepts is drawn for each lead. "
            "Colours stand for a measured display’s and don’t show what a lead could read.",
            "Three drawn screens: fixation, a plate without and with its explanation",
            sequence_figure,
            lambda results: drawable(results) and results["seen"]["sequence"],
        ),
        ReportFigure(
            "explained_plates",
            "Explained plates by digit and by who explained: of each digit the plate of which most "
            "explanations are in the pack. A note says where the solution isn’t the plate’s digit.",
            "Rows of plates with contours, a column for each digit",
            example_figure,
            lambda results: drawable(results) and results["seen"]["examples"],
        ),
        no_pictures,
    ),
)
