"""The digits that observers have in mind, and how a pack stores them.

Somebody who has seen many digits remembers single exemplars, or prototypes of many images. A few
exemplars are enough for UCI's digits, which are few and look alike. MNIST's digits differ more. A
reader who knew 100 exemplars of each digit still mistook the digit of one MNIST plate in seven,
although every dot showed whether it was figure. So many images are combined into prototypes, which
say how often there is ink at each place.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from stimuli.colour.spaces import Floats
from stimuli.errors import UserError
from stimuli.images.digits import Digits
from stimuli.images.filters import smooth
from stimuli.plates.masks import digit_mask, pixel_columns, pixel_rows
from stimuli.plates.packing import Packing
from stimuli.plates.spec import PlateSpec

LABELS = 11
NO_NUMERAL = 10
"""Index of "no numeral" in a posterior, after the digits."""

EXEMPLARS = 100
"""Default number of exemplars of each digit."""
TEMPLATE_PX = 64
TEMPLATE_BLUR_PX = 1.5
FORMAT = "plainsight-templates-1"
INK_STEPS = 255
PROTOTYPES, IMAGES = 150, 1500
"""Number of prototypes of each digit, and of the images that they are made from."""
PROTOTYPE_PIECES = 4
PROTOTYPE_BLUR_PX = 0.7
WHOLE_DIGIT = 0.5
"""Weight, in images, of a digit's mean over all of its images in each of its prototypes."""


@dataclass(frozen=True, slots=True, eq=False)
class DigitTemplates:
    """The digits that an observer has in mind.

    Parameters
    ----------
    ink
        float32 (TEMPLATE_PX², E): how surely exemplar e has ink, 0…1; flat picture of the
        square around the plate, row 0 on top.
    labels
        int64 (E,), ascending, each of 0…9 at least once.
    pieces
        How finely ink between 0 and 1 is told apart. 1: an outline, whose log likelihood is
        mixed from those with and without ink. More: ink is a probability, and the log likelihood
        runs straight between so many equal steps of it.
    """

    ink: NDArray[np.float32]
    labels: NDArray[np.int64]
    pieces: int = 1

    @classmethod
    def from_images(
        cls,
        images: NDArray[np.floating],
        labels: NDArray[np.integer],
        per_label: int = EXEMPLARS,
        seed: int = 0,
        spec: PlateSpec = PlateSpec(),
    ) -> "DigitTemplates":
        """Draw exemplars of each digit from images (n, h, w) with labels (n,).

        Raises
        ------
        ValueError
            If a digit has no image.
        """
        rng = np.random.Generator(np.random.PCG64(seed))
        chosen: list[int] = []
        for label in range(NO_NUMERAL):
            of_label = np.flatnonzero(np.asarray(labels) == label)
            if not len(of_label):
                raise ValueError(f"there is no image of the digit {label}")
            count = min(per_label, len(of_label))
            chosen += sorted(rng.choice(of_label, count, replace=False).tolist())
        ink = np.stack([_template(images[index], spec) for index in chosen], axis=1)
        return cls(ink, np.asarray(labels)[chosen].astype(np.int64))

    def at_dots(self, packing: Packing) -> NDArray[np.float32]:
        """Return how surely each dot's centre lies on each exemplar's ink, float32 (N, E)."""
        row, column = pixel_rows(packing.y, TEMPLATE_PX), pixel_columns(packing.x, TEMPLATE_PX)
        return self.ink[row * TEMPLATE_PX + column]

    def likelihood(
        self, ink: NDArray[np.float32], at_steps: Sequence[NDArray[np.float32]]
    ) -> Floats:
        """Return each exemplar's log likelihood (E, K) from that of every dot.

        Parameters
        ----------
        ink
            As of `at_dots`, (N, E).
        at_steps
            ``pieces`` + 1 arrays (N, K): log likelihoods of the dots from no ink to sure ink.
        """
        total = np.zeros((ink.shape[1], at_steps[0].shape[1]))
        for piece, (less, more) in enumerate(pairwise(at_steps)):
            share = ink if self.pieces == 1 else np.clip(ink * self.pieces - piece, 0, 1)
            total += share.T @ (more - less)
        return total + at_steps[0].sum(axis=0, dtype=np.float64)

    def pooled(self, log_likelihood: Floats) -> Floats:
        """Return the mean likelihood of each digit's exemplars, as logarithms (E, …) → (10, …)."""
        starts = np.searchsorted(self.labels, np.arange(NO_NUMERAL))
        counts = np.bincount(self.labels, minlength=NO_NUMERAL)
        peak = np.maximum.reduceat(log_likelihood, starts, axis=0)
        spread = np.exp(log_likelihood - np.repeat(peak, counts, axis=0))
        mean = np.add.reduceat(spread, starts, axis=0)
        return peak + np.log(mean) - np.log(counts).reshape(-1, *[1] * (mean.ndim - 1))


