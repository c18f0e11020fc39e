"""The figure of decision times."""

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter

from analysis.report.style import (
    INK,
    SOFT,
    SOLVER_COLOUR,
    WIDTH_IN,
    figure_style,
    mark_cutoff,
    solver_title,
)


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
                own = frame[(frame["solver"] == solver) & (frame["explained"] == explained)]
                _histogram(axes, own, bins, SOLVER_COLOUR[solver])
                mark_cutoff(axes, cutoff_s, label=line == 0)
                if line == 0:
                    axes.set_title(solver_title(solver))
                if column == 0:
                    axes.set_ylabel(("with" if explained else "without") + "\ntrials")
            _log_ticks(panels[1, column], low, high)
        keys = [Patch(facecolor=SOFT), Patch(facecolor="none", edgecolor=INK)]
        names = ["accepted", "rejected"]
        figure.legend(keys, names, loc="outside lower center", ncols=2, fontsize=7.5)
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
