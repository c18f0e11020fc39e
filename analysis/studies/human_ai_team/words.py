"""What arms, parts and quantities are called."""

from collections.abc import Mapping
from typing import Any, Final

from analysis.report.wording import number
from stimuli.method_names import method_title
from stimuli.studies.human_ai_team.protocol import CONFIDENCE, HUMAN_ALONE, TEXT

Results = Mapping[str, Any]

ARM_WORDS: Final[Mapping[str, str]] = {
    CONFIDENCE: "Confidence",
    HUMAN_ALONE: "Label alone",
    TEXT: "Text",
}
PART_WORDS: Final[Mapping[str, str]] = {
    "all": "all images",
    "natural": "natural images",
    "adversarial": "adversarial images",
}
LEVEL_WORDS: Final[Mapping[str, str]] = {"easy": "easy", "medium": "medium", "hard": "hard"}


def arm_name(method: str | None) -> str:
    """Return what an arm is called; an arm that isn't known by name is called as the table does."""
    return ARM_WORDS.get(method or "") or method_title(method or "")


def tenth(share: float | None) -> str:
    """Return a difference of shares in percentage points with one decimal and its sign."""
    if share is None:
        return "–"
    rounded = round(100 * share, 1)
    said = number(abs(rounded), 1)
    return said if rounded == 0 else f"{'+' if rounded > 0 else '−'}{said}"