def shape_posterior(
    templates: DigitTemplates, region_mask: NDArray[np.bool_], sharpness: float = 30.0
) -> Floats:
    """Return how much a region alone looks like each digit, (10,) summing to 1.

    Parameters
    ----------
    templates
        The digits in mind.
    region_mask
        bool (R, R), picture of the square around the plate.
    sharpness
        How strongly a better overlap (intersection ÷ union with the nearest exemplar)
        is preferred: exponent of e per unit.
    """
    at = ((np.arange(TEMPLATE_PX) + 0.5) / TEMPLATE_PX * len(region_mask)).astype(int)
    shape = region_mask[np.ix_(at, at)].ravel().astype(np.float32)
    both = shape @ templates.ink
    either = shape.sum() + templates.ink.sum(axis=0) - both
    overlap = np.divide(both, either, out=np.zeros_like(both), where=either > 0)
    starts = np.searchsorted(templates.labels, np.arange(NO_NUMERAL))
    best = np.maximum.reduceat(overlap, starts).astype(np.float64) * sharpness
    return np.exp(normalised(best))


def normalised(score: Floats) -> Floats:
    """Return log scores (…, K) less the logarithm of the sum of their exponentials."""
    peak = score.max(axis=-1, keepdims=True)
    return score - peak - np.log(np.exp(score - peak).sum(axis=-1, keepdims=True))


def _template(image: NDArray[np.floating], spec: PlateSpec) -> NDArray[np.float32]:
    grey = np.asarray(image, dtype=np.float64)
    return _template_of(grey.tobytes(), grey.shape, spec)


@lru_cache(maxsize=2 * NO_NUMERAL * EXEMPLARS)
def _template_of(grey: bytes, shape: tuple[int, ...], spec: PlateSpec) -> NDArray[np.float32]:
    """Return an image's template, cached by its bytes: observers of one process share templates."""
    mask = digit_mask(np.frombuffer(grey).reshape(shape), spec, TEMPLATE_PX)
    return smooth(mask, TEMPLATE_BLUR_PX).astype(np.float32).ravel()


def templates_bytes(templates: DigitTemplates) -> bytes:
    """Return templates as safetensors, ink in 255ths: equal templates, equal bytes."""
    tensors = {
        "ink": np.round(templates.ink * INK_STEPS).astype(np.uint8),
        "labels": templates.labels,
    }
    if templates.pieces != 1:
        tensors["pieces"] = np.array([templates.pieces])
    # One entry only: safetensors writes several in an order that changes from run to run.
    return save(tensors, {"format": FORMAT})


def templates_from_bytes(data: bytes) -> DigitTemplates:
    """Return templates from bytes made by `templates_bytes`; UserError for other bytes."""
    try:
        tensors = load(data)
        ink = tensors["ink"].astype(np.float32) / INK_STEPS
        pieces = int(tensors["pieces"][0]) if "pieces" in tensors else 1
        return DigitTemplates(ink, tensors["labels"], pieces)
    except (SafetensorError, KeyError, ValueError, TypeError) as fault:
        raise UserError(f"these are not digit templates ({fault}); build the pack again") from None


def digits_in_mind(digits: Digits, spec: PlateSpec = PlateSpec()) -> DigitTemplates:
    """Return observers' templates of a source's digits, made only from its training images.

    These are prototypes if there are `IMAGES` training images of each digit, else exemplars.
    """
    images, labels = digits.images[digits.train_indices], digits.labels[digits.train_indices]
    if np.bincount(labels, minlength=NO_NUMERAL).min() < IMAGES:
        return DigitTemplates.from_images(images, labels, spec=spec)
    return prototypes(images, labels, spec)


def prototypes(
    images: NDArray[np.floating],
    labels: NDArray[np.integer],
    spec: PlateSpec = PlateSpec(),
    count: int = PROTOTYPES,
    of: int = IMAGES,
    seed: int = 0,
) -> DigitTemplates:
    """Return prototypes of each digit.

    The first drawn images are the centres. Each image is assigned to the centre from which its mask
    differs least, and a prototype is the mean of one centre's masks. Differences are counts of
    pixels, so the same images give the same prototypes on every machine.

    Parameters
    ----------
    images, labels
        (n, h, w) and (n,); at least ``of`` of each digit.
    count, of
        Prototypes of a digit, and images drawn for them.
    """
    rng = np.random.Generator(np.random.PCG64(seed))
    ink = []
    for label in range(NO_NUMERAL):
        drawn = rng.choice(np.flatnonzero(labels == label), of, replace=False)
        masks = np.stack([digit_mask(images[index], spec, TEMPLATE_PX) for index in drawn])
        ink += _prototypes(masks, count)
    pieces = PROTOTYPE_PIECES
    return DigitTemplates(np.stack(ink, axis=1), np.repeat(np.arange(NO_NUMERAL), count), pieces)


def _prototypes(masks: NDArray[np.bool_], count: int) -> list[NDArray[np.float32]]:
    flat = masks.reshape(len(masks), -1).astype(np.float32)
    centres = flat[:count]
    # Whole numbers below 2**24: exact in single precision, whatever the order of the sums.
    nearest = (centres.sum(axis=1) - 2 * flat @ centres.T).argmin(axis=1)
    usual = WHOLE_DIGIT * masks.mean(axis=0)
    means = [
        (masks[in_cluster].sum(axis=0) + usual) / (in_cluster.sum() + WHOLE_DIGIT)
        for in_cluster in (nearest == centre for centre in range(count))
    ]
    return [smooth(mean, PROTOTYPE_BLUR_PX).astype(np.float32).ravel() for mean in means]
