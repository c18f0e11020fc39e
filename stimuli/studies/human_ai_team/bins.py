"""Bins of images by whether the AI is right and how confident it is (Nguyen et al. 2021).

Bins go by the confidence as it is, not as it is shown. Where a table has whole per cent alone,
`band_of_percent` says which band is meant and `is_on_limit` whether that had to be settled.
"""

import math
from collections import Counter
from collections.abc import Iterable
from typing import Final, Literal

from stimuli.studies.human_ai_team.material import AiAnswer
from stimuli.studies.human_ai_team.protocol import Bins
from stimuli.studies.human_ai_team.tables import ADVERSARIAL, NATURAL_BINS, RIGHT, WRONG

Band = Literal["low", "mid", "high"]
Level = Literal["easy", "medium", "hard"]

LEVEL_OF_RIGHT: Final[dict[Band, Level]] = {"high": "easy", "mid": "medium", "low": "hard"}
LEVEL_OF_WRONG: Final[dict[Band, Level]] = {"low": "easy", "mid": "medium", "high": "hard"}


def shown_percent(confidence: float) -> int:
    """Return a confidence (0…1) as it is shown: whole per cent, halves upwards."""
    return math.floor(100 * confidence + 0.5)


def band_of(confidence: float, limits: Bins) -> Band | None:
    """Return how confident the AI is (0…1); None between the bands."""
    if confidence < limits.low_below:
        return "low"
    if limits.mid_from <= confidence < limits.mid_below:
        return "mid"
    return "high" if confidence >= limits.high_from else None


def band_of_percent(percent: float, limits: Bins) -> Band | None:
    """Return the band of a confidence that is known in whole per cent (0…100) alone.

    The published images lie in a band for certain. So a value on an upper limit (30 and 60 with
    the published limits) was rounded up and belongs to the band below it; 100 is high.
    """
    if percent <= 100 * limits.low_below:
        return "low"
    if 100 * limits.mid_from <= percent <= 100 * limits.mid_below:
        return "mid"
    return "high" if percent >= 100 * limits.high_from else None


def is_on_limit(percent: float, limits: Bins) -> bool:
    """Return whether a whole per cent is one that `band_of_percent` had to settle."""
    return percent in (round(100 * limits.low_below), round(100 * limits.mid_below))


def level_of(band: Band | None, ai_correct: bool) -> Level | None:
    """Return how hard an image of a band is; None without a band.

    Easy is where the confidence fits, hard where it misleads.
    """
    if band is None:
        return None
    return (LEVEL_OF_RIGHT if ai_correct else LEVEL_OF_WRONG)[band]


def bin_name(level: str, ai_correct: bool, adversarial: bool) -> str:
    """Return the bin (`tables.BINS`) of an image of a level."""
    kind = ADVERSARIAL if adversarial else RIGHT if ai_correct else WRONG
    return f"{kind}_{level}"


def bin_of(confidence: float, ai_correct: bool, adversarial: bool, limits: Bins) -> str | None:
    """Return an image's bin (`tables.BINS`); None where it is in none.

    An attacked image that the AI gets right is in none: the attack failed.
    """
    level = level_of(band_of(confidence, limits), ai_correct)
    if level is None or (adversarial and ai_correct):
        return None
    return bin_name(level, ai_correct, adversarial)


def weights(answers: Iterable[AiAnswer], limits: Bins) -> dict[str, float]:
    """Return each natural bin's share of all images that fall into one; empty if none does.

    Shares add up to 1. They weight the accuracy in the bins to one overall accuracy.
    """
    found = (bin_of(one.confidence, one.correct, False, limits) for one in answers)
    counts = Counter(name for name in found if name is not None)
    total = counts.total()
    return {name: counts[name] / total for name in NATURAL_BINS} if total else {}
