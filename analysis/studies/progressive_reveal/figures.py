"""Figures of progressive_reveal, drawn from the results alone."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import (
    FuncFormatter,
    MaxNLocator,
)

from analysis.report.style import FAINT, WIDTH_IN, figure_style, subplots
from analysis.studies.progressive_reveal.words import look, method_name, panel_name

Results = Mapping[str, Any]
Row = Mapping[str, Any]

_ROW = 0.42  # inches a row of points


def percent(axis: Axis, most: int = 6) -> None:
    """Have an axis of shares count in per cent, few round numbers, so that they stay apart."""
    axis.set_major_locator(MaxNLocator(nbins=most, steps=[1, 2, 5, 10]))
    axis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.4g} %"))


def _line(axes: Axes, results: Results, method: str, x: Any, y: Any, **more: Any) -> None:
    colour, style, _ = look(results["data"]["methods"], method)
    name = method_name(method, results["data"])
    axes.plot(x, y, **({"color": colour, "linestyle": style, "label": name} | more))


def _band(axes: Axes, results: Results, method: str, x: Any, low: Any, high: Any) -> None:
    colour = look(results["data"]["methods"], method)[0]
    low, high = (np.array(side, dtype=float) for side in (low, high))
    axes.fill_between(x, low, high, color=colour, alpha=0.13, linewidth=0)


def legend(figure: Figure, axes: Axes) -> None:
    """Put one legend above all panels."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside upper left", ncols=len(labels), fontsize=8, handlelength=3
    )


def courses_figure(results: Results) -> Figure:
    """Return what each method uncovers at each step (Figure 4)."""
    methods = [m for m in results["data"]["methods"] if rows_of(results["courses"], m)]
    with figure_style():
        figure, panels = subplots(
            1, len(methods), figsize=(WIDTH_IN, 2.2), sharey=True, layout="constrained",
            squeeze=False,
        )  # fmt: skip
        for axes, method in zip(panels[0], methods, strict=True):
            rows = rows_of(results["courses"], method)
            step = [row["step"] for row in rows]
            colour = look(results["data"]["methods"], method)[0]
            axes.fill_between(
                step, [row["q10"] for row in rows], [row["q90"] for row in rows],
                color=colour, alpha=0.2, linewidth=0, step="mid",
            )  # fmt: skip
            axes.plot(step, [row["median"] for row in rows], color=colour, drawstyle="steps-mid")
            axes.set_title(panel_name(method, results["data"]))
            axes.set_xlabel("step")
            axes.set_xlim(0.5, results["data"]["steps"] + 0.5)
            axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=5))
        panels[0][0].set_ylim(bottom=0)
        panels[0][0].set_ylabel("share of the image")
        percent(panels[0][0].yaxis)
    return figure


def density_figure(results: Results) -> Figure:
    """Return the density of the share at recognition (Figure 6)."""
    with figure_style():
        figure, axes = subplots(figsize=(WIDTH_IN, 2.6), layout="constrained")
        for row in results["densities"]:
            if row["density"] is not None:
                density = [value / 100 for value in row["density"]]
                _line(axes, results, row["method"], row["shares"], density)
        axes.set_xlim(left=0)
        axes.set_ylim(bottom=0)
        axes.set_xlabel("share of the image uncovered at recognition")
        axes.set_ylabel("density per percentage point")
        percent(axes.xaxis)
        legend(figure, axes)
    return figure


def both_views_figure(results: Results) -> Figure:
    """Return recognition over the uncovered share: recognised rounds only, and all of them."""
    needed = results["survival"]["needed"]
    x = needed["shares"]
    with figure_style():
        figure, (left, right) = subplots(
            1, 2, figsize=(WIDTH_IN, 3.0), sharex=True, sharey=True, layout="constrained"
        )
        for curve in needed["curves"]:
            method = curve["method"]
            _line(left, results, method, x, _floats(curve["recognised_only"]))
            _line(right, results, method, x, _floats(curve["reached"]))
            _band(right, results, method, x, *(_floats(curve[n]) for n in ("ci_low", "ci_high")))
        left.set_title("Recognised rounds only (as published)")
        right.set_title("All rounds, unrecognised ones censored")
        for axes in (left, right):
            axes.axhline(needed["late_rate"], color=FAINT, linewidth=0.8, zorder=0)
            axes.set_xlabel("share of the image uncovered")
            axes.set_xlim(0, max(x))
            axes.set_ylim(0, 1.02)
            percent(axes.xaxis)
            percent(axes.yaxis)
        left.set_ylabel("recognised")
        legend(figure, left)
    return figure


