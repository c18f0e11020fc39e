"""Figures of the assessment of accuracy, drawn from the results alone."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from analysis.report.style import (
    BLUE,
    FAINT,
    GREY,
    INK,
    ORANGE,
    SOFT,
    WIDTH_IN,
    figure_style,
    subplots,
)
from analysis.report.wording import grouped, number, percent

Results = Mapping[str, Any]
Row = Mapping[str, Any]

MOST_CLASSES = 30
_STEP = 0.24  # inches a row
_BINS = 20


def accuracy_figure(results: Results) -> Figure:
    """Return p_S, p_E and acc_L with intervals, plain accuracy as a line."""
    rates = {row["solver"]: row for row in results["acceptance"]}
    accuracy = results["accuracy"]
    shown = [
        ("acc$_L$(S) = p$_S$ / p$_E$", accuracy["estimate"], accuracy, "D", INK),
        ("p$_E$, data set’s labels", rates["E"]["rate"], rates["E"], "s", ORANGE),
        ("p$_S$, system’s labels", rates["S"]["rate"], rates["S"], "o", BLUE),
    ]
    with figure_style(), mpl.rc_context({"text.parse_math": True}):
        figure, axes = subplots(figsize=(WIDTH_IN, 1.75), layout="constrained")
        for place, (_, value, row, marker, colour) in enumerate(shown):
            if value is not None:
                _bar(axes, place, row, colour)
                axes.plot(value, place, marker, color=colour, markersize=6)
                axes.annotate(
                    number(value, 3), (value, place), xytext=(0, 7), textcoords="offset points",
                    ha="center", fontsize=8, color=INK,
                )  # fmt: skip
        axes.set_yticks(range(len(shown)), [label for label, *_ in shown])
        axes.set_ylim(-0.6, len(shown) - 0.25)
        plain = accuracy["plain_accuracy"]
        if plain is not None:
            axes.axvline(plain, color=SOFT, linewidth=0.9, linestyle=(0, (4, 2)), zorder=0)
            axes.annotate(
                f"plain accuracy {number(plain, 3)}", (plain, -0.6), xytext=(4, 3),
                textcoords="offset points", fontsize=7.5, color=SOFT,
            )  # fmt: skip
        highest = max((row["ci_high"] or value or 0) for _, value, row, *_ in shown)
        axes.set_xlim(0, max(1.03, 1.03 * highest))
        axes.set_xlabel("share accepted; ratio of the two shares")
        axes.spines["left"].set_visible(False)
        axes.tick_params(axis="y", length=0)
    return figure


def _bar(axes: Axes, place: float, row: Row, colour: str) -> None:
    if row["ci_low"] is not None and row["ci_high"] is not None:
        axes.plot([row["ci_low"], row["ci_high"]], [place, place], color=colour, linewidth=1.6)


def uncertainty_figure(results: Results) -> Figure:
    """Return how many labels are accepted by how many leads: data set's, and S's others."""
    own = [row["rate"] for row in results["pairs"] if row["given_by"] != "S"]
    other = [row["rate"] for row in results["pairs"] if row["given_by"] == "S"]
    panels = (
        ("Labels of the data set", own, ORANGE),
        ("Other labels of the system", other, BLUE),
    )
    edges = np.linspace(0, 1, _BINS + 1)
    with figure_style():
        figure, both = subplots(1, 2, figsize=(WIDTH_IN, 2.5), sharex=True, layout="constrained")
        for axes, (title, rates, colour) in zip(both, panels, strict=True):
            axes.set_title(f"{title}, n = {grouped(len(rates))}")
            counts, _ = np.histogram(rates, edges)
            axes.bar(edges[:-1], counts, np.diff(edges), align="edge", color=colour, edgecolor="w")
            axes.axvline(0.5, color=INK, linewidth=0.8, linestyle=(0, (1, 1.5)))
            axes.set_xlim(0, 1)
            axes.set_xlabel("share of leads who accept the label")
            axes.xaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
            axes.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=5))
            axes.set_ylim(0, max(1, 1.08 * max(counts, default=1)))
        both[0].set_ylabel("labels")
    return figure


def classes_figure(results: Results) -> Figure:
    """Return p_S, p_E and plain accuracy class by class."""
    rows = sorted(results["classes"], key=lambda row: (row["p_S"] is None, row["p_S"] or 0))
    with figure_style():
        figure, axes = subplots(figsize=(WIDTH_IN, 1.0 + _STEP * len(rows)), layout="constrained")
        for place, row in enumerate(rows):
            axes.axhline(place, color=FAINT, linewidth=0.6, zorder=0)
            _points(axes, place, row)
        axes.set_yticks(range(len(rows)), [_name(results, row) for row in rows])
        axes.set_ylim(-0.7, len(rows) - 0.3)
        axes.set_xlim(-0.02, 1.02)
        axes.xaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
        axes.set_xlabel("share of the class’s images")
        figure.legend(
            *axes.get_legend_handles_labels(), loc="outside upper left", ncols=3, fontsize=8
        )
        axes.tick_params(axis="y", length=0)
    return figure


def _points(axes: Axes, place: int, row: Row) -> None:
    marks: Sequence[tuple[str, str, str, dict[str, Any]]] = (
        ("plain_accuracy", "plain accuracy", "|", {"color": GREY, "markersize": 12}),
        ("p_E", "accepted, data set’s label", "s", {"color": ORANGE, "markersize": 5}),
        ("p_S", "accepted, system’s label", "o", {"color": BLUE, "markersize": 5}),
    )
    for key, words, marker, look in marks:
        label = words if place == 0 else None
        values = [row[key]] if row[key] is not None else []
        axes.plot(values, [place] * len(values), marker, label=label, linestyle="none", **look)


def _name(results: Results, row: Row) -> str:
    word = results["label_words"].get(row["label"], row["label"])
    return f"{word} ({row['tasks']})"


def rate_words(row: Row) -> str:
    """Return a share as ``k of n (p)``; ``none`` where there is nothing to share."""
    if not row["n"]:
        return "none"
    return f"{row['count']} of {row['n']} ({percent(row['rate'], 1)})"
