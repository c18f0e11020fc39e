"""The digits that somebody has in mind who has seen many: exemplars, or prototypes of many images.

A few exemplars stand for UCI's digits, of which there are few and which look alike. MNIST's differ
more: of its plates, whose dots all showed whether they are figure, a reader who knows 100 exemplars
of each digit still took one in seven for another digit. So many images are gathered into
prototypes, which say how often there is ink at each place.
"""

import numpy as np
from numpy.typing import NDArray

from stimuli.images.digits import Digits
from stimuli.images.smoothing import smooth
from stimuli.plates.masks import digit_mask
from stimuli.plates.spec import PlateSpec
from stimuli.plates.templates import NO_NUMERAL, TEMPLATE_PX, DigitTemplates

PROTOTYPES, IMAGES = 150, 1500
"""Prototypes of each digit, and the images that they are made of."""
PROTOTYPE_PIECES = 4
PROTOTYPE_BLUR_PX = 0.7
WHOLE_DIGIT = 0.5
"""Weight, in images, of a digit's mean over all of its images in each of its prototypes."""


def digits_in_mind(digits: Digits, spec: PlateSpec = PlateSpec()) -> DigitTemplates:
    """Return what observers know of a source's digits, from its training images alone.

    Prototypes where there are `IMAGES` of each digit to train on, else exemplars.
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

    The first images drawn are the centres. Each image goes to the centre from which its mask
    differs least, and a prototype is the mean of the masks of one centre. Differences are counts
    of pixels, so the same images give the same prototypes on every machine.

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
        (masks[own].sum(axis=0) + usual) / (own.sum() + WHOLE_DIGIT)
        for own in (nearest == centre for centre in range(count))
    ]
    return [smooth(mean, PROTOTYPE_BLUR_PX).astype(np.float32).ravel() for mean in means]
