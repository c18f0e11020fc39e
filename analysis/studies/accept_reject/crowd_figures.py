"""Figures for more leads than a page can name: distributions instead of names."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from analysis.report.style import INK, SOFT, WIDTH_IN, figure_style, points_axis, subplots
from analysis.report.wording import grouped
from analysis.studies.accept_reject.words import ODD_OUTCOMES, SOLVER_COLOUR, solver_title

Results = Mapping[str, Any]
Row = Mapping[str, Any]

_GAIN_EDGES = np.linspace(-1.05, 1.05, 22)  # 10 points a bar, one of them centred on zero
_SHARE_EDGES = np.linspace(-0.025, 1.025, 22)


def usefulness_crowd(results: Mapping[str, Any]) -> Figure:
    """Return how usefulness is distributed over leads, for S and for E."""
    rows = results["participants"]
    odd = np.array([row["outcome"] in ODD_OUTCOMES for row in rows])
    with figure_style():
        figure, panels = subplots(
            1, 2, figsize=(WIDTH_IN, 2.7), sharey=True, sharex=True, layout="constrained"
        )
        for axes, solver in zip(panels, ("S", "E"), strict=True):
            gains = np.array([_gain(row, solver) for row in rows], dtype=float)
            known = np.isfinite(gains)
            _stacked(axes, gains[known], odd[known], _GAIN_EDGES, SOLVER_COLOUR[solver])
            axes.axvline(0, color=SOFT, linewidth=0.7)
            axes.set_title(
                f"{solver_title(solver, results['data'])}, {grouped(int(known.sum()))} leads"
            )
            axes.set_xlabel("usefulness (percentage points)")
            points_axis(axes.xaxis)
            axes.legend(loc="upper left", fontsize=7, handlelength=1.2)
        panels[0].set_ylabel("leads")
        panels[0].set_ylim(top=1.3 * panels[0].get_ylim()[1])  # room for the legend
        panels[0].yaxis.set_major_locator(MaxNLocator(integer=True))
        _fit_to(panels[0], rows)
    return figure


def contour_crowd(rows: Sequence[Row]) -> Figure:
    """Return how accepting plates without a numeral is distributed over leads."""
    flagged = np.array([row["flagged"] for row in rows])
    shares = np.array([row["contour"]["with"]["rate"] for row in rows], dtype=float)
    with figure_style():
        figure, axes = subplots(figsize=(WIDTH_IN, 2.5), layout="constrained")
        counts = [
            np.histogram(part, _SHARE_EDGES)[0] for part in (shares[~flagged], shares[flagged])
        ]
        middle = (_SHARE_EDGES[:-1] + _SHARE_EDGES[1:]) / 2
        names = ("other leads", "accept from the explanation")
        for count, colour, base, name in zip(
            counts, ("#c9c9c9", INK), (0, counts[0]), names, strict=True
        ):
            axes.bar(
                middle,
                count,
                0.045,
                base,
                color=colour,
                label=f"{name} ({grouped(int(count.sum()))})",
            )
        axes.xaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_xlabel("plates without a numeral, with a digit-shaped contour, that were accepted")
        axes.set_ylabel("leads")
        axes.legend(fontsize=7.5)
    return figure


def _stacked(
    axes: Axes, values: np.ndarray, odd: np.ndarray, edges: np.ndarray, colour: str
) -> None:
    middle = (edges[:-1] + edges[1:]) / 2
    width = 0.9 * (edges[1] - edges[0])
    plain, other = (np.histogram(part, edges)[0] for part in (values[~odd], values[odd]))
    axes.bar(middle, plain, width, color=colour, label="answers from the plate")
    axes.bar(
        middle,
        other,
        width,
        bottom=plain,
        facecolor="white",
        edgecolor=INK,
        linewidth=0.5,
        hatch="/////",
        label="not from the plate",
    )


def _fit_to(axes: Axes, rows: Sequence[Row]) -> None:
    """Show the range in which leads lie, zero and a margin included."""
    gains = [_gain(row, solver) for row in rows for solver in ("S", "E")]
    known = [gain for gain in gains if gain is not None]
    low, high = min([*known, 0.0]), max([*known, 0.0])
    axes.set_xlim(max(low - 0.1, -1.05), min(high + 0.1, 1.05))


def _gain(row: Row, solver: str) -> float | None:
    return next(
        part["estimate"]
        for part in row["usefulness"]
        if part["solver"] == solver and not part["net"]
    )
