"""What the axes of the figures share."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from analysis.report.style import FAINT, SOFT
from analysis.studies.human_ai_team.accuracy import ArmAccuracy

HEAD_IN = 0.75
"""Height of a figure beside its rows, inches."""


def arms_axis(axes: Axes, names: Sequence[str]) -> None:
    """Write the arms' names on the left, one a row, with a line between two rows."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(-0.5, len(names) - 0.35)
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    rule_rows(axes, len(names))


def rule_rows(axes: Axes, number: int) -> None:
    """Draw a line between two rows."""
    for place in range(1, number):
        axes.axhline(place - 0.45, color=FAINT, linewidth=0.6, zorder=0)


def right_axis(axes: Axes, values: Sequence[float]) -> None:
    """Let the axis of right answers begin below the lowest value, and mark chance."""
    lowest = min(values, default=0.0)
    axes.set_xlim(max(0.0, np.floor(10 * lowest) / 10 - 0.02), 1.02)
    axes.axvline(0.5, color=SOFT, linewidth=0.8, linestyle=(0, (1, 1.5)), zorder=0)
    axes.xaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))


@dataclass(frozen=True, slots=True)
class MeanShare:
    """A mean accuracy with its limits as shares; None where it isn't known."""

    estimate: float
    ci_low: float | None
    ci_high: float | None

    @classmethod
    def of(cls, row: ArmAccuracy) -> "MeanShare":
        """Return the mean of an arm."""
        low, high = (None if end is None else end / 100 for end in (row.ci_low, row.ci_high))
        return cls(row.mean / 100, low, high)

    @property
    def lowest(self) -> float:
        """The lower end of the interval; the mean where there is none."""
        return self.estimate if self.ci_low is None else self.ci_low
