"""What arms, parts and quantities are called, and how cells of tables write them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol, TypeVar

from analysis.report.wording import NOTHING, grouped, percent, rounded
from stimuli.names import method_title
from stimuli.studies.human_ai_team.protocol import (
    CONFIDENCE,
    HUMAN_ALONE,
    RATIONALE,
    TEXT,
)


class Compared(Protocol):
    """A row that compares an arm with another."""

    @property
    def second(self) -> str | None:
        """The arm that it is compared with."""


Row = TypeVar("Row", bound=Compared)

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


def arm_name(method: str | None) -> str:
    """Return what an arm is called; an arm that isn't known by name is called as the table does."""
    return ARM_WORDS.get(method or "") or method_title(method or "")


def arm(name: str = "method") -> Callable[[Any], str]:
    """Return what writes the arm of a row."""
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
