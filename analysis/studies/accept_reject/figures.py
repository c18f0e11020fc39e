"""Figures of accept_reject, drawn from the results alone."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, PercentFormatter

from analysis.report.listing import MOST_LISTED
from analysis.report.style import (
    FAINT,
    INK,
    SOFT,
    WIDTH_IN,
    draw_estimate,
    figure_style,
    mark_time,
    points_axis,
    subplots,
)
from analysis.report.who import called
from analysis.report.wording import grouped
from analysis.studies.accept_reject.crowd_figures import contour_crowd
from analysis.studies.accept_reject.words import (
    ODD_OUTCOMES,
    SOLVER_COLOUR,
    SOLVER_MARKER,
    lead_name,
    solver_title,
    solver_words,
)

Results = Mapping[str, Any]
Row = Mapping[str, Any]

_STEP = 0.27  # inches a lead
_TICKS_S = (0.5, 1, 2, 3, 5, 10, 20, 30, 60, 120)


def acceptance_figure(results: Results) -> Figure:
    """Acceptance over decision time above, what an explanation adds below; a column a solver.

    The band is that of the difference alone: bands of the two curves overlap long after their
    difference is clear, and hide it.
    """
    cutoff_s, limit_s = results["data"]["cutoff_s"], results["data"]["limit_s"]
    solvers = [s for s in ("S", "E") if any(c["solver"] == s for c in results["curves"])]
    with figure_style():
        figure, panels = subplots(
            2,
            max(len(solvers), 1),
            figsize=(WIDTH_IN, 4.4),
            sharex=True,
            sharey="row",
            squeeze=False,
            layout="constrained",
            height_ratios=(1.25, 1),
        )
        for (above, below), solver in zip(panels.T, solvers, strict=False):
            above.set_title(solver_title(solver, results["data"]))
            for curve in results["curves"]:
                if curve["solver"] == solver:
                    _curve(above, curve)
            for curve in results["curve_differences"]:
                if curve["solver"] == solver:
                    _difference(below, curve)
            mark_time(above, cutoff_s)
            mark_time(below, cutoff_s, label=False)
            below.axhline(0, color=SOFT, linewidth=0.7, zorder=0)
            _time_axis(below, results["curves"], limit_s)
            above.set_ylim(0, 1)
            # Upper left: shares accepted by an early time are low, so nothing lies there.
            above.legend(
                reverse=True, loc="upper left", fontsize=7.2, handlelength=2.2, borderaxespad=0.2
            )
            above.yaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
            points_axis(below.yaxis)
        panels[0, 0].set_ylabel("accepted by then")
        panels[1, 0].set_ylabel("with minus without (points)")
        panels[1, 0].set_ylim(*_difference_limits(results["curve_differences"]))
    return figure


def _curve(axes: Axes, curve: Row) -> None:
    explained = curve["explained"]
    axes.step(
        curve["time_s"],
        curve["rate"],
        where="post",
        color=SOLVER_COLOUR[curve["solver"]],
        linestyle="-" if explained else (0, (4, 1.6)),
        label=f"{'with' if explained else 'without'}, n = {grouped(curve['n'])}",
    )


def _difference(axes: Axes, curve: Row) -> None:
    colour = SOLVER_COLOUR[curve["solver"]]
    low, high = (np.array(curve[name], dtype=float) for name in ("band_low", "band_high"))
    axes.fill_between(
        curve["time_s"], low, high, step="post", color=colour, linewidth=0, alpha=0.22
    )
    axes.step(curve["time_s"], curve["rate"], where="post", color=colour)


def _difference_limits(curves: Sequence[Row]) -> tuple[float, float]:
    """Return the range of the bands, zero and a little room included."""
    values = np.array(
        [[0.0, 0.0], *([min(c["band_low"]), max(c["band_high"])] for c in curves)], dtype=float
    )
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    room = 0.06 * max(high - low, 0.2)
    return max(low - room, -1.0), min(high + room, 1.0)


def _time_axis(axes: Axes, curves: Sequence[Row], limit_s: float) -> None:
    first = min((t for c in curves for t in c["time_s"] if t > 0), default=0.5)
    low = min(0.5, max(0.2, first))
    axes.set_xscale("log")
    axes.set_xlim(low, limit_s)
    axes.set_xticks([t for t in _TICKS_S if low <= t <= limit_s])
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.minorticks_off()
    axes.set_xlabel("decision time (s)")


def usefulness_figure(results: Results) -> Figure:
    """Usefulness for S and E over all leads, and lead by lead where they can be named."""
    rows = _ordered(results["participants"])
    if len(rows) > MOST_LISTED:
        rows = []
    height = 1.25 + (_STEP * len(rows) + 0.9 if rows else 0.2)
    with figure_style():
        figure, panels = subplots(
            2 if rows else 1,
            1,
            figsize=(WIDTH_IN, height),
            sharex=True,
            squeeze=False,
            layout="constrained",
            height_ratios=[1.0, max(len(rows) * _STEP, 0.4)] if rows else [1.0],
        )
        _overall(panels[0, 0], results)
        if rows:
            _each(panels[1, 0], rows)
        for panel in panels[:, 0]:
            panel.axvline(0, color=SOFT, linewidth=0.7, zorder=0)
            panel.spines["left"].set_visible(False)
            panel.tick_params(axis="y", length=0)
        panels[-1, 0].set_xlabel(
            "usefulness: acceptance with minus acceptance without (percentage points)"
        )
        _points_axis(panels[-1, 0])
    return figure


def _each(axes: Axes, rows: Sequence[Row]) -> None:
    for place, row in enumerate(rows):
        for solver, shift in (("S", -0.16), ("E", 0.16)):
            part = _find(row["usefulness"], solver)
            draw_estimate(axes, part, place + shift, SOLVER_COLOUR[solver], SOLVER_MARKER[solver])
        _aside(axes, place, row["verdict"], INK if row["flagged"] else SOFT)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_yticks(range(len(rows)))
    axes.set_yticklabels([lead_name(row) for row in rows], fontsize=7.8)
    axes.set_title("Each lead")


def _aside(axes: Axes, place: int, text: str, colour: str) -> None:
    axes.annotate(
        text,
        (1.0, place),
        xycoords=("axes fraction", "data"),
        xytext=(6, 0),
        textcoords="offset points",
        va="center",
        fontsize=7.2,
        color=colour,
    )


def _overall(axes: Axes, results: Results) -> None:
    labels, words = [], solver_words(results["data"])
    for place, (solver, net) in enumerate((("S", False), ("S", True), ("E", False), ("E", True))):
        part = _find(results["usefulness"], solver, net)
        draw_estimate(axes, part, place, SOLVER_COLOUR[solver], SOLVER_MARKER[solver], net)
        labels.append(f"{words[solver]}, {'net' if net else 'raw'}")
    axes.set_ylim(3.6, -0.6)
    axes.set_yticks(range(4))
    axes.set_yticklabels(labels, fontsize=7.8)
    data = results["data"]
    axes.set_title(f"All {called(data, 'lead')}s (n = {grouped(data['participants'])})")


def contour_figure(results: Results) -> Figure:
    """Acceptance of plates without a numeral: with a digit-shaped contour, and without."""
    rows = [r for r in _ordered(results["participants"]) if r["contour"]["with"]["n"]]
    if len(rows) > MOST_LISTED:
        return contour_crowd(rows)
    rows.sort(key=lambda row: -row["contour"]["with"]["rate"])
    with figure_style():
        figure, axes = subplots(
            figsize=(WIDTH_IN, 0.95 + max(len(rows) * 0.24, 0.5)), layout="constrained"
        )
        for place, row in enumerate(rows):
            _dumbbell(axes, row, place)
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_yticks(range(len(rows)))
        axes.set_yticklabels([lead_name(row) for row in rows], fontsize=7.8)
        axes.set_xlim(-0.02, 1.02)
        axes.xaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
        axes.set_xlabel("plates without a numeral that were accepted")
        axes.spines["left"].set_visible(False)
        axes.tick_params(axis="y", length=0)
    return figure


def _dumbbell(axes: Axes, row: Row, place: int) -> None:
    with_, without = row["contour"]["with"], row["contour"]["without"]
    axes.plot(
        [with_["ci_low"], with_["ci_high"]],
        [place, place],
        color=FAINT,
        linewidth=4,
        solid_capstyle="butt",
        zorder=1,
    )
    if without["n"]:
        axes.plot(
            without["rate"],
            place,
            "o",
            color=SOFT,
            markerfacecolor="white",
            markersize=7.9,
            markeredgewidth=0.9,
            zorder=2,
        )
    colour = INK if row["flagged"] else SOFT
    axes.plot(with_["rate"], place, "D", color=colour, markersize=4.4, zorder=3)
    if row["flagged"]:
        _aside(axes, place, "accepts from the explanation", INK)


def _points_axis(axes: Axes) -> None:
    low, high = axes.get_xlim()
    axes.set_xlim(max(low, -1.05), min(high, 1.05))
    points_axis(axes.xaxis)


def _ordered(rows: Sequence[Row]) -> list[Row]:
    """Sort leads: those who profit most first, those whose answers say nothing last."""
    last = {name: place for place, name in enumerate(ODD_OUTCOMES, start=1)}
    return sorted(
        rows,
        key=lambda row: (
            last.get(row["outcome"], 0),
            -(row["usefulness_pooled"]["estimate"] or 0),
            row["participant"],
        ),
    )


def _find(rows: Sequence[Row], solver: str, net: bool = False) -> Row:
    return next(row for row in rows if row["solver"] == solver and row["net"] == net)
