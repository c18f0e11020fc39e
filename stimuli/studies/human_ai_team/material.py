"""What a pack is made of: judged images with their labels, every arm's help, words, samples.

Images are sorted into bins by whether the AI is right and how confident it is (Nguyen et al. 2021).
Bins use the exact confidence, not the rounded one that is shown. If a table has only whole per
cent, `band_of_percent` says which band is meant, and `is_on_limit` says whether the value was on
the limit of a band.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from stimuli.io.canonical import canonical_json
from stimuli.maps.origin import Origin
from stimuli.studies.human_ai_team.protocol import Bins
from stimuli.studies.human_ai_team.tables import ADVERSARIAL, NATURAL_BINS, RIGHT, WRONG

Heatmap = NDArray[np.float32]
Box = tuple[int, int, int, int]
"""x0, y0, x1, y1 in pixels of the crop, from its top left corner; x1 and y1 excluded."""
Words = Mapping[tuple[str, str], str]
"""Words by label (or item) and language; `ANY_LANGUAGE` for all others."""


@dataclass(frozen=True, slots=True)
class Case:
    """An image or a text, and what the AI makes of it.

    Attributes
    ----------
    item
        Its id; an attacked image has one of its own.
    image
        PNG of the crop that the network sees, RGB, size_px a side; empty for a text.
    true_label, predicted_label
        What it shows, and which label is proposed.
    confidence
        The AI's confidence in the proposed label, 0…1, not rounded.
    adversarial
        Whether the image was attacked.
    box
        Where the object lies, None if not known.
    swapped
        Whether the proposed label isn't the AI's; only in validation.
    texts
        The text by language, `ANY_LANGUAGE` for all others; empty for an image.
    """

    item: str
    image: bytes
    true_label: str
    predicted_label: str
    confidence: float
    adversarial: bool = False
    box: Box | None = None
    swapped: bool = False
    texts: Mapping[str, str] = field(default_factory=dict)

    @property
    def content(self) -> bytes:
        """What is judged: the image, or the text in all languages."""
        return canonical_json(dict(self.texts)) if self.texts else self.image

    @property
    def ai_correct(self) -> bool:
        """Whether the proposed label is right."""
        return self.predicted_label == self.true_label


@dataclass(frozen=True, slots=True)
class Metric:
    """How well a map points at the object; None where it can't be said."""

    pointing_game: float | None
    iou: float | None
    wsl: float | None


@dataclass(frozen=True, slots=True)
class AiAnswer:
    """The AI alone on an image of the source as it is."""

    item: str
    confidence: float
    correct: bool


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """All that a pack is made of.

    Attributes
    ----------
    main
        Images of the sheets: per_bin of each natural bin, adversarial_per_level of each level.
    validation, practice
        Images of these phases.
    heatmaps
        By arm and item: float32 (size_px, size_px), 0…1, over all of the crop.
    examples
        By item: PNGs of the examples, the nearest first, of the crop's size.
    texts
        By arm, then by item and language, the help in words.
    names, definitions
        By label and language, of every predicted label.
    samples
        By predicted label: PNGs of images that show what it means.
    metrics
        By item and arm.
    origins
        By arm who made its help.
    ai
        The AI alone on all natural images of the source, in the bins or not.
    found
        How many images of the source fall into each bin (`tables.BINS`).
    passed_over
        By arm how many images were drawn but left out because the arm had no help for them.
    learned
        Whether the examples are images that the network has learned from.
    """

    main: Sequence[Case]
    validation: Sequence[Case]
    practice: Sequence[Case]
    heatmaps: Mapping[str, Mapping[str, Heatmap]] = field(default_factory=dict)
    examples: Mapping[str, Sequence[bytes]] = field(default_factory=dict)
    texts: Mapping[str, Words] = field(default_factory=dict)
    names: Words = field(default_factory=dict)
    definitions: Words = field(default_factory=dict)
    samples: Mapping[str, Sequence[bytes]] = field(default_factory=dict)
    metrics: Mapping[tuple[str, str], Metric] = field(default_factory=dict)
    origins: Mapping[str, Origin] = field(default_factory=dict)
    ai: Sequence[AiAnswer] = ()
    found: Mapping[str, int] = field(default_factory=dict)
    passed_over: Mapping[str, int] = field(default_factory=dict)
    learned: bool = False

    @property
    def cases(self) -> tuple[Case, ...]:
        """All judged images."""
        return (*self.main, *self.validation, *self.practice)

    def blank(self, arm: str) -> tuple[str, ...]:
        """Return the main images whose map in an arm marks nothing."""
        maps = self.heatmaps[arm]
        return tuple(case.item for case in self.main if not maps[case.item].any())


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
    bins = (bin_of(answer.confidence, answer.correct, False, limits) for answer in answers)
    counts = Counter(name for name in bins if name is not None)
    total = counts.total()
    return {name: counts[name] / total for name in NATURAL_BINS} if total else {}
