"""What the figures of progressive_reveal share: lines, bands, axes of shares, one legend."""

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from analysis.studies.progressive_reveal.words import Methods


class OfMethod(Protocol):
    """A row that belongs to a method."""

    @property
    def method(self) -> str:
        """The method."""


Row = TypeVar("Row", bound=OfMethod)


def rows_of(rows: Sequence[Row], method: str) -> list[Row]:
    """Return a method's rows."""
    return [row for row in rows if row.method == method]


def floats(values: Sequence[float | None]) -> list[float]:
    """Return numbers with NaN for those that aren't known."""
    return [float("nan") if value is None else value for value in values]


def percent_axis(axis: Axis, most: int = 6) -> None:
    """Have an axis of shares count in per cent, few round numbers, so that they stay apart."""
    axis.set_major_locator(MaxNLocator(nbins=most, steps=[1, 2, 5, 10]))
    axis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.4g} %"))


def draw_line(axes: Axes, methods: Methods, method: str, x: Any, y: Any) -> None:
    """Draw a method's line, with its name for the legend."""
    colour, style, _ = methods.look(method)
    axes.plot(x, y, color=colour, linestyle=style, label=methods.name(method))


def draw_band(
    axes: Axes, colour: str, x: Any, low: Sequence[float | None], high: Sequence[float | None]
) -> None:
    """Draw the band of a line's limits."""
    axes.fill_between(x, floats(low), floats(high), color=colour, alpha=0.13, linewidth=0)


def draw_legend(figure: Figure, axes: Axes) -> None:
    """Put one legend above all panels."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside upper left", ncols=len(labels), fontsize=8, handlelength=3
    )


def finite(values: Sequence[float | None]) -> np.ndarray:
    """Return numbers as an array, NaN for those that aren't known."""
    return np.array(floats(values))
