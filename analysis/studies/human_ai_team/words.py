"""Names of arms, parts and quantities, and how tables and figures write them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeVar

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from analysis.report.style import FAINT, SOFT
from analysis.report.wording import NOTHING, grouped, percent, rounded
from analysis.studies.human_ai_team.accuracy import ArmAccuracy
from stimuli.names import method_title
from stimuli.studies.human_ai_team.protocol import (
    CONFIDENCE,
    HUMAN_ALONE,
    RATIONALE,
    TEXT,
)

DESIGN, DETECTION = "Nguyen et al. 2021", "Hautus 1995"
RESAMPLING, TWO_STAGES = "Owen 2007", "Schemmer et al. 2023"
SOURCES: Final[Mapping[str, str]] = {
    "design": DESIGN,
    "detection": DETECTION,
    "resampling": RESAMPLING,
    "two_stages": TWO_STAGES,
}
"""Sources of the methods, as cited."""
ARM_WORDS: Final[Mapping[str, str]] = {
    CONFIDENCE: "Confidence",
    HUMAN_ALONE: "Label alone",
    TEXT: "Text",
    RATIONALE: "AI’s rationale",
}
PART_WORDS: Final[Mapping[str, str]] = {
    "all": "all images",
    "natural": "natural images",
    "adversarial": "adversarial images",
}
BASE_WORDS: Final[Mapping[str, str]] = {
    "all": "the images shown",
    "natural": "natural images",
    "adversarial": "adversarial images",
    "occurring": "natural images as often as they occur",
}
"""What answers are averaged over."""
tenths = rounded(percent, 1)
"""Writes a share in per cent, with one decimal."""

HEAD_IN = 0.75
"""Height of a figure beside its rows, inches."""


class Compared(Protocol):
    """A row that compares an arm with another."""

    @property
    def second(self) -> str | None:
        """The arm that it is compared with."""


Row = TypeVar("Row", bound=Compared)


def arm_name(method: str | None) -> str:
    """Return what an arm is called; an unknown arm has the table's name."""
    return ARM_WORDS.get(method or "") or method_title(method or "")


def arm(name: str = "method") -> Callable[[Any], str]:
    """Return a function that writes the arm of a row."""
    return lambda row: arm_name(getattr(row, name))


def pair(row: Any) -> str:
    """Return which arms a row compares."""
    return f"{arm_name(row.first)} less {arm_name(row.second)}"


def part(row: Any) -> str:
    """Return which images a row is about."""
    return PART_WORDS[row.part]


def base_words(base: str) -> str:
    """Return what answers are averaged over."""
    return BASE_WORDS[base]


def statistic(row: Any) -> str:
    """Return a row's test statistic, with the largest it could be."""
    if row.statistic is None:
        return NOTHING
    of = "" if row.of is None else f" of {grouped(row.of)}"
    return f"{row.statistic:g}{of}"


def against(reference: str | None, rows: Sequence[Row]) -> list[Row]:
    """Return the rows that compare an arm with the reference; all without one."""
    return [row for row in rows if reference in (None, row.second)]


def arms_axis(axes: Axes, names: Sequence[str]) -> None:
    """Write the arms' names on the left, one per row, with a line between two rows."""
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
    """A mean accuracy with its limits as shares; None if it isn't known."""

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
        """The lower end of the interval; the mean if there is none."""
        return self.estimate if self.ci_low is None else self.ci_low
