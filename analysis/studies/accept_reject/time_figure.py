"""The figure of decision times."""

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, MaxNLocator

from analysis.report.style import INK, SOFT, WIDTH_IN, figure_style, mark_time, subplots
from analysis.studies.accept_reject.words import SOLVER_COLOUR, solver_title

HEADROOM = 1.25
"""Height of a panel over its tallest bar, so that no bar crosses the cutoff's label."""


def time_figure(results: Mapping[str, Any]) -> Figure:
    """Distribution of decision times: accepted and rejected, by solver and explanation.

    Parameters
    ----------
    results
        As in results.json; ``timing.histogram`` holds the counts.
    """
    histogram = results["timing"]["histogram"]
    edges = histogram["edges_s"]
    panel_of = {(row["solver"], row["explained"]): row for row in histogram["panels"]}
    solvers = [name for name in SOLVER_COLOUR if any(key[0] == name for key in panel_of)]
    with figure_style():
        figure, panels = subplots(
            2,
            len(solvers),
            figsize=(WIDTH_IN, 3.4),
            sharex=True,
            sharey="col",
            squeeze=False,
            layout="constrained",
        )
        for column, solver in enumerate(solvers):
            for line, explained in enumerate((False, True)):
                axes = panels[line, column]
                if (solver, explained) in panel_of:
                    _histogram(axes, panel_of[solver, explained], edges, SOLVER_COLOUR[solver])
                mark_time(axes, results["data"]["cutoff_s"], label=line == 0)
                axes.yaxis.set_major_locator(MaxNLocator(4, integer=True))
                if line == 0:
                    axes.set_title(solver_title(solver, results["data"]))
                if column == 0:
                    axes.set_ylabel(("with" if explained else "without") + "\ntrials")
            tallest = max(panels[line, column].dataLim.y1 for line in (0, 1))
            panels[0, column].set_ylim(0, HEADROOM * max(1, tallest))
            _log_ticks(panels[1, column], edges[0], edges[-1])
        keys = [Patch(facecolor=SOFT), Patch(facecolor="none", edgecolor=INK)]
        names = ["accepted", "rejected"]
        figure.legend(keys, names, loc="outside lower center", ncols=2, fontsize=7.5)
    return figure


def _histogram(axes: Axes, panel: Mapping[str, Any], edges: Sequence[float], colour: str) -> None:
    axes.stairs(panel["accepted"], edges, fill=True, color=colour)
    axes.stairs(panel["rejected"], edges, color=INK, linewidth=0.9)


def _log_ticks(axes: Axes, low: float, high: float) -> None:
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    axes.set_xticks([t for t in (0.5, 1, 3, 10, 30, 100) if low <= t <= high])
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.minorticks_off()
    axes.set_xlabel("decision time (s)")
