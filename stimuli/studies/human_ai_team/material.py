"""What a pack is made of: judged images with their labels, every arm's help, words, samples."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from stimuli.io.canonical import canonical_json
from stimuli.maps.origin import Origin

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
