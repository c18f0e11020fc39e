"""Figures of accept_reject, drawn from the results alone."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, PercentFormatter

from analysis.report.style import (
    FAINT,
    INK,
    SOFT,
    SOLVER_COLOUR,
    SOLVER_MARKER,
    SOLVER_NAME,
    WIDTH_IN,
    figure_style,
    mark_cutoff,
)

Results = Mapping[str, Any]
Row = Mapping[str, Any]

MOST_NAMED = 60
_TICKS_S = (0.5, 1, 2, 3, 5, 10, 20, 30, 60, 120)


def acceptance_figure(results: Results) -> Figure:
    """Acceptance over decision time: one panel a solver, with and without explanation."""
    cutoff_s, limit_s = results["data"]["cutoff_s"], results["data"]["limit_s"]
    solvers = [s for s in ("S", "E") if any(c["solver"] == s for c in results["curves"])]
    with figure_style():
        figure, panels = plt.subplots(
            1, max(len(solvers), 1), figsize=(WIDTH_IN, 2.9), sharey=True, squeeze=False,
            layout="constrained",
        )
        for axes, solver in zip(panels[0], solvers, strict=False):
            axes.set_title(SOLVER_NAME[solver].capitalize())
            for curve in results["curves"]:
                if curve["solver"] == solver:
                    _curve(axes, curve)
            mark_cutoff(axes, cutoff_s)
            _time_axis(axes, results["curves"], limit_s)
            axes.set_ylim(0, 1)
            axes.yaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
        panels[0, 0].set_ylabel("accepted by then")
    return figure


def _curve(axes: Axes, curve: Row) -> None:
    colour = SOLVER_COLOUR[curve["solver"]]
    time, rate = np.array(curve["time_s"]), np.array(curve["rate"])
    low, high = (np.array(curve[k], dtype=float) for k in ("ci_low", "ci_high"))
    explained = curve["explained"]
    shade = {"alpha": 0.22} if explained else {"alpha": 0.10}
    axes.fill_between(time, low, high, step="post", color=colour, linewidth=0, **shade)
    axes.step(
        time, rate, where="post", color=colour, linestyle="-" if explained else (0, (4, 1.6)),
        label=("with" if explained else "without") + " explanation",
    )
    name = ("with" if explained else "without") + f" explanation\n(n = {curve['n']})"
    axes.annotate(
        name, (1, rate[-1]), xycoords=("axes fraction", "data"), xytext=(-2, 4 if explained else -4),
        textcoords="offset points", ha="right", va="bottom" if explained else "top",
        fontsize=7.5, color=INK,
    )


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
    """Usefulness for S and E: over all leads, then lead by lead."""
    rows = _ordered(results["participants"])
    named = len(rows) <= MOST_NAMED
    height = 1.25 + (0.27 if named else 4.5 / len(rows)) * len(rows) + 0.9
    with figure_style():
        figure, (top, axes) = plt.subplots(
            2, 1, figsize=(WIDTH_IN, height), sharex=True, layout="constrained",
            height_ratios=[1.0, max(len(rows) * (0.27 if named else 4.5 / len(rows)), 0.4)],
        )
        _overall(top, results)
        for place, row in enumerate(rows):
            for solver, shift in (("S", -0.16), ("E", 0.16)):
                part = _find(row["usefulness"], solver)
                _dot(axes, part, place + shift, solver, named)
            if named:
                axes.annotate(
                    row["verdict"], (1.0, place), xycoords=("axes fraction", "data"),
                    xytext=(6, 0), textcoords="offset points", va="center", fontsize=7.2,
                    color=INK if row["flagged"] else SOFT,
                )
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_yticks(range(len(rows)) if named else [])
        if named:
            axes.set_yticklabels([_name(row) for row in rows], fontsize=7.8)
        else:
            axes.set_ylabel(f"{len(rows)} leads, sorted")
        axes.set_title("Each lead")
        axes.set_xlabel("usefulness: acceptance with less acceptance without (percentage points)")
        for panel in (top, axes):
            panel.axvline(0, color=SOFT, linewidth=0.7, zorder=0)
            panel.spines["left"].set_visible(False)
            panel.tick_params(axis="y", length=0)
        _points_axis(axes)
    return figure


def _overall(axes: Axes, results: Results) -> None:
    labels = []
    for place, (solver, net) in enumerate((("S", False), ("S", True), ("E", False), ("E", True))):
        part = _find(results["usefulness"], solver, net)
        _dot(axes, part, place, solver, True, hollow=net)
        labels.append(f"{SOLVER_NAME[solver]}, {'net of contour reading' if net else 'raw'}")
    axes.set_ylim(3.6, -0.6)
    axes.set_yticks(range(4))
    axes.set_yticklabels(labels, fontsize=7.8)
    axes.set_title(f"All leads (n = {results['data']['participants']})")


def _dot(
    axes: Axes, part: Row, y: float, solver: str, large: bool, hollow: bool = False
) -> None:
    if part["estimate"] is None:
        return
    colour = SOLVER_COLOUR[solver]
    axes.plot([part["ci_low"], part["ci_high"]], [y, y], color=colour,
              linewidth=1.1 if large else 0.4, solid_capstyle="butt", zorder=2)
    axes.plot(
        part["estimate"], y, SOLVER_MARKER[solver], color=colour, markersize=4.6 if large else 1.6,
        markerfacecolor="white" if hollow else colour, markeredgewidth=1.1, zorder=3,
    )


def contour_figure(results: Results) -> Figure:
    """Acceptance of plates without a numeral: with a digit-shaped contour, and without."""
    rows = [r for r in _ordered(results["participants"]) if r["contour"]["with"]["n"]]
    rows.sort(key=lambda row: -row["contour"]["with"]["rate"])
    named = len(rows) <= MOST_NAMED
    step = 0.24 if named else 4.5 / len(rows)
    with figure_style():
        figure, axes = plt.subplots(
            figsize=(WIDTH_IN, 0.95 + max(len(rows) * step, 0.5)), layout="constrained"
        )
        for place, row in enumerate(rows):
            _dumbbell(axes, row, place, named)
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_yticks(range(len(rows)) if named else [])
        if named:
            axes.set_yticklabels([_name(row) for row in rows], fontsize=7.8)
        axes.set_xlim(-0.02, 1.02)
        axes.xaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
        axes.set_xlabel("plates without a numeral that were accepted")
        axes.spines["left"].set_visible(False)
        axes.tick_params(axis="y", length=0)
    return figure


def _dumbbell(axes: Axes, row: Row, place: int, named: bool) -> None:
    with_, without = row["contour"]["with"], row["contour"]["without"]
    size = 5 if named else 2
    axes.plot([with_["ci_low"], with_["ci_high"]], [place, place], color=FAINT, linewidth=4,
              solid_capstyle="butt", zorder=1)
    if without["n"]:
        axes.plot(without["rate"], place, "o", color=SOFT, markerfacecolor="white",
                  markersize=size, zorder=2)
    axes.plot(with_["rate"], place, "D", color=INK if row["flagged"] else SOFT, markersize=size,
              zorder=3)
    if row["flagged"] and named:
        axes.annotate("accepts from the explanation", (1.0, place),
                      xycoords=("axes fraction", "data"), xytext=(6, 0),
                      textcoords="offset points", va="center", fontsize=7.2, color=INK)


def time_figure(frame: pd.DataFrame, cutoff_s: float, limit_s: float) -> Figure:
    """Distribution of decision times: accepted and rejected, by solver and explanation.

    Parameters
    ----------
    frame
        Judged trials (``solver, explained, decision, rt_s``).
    cutoff_s, limit_s
        The primary decision time and the end of the axis.
    """
    solvers = [name for name in ("S", "E", "control") if (frame["solver"] == name).any()]
    times = frame["rt_s"].dropna()
    low = max(0.1, min(0.4, float(times[times > 0].min()))) if (times > 0).any() else 0.4
    high = max(limit_s, float(times.max())) if len(times) else limit_s
    bins = np.geomspace(low, high, 31)
    with figure_style():
        figure, panels = plt.subplots(
            2, len(solvers), figsize=(WIDTH_IN, 3.4), sharex=True, sharey="col", squeeze=False,
            layout="constrained",
        )
        for column, solver in enumerate(solvers):
            for line, explained in enumerate((False, True)):
                axes = panels[line, column]
                own = frame[(frame["solver"] == solver) & (frame["explained"] == explained)]
                _histogram(axes, own, bins, SOLVER_COLOUR[solver])
                mark_cutoff(axes, cutoff_s, label=line == 0)
                if line == 0:
                    axes.set_title(SOLVER_NAME[solver].capitalize())
                if column == 0:
                    axes.set_ylabel(("with" if explained else "without") + "\ntrials")
            _log_ticks(panels[1, column], low, high)
        panels[0, -1].legend(fontsize=7.2, loc="upper right", handlelength=1.2, borderaxespad=0)
    return figure


def _histogram(axes: Axes, own: pd.DataFrame, bins: np.ndarray, colour: str) -> None:
    accepted = own.loc[own["decision"] == "accept", "rt_s"].dropna()
    rejected = own.loc[own["decision"] == "reject", "rt_s"].dropna()
    axes.hist(accepted, bins, color=colour, label="accepted")
    axes.hist(rejected, bins, histtype="step", color=INK, linewidth=0.9, label="rejected")


def _log_ticks(axes: Axes, low: float, high: float) -> None:
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    axes.set_xticks([t for t in (0.5, 1, 3, 10, 30, 100) if low <= t <= high])
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.minorticks_off()
    axes.set_xlabel("decision time (s)")


def _points_axis(axes: Axes) -> None:
    low, high = axes.get_xlim()
    axes.set_xlim(max(low, -1.05), min(high, 1.05))
    axes.xaxis.set_major_formatter(
        FuncFormatter(lambda v, _: f"{100 * v:+.0f}".replace("-", "−") if abs(v) > 1e-9 else "0")
    )


def _ordered(rows: Sequence[Row]) -> list[Row]:
    """Sort leads: those who profit most first, those whose answers say nothing last."""
    last = {"from_explanation": 1, "not_compliant": 2, "unknown": 3}
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


def _name(row: Row) -> str:
    return f"{row['participant']} ({row['robot']})" if row["robot"] else str(row["participant"])
