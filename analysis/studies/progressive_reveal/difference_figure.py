"""Each method's recognition less the reference's, over steps and over the uncovered share."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from analysis.report.style import SOFT, WIDTH_IN, figure_style, points_axis, subplots
from analysis.studies.progressive_reveal.figures import percent, rows_of
from analysis.studies.progressive_reveal.words import look, panel_name

Results = Mapping[str, Any]


def difference_figure(results: Results) -> Figure:
    """Return a column of panels a method: over steps above, over the share below.

    Bands are those of the difference itself, in which people and images are drawn together for
    both methods: two curves whose own bands overlap may well differ.
    """
    methods = results["data"]["methods"][1:]
    over_time = results["survival"]["steps"]["over_time"]
    needed = results["survival"]["needed"]
    with figure_style():
        figure, panels = subplots(
            2, len(methods), figsize=(min(WIDTH_IN, 1.0 + 2.6 * len(methods)), 4.2),
            sharey=True, layout="constrained", squeeze=False,
        )  # fmt: skip
        for (above, below), method in zip(panels.T, methods, strict=True):
            rows = rows_of(over_time, method)
            steps = [row["step"] for row in rows]
            names = ("estimate", "ci_low", "ci_high")
            _draw(above, results, method, steps, *([row[n] for row in rows] for n in names))
            above.set_xlim(0.5, results["data"]["steps"] + 0.5)
            above.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))
            above.set_xlabel("step")
            above.set_title(panel_name(method, results["data"]))
            curve = rows_of(needed["curves"], method)[0]
            shares = needed["shares"]
            names = ("less_reference", "less_low", "less_high")
            _draw(below, results, method, shares, *(curve[name] for name in names))
            below.set_xlim(0, max(shares))
            below.set_xlabel("share of the image uncovered")
            percent(below.xaxis, most=3)
        for axes in panels[:, 0]:
            axes.set_ylabel("points of recognition")
            points_axis(axes.yaxis)
    return figure


def _draw(
    axes: Axes, results: Results, method: str, x: Sequence[float], *parts: Sequence[float | None]
) -> None:
    colour = look(results["data"]["methods"], method)[0]
    middle, low, high = (np.array(part, dtype=float) for part in parts)
    axes.axhline(0, color=SOFT, linewidth=0.8, zorder=1)
    axes.fill_between(x, low, high, color=colour, alpha=0.18, linewidth=0)
    axes.plot(x, middle, color=colour)
