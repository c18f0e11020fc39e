"""Names of arms, parts and quantities, and how tables and figures write them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from analysis.questions.estimates import AGAINST, EstimateRow, Quantity
from analysis.questions.pivot import Wide
from analysis.report.methods import TWO_TESTS
from analysis.report.results import Drawing
from analysis.report.style import FAINT, SOFT
from analysis.report.wording import bare_percent, grouped, percent, rounded
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
    "equivalence": TWO_TESTS,
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
hundredths = rounded(bare_percent, 2)
"""Writes a share in per cent, with two decimals and without the sign."""

HEAD_IN = 0.75
"""Height of a figure beside its rows, inches."""


def resampled(clause: str, drawing: Drawing) -> str:
    """Return how intervals by the bootstrap were found, of what is named with its verb."""
    drawn = "participants and images" if drawing.drawn == "both" else "participants"
    return (
        f"{clause} percentile intervals of {grouped(drawing.replicates)} bootstrap replicates over "
        f"{drawn} ({RESAMPLING})."
    )


def arm_name(method: str | None) -> str:
    """Return what an arm is called; an unknown arm has the table's name."""
    return ARM_WORDS.get(method or "") or method_title(method or "")


def pair(row: EstimateRow) -> str:
    """Return which arms a row compares."""
    return f"{arm_name(row.of['method'])} less {arm_name(row.of[AGAINST])}"


def base_words(base: str) -> str:
    """Return what answers are averaged over."""
    return BASE_WORDS[base]


def against(reference: str | None) -> dict[str, str]:
    """Return which rows compare an arm with the reference, by factor; all without one."""
    return {} if reference is None else {AGAINST: reference}


def counted(quantity: Quantity) -> Callable[[Wide], str]:
    """Return a function that writes how many of how many answers a share counts."""
    return lambda row: count_words(row[quantity.id], row[f"{quantity.id}.n"])


def count_words(share: float | None, n: int) -> str:
    """Return how many of how many answers a share counts."""
    return f"{grouped(round((share or 0.0) * n))} of {grouped(n)}"


def arms_axis(axes: Axes, names: Sequence[str]) -> None:
    """Write the arms' names on the left, one per row, with a line between two rows."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(-0.5, len(names) - 0.35)
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    for place in range(1, len(names)):
        axes.axhline(place - 0.45, color=FAINT, linewidth=0.6, zorder=0)


def right_axis(axes: Axes, values: Sequence[float]) -> None:
    """Let the axis of right answers begin below the lowest value, and mark chance."""
    lowest = min(values, default=0.0)
    axes.set_xlim(max(0.0, np.floor(10 * lowest) / 10 - 0.02), 1.02)
    axes.axvline(0.5, color=SOFT, linewidth=0.8, linestyle=(0, (1, 1.5)), zorder=0)
    axes.xaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))


def lowest(row: EstimateRow) -> float:
    """Return the lower end of an interval; the estimate if there is none, 0 if that isn't known."""
    return next((value for value in (row.ci_low, row.estimate) if value is not None), 0.0)