def steps_figure(results: Results) -> Figure:
    """Return recognition by the end of each step, and how many rounds each step brought."""
    tables, steps = results["survival"]["steps"]["rows"], results["data"]["steps"]
    curves = results["models"]["curves"]
    with figure_style():
        figure, (left, right) = subplots(
            1, 2, figsize=(WIDTH_IN, 3.0), layout="constrained", width_ratios=(3, 2)
        )
        for method in results["data"]["methods"]:
            rows = rows_of(tables, method)
            x = [row["step"] for row in rows]
            _line(left, results, method, x, [row["reached"] for row in rows])
            _band(left, results, method, x, *([r[n] for r in rows] for n in ("ci_low", "ci_high")))
            colour, _, marker = look(results["data"]["methods"], method)
            own = rows_of(curves, method)
            left.plot(
                [row["step"] for row in own], [row["estimate"] for row in own], marker,
                color=colour, markersize=3.2, markerfacecolor="white", markeredgewidth=0.8,
            )  # fmt: skip
        left.set_ylim(0, 1.02)
        left.set_ylabel("recognised by the end of the step")
        percent(left.yaxis)
        for row in results["steps"]["counts"]:
            total = max(sum(row["counts"]), 1)
            shares = [count / total for count in row["counts"]]
            _line(right, results, row["method"], range(1, steps + 1), shares)
        low, high = results["steps"]["low"], results["steps"]["high"]
        right.axvspan(low, high, color=FAINT, alpha=0.5, linewidth=0, zorder=0)
        right.set_ylim(bottom=0)
        right.set_ylabel("share of the recognised rounds")
        percent(right.yaxis)
        for axes in (left, right):
            axes.set_xlabel("step")
            axes.set_xlim(0.5, steps + 0.5)
            axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=8))
        legend(figure, left)
    return figure


def restricted_figure(results: Results) -> Figure:
    """Return restricted means beside Table III's two averages."""
    methods = results["data"]["methods"]
    means = {row["method"]: row for row in results["survival"]["restricted"]["methods"]}
    third = {(row["method"], row["reading"]): row for row in results["table3"]}
    with figure_style():
        figure, axes = subplots(
            figsize=(WIDTH_IN, 1.15 + _ROW * len(methods)), layout="constrained"
        )
        for place, method in enumerate(reversed(methods)):
            colour, _, marker = look(methods, method)
            row = means[method]
            shown = (
                (0.22, third[method, "recognised"]["share"], third[method, "recognised"], "share_",
                 {"marker": marker, "markerfacecolor": "white"}, "recognised rounds only"),
                (0.0, third[method, "all_last_step"]["share"], third[method, "all_last_step"],
                 "share_", {"marker": marker, "markerfacecolor": FAINT},
                 "all rounds, last pixels"),
                (-0.22, row["estimate"], row, "ci_", {"marker": marker},
                 "restricted mean, image by image"),
            )  # fmt: skip
            axes.axhline(place, color=FAINT, linewidth=0.6, zorder=0)
            for offset, value, own, name, looks, label in shown:
                _point(axes, place + offset, value, own, name, colour, looks,
                       label if place == len(methods) - 1 else None)  # fmt: skip
        names = [method_name(m, results["data"]) for m in reversed(methods)]
        axes.set_yticks(range(len(methods)), names)
        axes.set_ylim(-0.6, len(methods) - 0.4)
        axes.set_xlim(left=0)
        axes.set_xlabel("share of the image uncovered up to recognition")
        axes.tick_params(axis="y", length=0)
        percent(axes.xaxis)
        legend(figure, axes)
    return figure


def _point(
    axes: Axes, y: float, value: float | None, row: Row, name: str, colour: str,
    looks: Mapping[str, Any], label: str | None,
) -> None:  # fmt: skip
    if value is None:
        return
    low, high = row[f"{name}low"], row[f"{name}high"]
    if low is not None and high is not None:
        axes.plot([low, high], [y, y], color=colour, linewidth=1.2)
    axes.plot(value, y, color=colour, markersize=5, linestyle="none", label=label, **looks)


def rows_of(rows: Sequence[Row], method: str) -> list[Row]:
    """Return a method's rows."""
    return [row for row in rows if row["method"] == method]


def _floats(values: Sequence[float | None]) -> list[float]:
    return [float("nan") if value is None else value for value in values]
