"""Axes that several figures of simulatability share."""

from collections.abc import Sequence
from typing import Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from analysis.report.style import FAINT, SOFT
from analysis.report.wording import signed
from analysis.studies.simulatability.words import method_name

ROW_IN: Final = 0.3
HEAD_IN: Final = 0.85
UP: Final = 0.17
"""By how much of a row the second of two estimates stands below its middle."""
DOTTED: Final = (0, (1, 1.5))


def draw_zero(axes: Axes) -> None:
    """Draw the line of no Change."""
    axes.axvline(0, color=SOFT, linewidth=0.8, linestyle=DOTTED, zorder=0)


def methods_axis(axes: Axes, methods: Sequence[str]) -> None:
    """Give each method a row."""
    axes.set_yticks(range(len(methods)), [method_name(method) for method in methods])
    axes.set_ylim(-0.55, len(methods) - 0.45)
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    for place in range(1, len(methods)):
        axes.axhline(place - 0.5, color=FAINT, linewidth=0.6, zorder=0)


def points_axis(axes: Axes) -> None:
    """Write percentage points with their signs, as many to the left of zero as to the right."""
    axes.xaxis.set_major_locator(MaxNLocator(nbins=6, symmetric=True))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: signed(value, 0)))


def draw_legend(figure: Figure, parts: Sequence[tuple[str, str, str, bool]]) -> None:
    """Explain marks above the panels; each is a label, a colour, a marker, and if it is hollow."""
    axes = figure.axes[0]
    for label, colour, marker, hollow in parts:
        axes.plot(
            [], [], marker, color=colour, label=label, linestyle="none", markersize=4.6,
            markerfacecolor="white" if hollow else colour,
        )  # fmt: skip
    figure.legend(loc="outside upper left", ncols=len(parts), fontsize=8)
