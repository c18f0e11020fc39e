"""Figures of images, maps and people, drawn from the results alone."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import (
    FuncFormatter,
    LogLocator,
    MaxNLocator,
    NullFormatter,
)

from analysis.report.style import INK, ORANGE, SOFT, WIDTH_IN, figure_style, subplots
from analysis.studies.progressive_reveal.figures import legend, percent, rows_of
from analysis.studies.progressive_reveal.words import human_map, look, method_name, panel_name

Results = Mapping[str, Any]
Row = Mapping[str, Any]

_KINDS = (("participant", "o", INK, "participants"), ("item", "^", ORANGE, "images"))


def correlation_figure(results: Results) -> Figure:
    """Return the maps' correlation with the human ones at the last step (Figure 8)."""
    rows = results["correlation"]["last"]
    with figure_style():
        figure, panels = subplots(
            1, len(rows), figsize=(WIDTH_IN, 2.2), sharex=True, sharey=True, layout="constrained",
            squeeze=False,
        )  # fmt: skip
        for axes, row in zip(panels[0], rows, strict=True):
            colour = look(results["data"]["methods"], row["method"])[0]
            axes.bar(
                row["edges"][:-1], row["counts"], np.diff(row["edges"]), align="edge",
                color=colour, edgecolor="white", linewidth=0.4,
            )  # fmt: skip
            axes.axvline(0, color=SOFT, linewidth=0.8)
            axes.set_title(panel_name(row["method"], results["data"]))
            axes.set_xlabel(f"Spearman with the\n{human_map(results['data'])}")
            axes.set_xlim(-1, 1)
            axes.set_xticks([-0.5, 0, 0.5])
            axes.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=5))
        panels[0][0].set_ylabel("images")
    return figure


def correlation_steps_figure(results: Results) -> Figure:
    """Return the maps' correlation with the human ones at every step (Figure 9)."""
    rows = results["correlation"]["steps"]
    methods = [m for m in results["data"]["methods"] if rows_of(rows, m)]
    with figure_style():
        figure, panels = subplots(
            1, len(methods), figsize=(WIDTH_IN, 2.3), sharey=True, layout="constrained",
            squeeze=False,
        )  # fmt: skip
        for axes, method in zip(panels[0], methods, strict=True):
            own = rows_of(rows, method)
            x = [row["step"] for row in own]
            colour = look(results["data"]["methods"], method)[0]
            for low, high, alpha in (("q10", "q90", 0.13), ("q25", "q75", 0.2)):
                axes.fill_between(
                    x, [r[low] for r in own], [r[high] for r in own], color=colour, alpha=alpha,
                    linewidth=0,
                )  # fmt: skip
            axes.plot(x, [row["q50"] for row in own], color=colour)
            axes.axhline(0, color=SOFT, linewidth=0.8)
            axes.set_title(panel_name(method, results["data"]))
            axes.set_xlabel("step")
            axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=5))
        panels[0][0].set_ylabel(f"Spearman with the\n{human_map(results['data'])}")
    return figure


def classes_figure(results: Results) -> Figure:
    """Return each class's average share by method (Figure 10) as shades with their numbers."""
    methods, rows = results["data"]["methods"], results["classes"]
    names = list(dict.fromkeys(row["class"] for row in rows))
    values = {(row["class"], row["method"]): row for row in rows}
    shares = np.array(
        [
            [values[name, method]["share"] for method in methods]
            for name in names
        ],
        dtype=float,
    )  # fmt: skip
    order = np.argsort(np.nanmean(shares, axis=1))
    with figure_style():
        figure, axes = subplots(figsize=(WIDTH_IN, 0.9 + 0.24 * len(names)), layout="constrained")
        top = float(np.nanmax(shares)) if np.isfinite(shares).any() else 1.0
        image = axes.imshow(shares[order], aspect="auto", cmap="Greys", vmin=0, vmax=1.25 * top)
        for y, place in enumerate(order):
            for x, method in enumerate(methods):
                _cell(axes, x, y, values[names[place], method], 1.25 * top)
        axes.set_xticks(range(len(methods)), [method_name(m, results["data"]) for m in methods])
        axes.xaxis.tick_top()
        axes.set_yticks(range(len(names)), [names[place] for place in order])
        axes.tick_params(length=0)
        for spine in axes.spines.values():
            spine.set_visible(False)
        bar = figure.colorbar(image, ax=axes, fraction=0.03, pad=0.02)
        percent(bar.ax.yaxis)
        bar.outline.set_visible(False)
        bar.set_label("share uncovered")
    return figure


def _cell(axes: Axes, x: int, y: int, row: Row, top: float) -> None:
    if row["share"] is None:
        axes.text(x, y, "–", ha="center", va="center", color=SOFT, fontsize=7.5)
        return
    colour = "white" if row["share"] > 0.6 * top else INK
    said = f"{100 * row['share']:.1f} %   ({100 * row['recognition_rate']:.0f} % recognised)"
    axes.text(x, y, said, ha="center", va="center", color=colour, fontsize=7)


def suits_figure(results: Results) -> Figure:
    """Return what each method adds for each person and each image, by the shrunken effects."""
    parts, methods = results["models"]["suits"], results["data"]["methods"]
    with figure_style():
        figure, panels = subplots(
            1, len(parts), figsize=(WIDTH_IN, 2.5), sharex=True, layout="constrained",
            squeeze=False,
        )  # fmt: skip
        rng = np.random.default_rng(1)
        for axes, part in zip(panels[0], parts, strict=True):
            effects = np.array([unit["effects"] for unit in part["units"]])
            for place, method in enumerate(reversed(methods[1:])):
                gain = effects[:, methods.index(method)] - effects[:, 0]
                colour, _, marker = look(methods, method)
                axes.plot(
                    gain, place + rng.uniform(-0.25, 0.25, len(gain)), marker, color=colour,
                    markersize=3, alpha=0.6, markeredgewidth=0,
                )  # fmt: skip
            axes.axvline(0, color=SOFT, linewidth=0.8, zorder=0)
            names = [method_name(m, results["data"]) for m in methods[:0:-1]]
            axes.set_yticks(range(len(methods) - 1), names)
            axes.set_ylim(-0.6, len(methods) - 1.4)
            axes.set_title("Participants" if part["of"] == "participant" else "Images")
            axes.set_xlabel("own advantage over the reference, log odds")
            axes.tick_params(axis="y", length=0)
    return figure


def fits_figure(results: Results) -> Figure:
    """Return the fitted shapes of people and of images, and their moments, one point each."""
    fits = results["fits"]
    panels_of = (
        ("beta prime", "first shape", "second shape", "shape1", "shape2", "betaprime"),
        ("exponentiated Weibull", "first shape", "second shape", "shape1", "shape2", "exponweib"),
        ("log share", "mean", "standard deviation", "mean_log", "sd_log", ""),
    )
    with figure_style():
        figure, panels = subplots(1, 3, figsize=(WIDTH_IN, 2.5), layout="constrained")
        for axes, (title, x_label, y_label, x, y, law) in zip(panels, panels_of, strict=True):
            rows = [u for u in fits["units"] if u["law"] == law] if law else fits["moments"]
            for kind, marker, colour, label in _KINDS:
                own = [row for row in rows if row["of"] == kind]
                axes.plot(
                    [row[x] for row in own], [row[y] for row in own], marker, color=colour,
                    markersize=3.5, alpha=0.65, markeredgewidth=0, label=label, linestyle="none",
                )  # fmt: skip
            if not rows:
                axes.text(0.5, 0.5, "no fit", ha="center", transform=axes.transAxes, color=SOFT)
                axes.set(xticks=[], yticks=[])
            elif law:
                _log_axes(axes)
            axes.set_title(title)
            axes.set_xlabel(x_label)
            axes.set_ylabel(y_label)
        legend(figure, panels[0])
    return figure


def _log_axes(axes: Axes) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(LogLocator(numticks=6))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axis.set_minor_formatter(NullFormatter())
