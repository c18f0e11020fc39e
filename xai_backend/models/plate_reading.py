"""How well a network reads plates that it has never seen."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.stats import binomtest

from stimuli.colour.spaces import Axis
from stimuli.images.digits import Digits
from stimuli.io.canonical import keyed_order, seed_of
from stimuli.plates.masks import digit_mask
from stimuli.plates.plate import Plate, make_plate
from stimuli.plates.render import cover, recolour
from stimuli.plates.spec import PlateSpec, with_contrast
from xai_backend.determinism import deterministic
from xai_backend.models.image_model import ImageModel, as_images, logits_of
from xai_backend.models.plate_cnn import DIGITS
from xai_backend.progress import Advance

VERSION = 1


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Share of plates that the network reads correctly at one axis and contrast.

    Attributes
    ----------
    axis, rung, contrast
        The plates' axis, rung and contrast; rung 0 is zero contrast, at which nothing can be read.
    accuracy, ci_low, ci_high
        Share, and Wilson's 95 % interval.
    chance
        Share that would be right if the same answers had nothing to do with the digits:
        answers and digits are not all equally frequent.
    n
        Number of plates.
    """

    axis: str
    rung: int
    contrast: float
    accuracy: float
    ci_low: float
    ci_high: float
    chance: float
    n: int


def held_out_plates(
    digits: Digits, spec: PlateSpec, seed: int, most: int, without: frozenset[int]
) -> list[tuple[Plate, int]]:
    """Return plates with their digits: held-out digits, each on its own packing.

    Parameters
    ----------
    most
        Most plates.
    without
        Indices of digits to leave out, such as those of a pack.
    """
    left = [int(index) for index in digits.held_out_indices if int(index) not in without]
    chosen = keyed_order(left, seed, "evaluation")[:most]
    return [
        (
            make_plate(
                digit_mask(digits.images[index], spec),
                seed_of("evaluation plate", seed, index),
                seed_of("evaluation packing", seed, index),
                spec,
            ),
            int(digits.labels[index]),
        )
        for index in chosen
    ]


def accuracies(
    model: ImageModel,
    plates: Sequence[tuple[Plate, int]],
    places: Sequence[tuple[Axis, int, float]],
    spec: PlateSpec,
    input_px: int,
    advance: Advance = lambda plates: None,
) -> list[Accuracy]:
    """Return a network's accuracy at each place (axis, rung, contrast as Δu′v′)."""
    answers = np.zeros((len(places), len(plates)), dtype=np.int64)
    with deterministic():
        for number, (plate, _) in enumerate(plates):
            pictures = pictures_of(plate, [(axis, c) for axis, _, c in places], spec, input_px)
            logits = logits_of(model, as_images(torch.from_numpy(pictures)), len(places))
            answers[:, number] = logits.argmax(dim=1).numpy()
            advance(1)
    labels = np.array([label for _, label in plates])
    return [
        _accuracy(place, place_answers, labels)
        for place, place_answers in zip(places, answers, strict=True)
    ]


def pictures_of(
    plate: Plate, colours: Sequence[tuple[Axis, float]], spec: PlateSpec, input_px: int
) -> NDArray[np.uint8]:
    """Return a plate in several colours (axis, contrast), uint8 (n, input_px, input_px, 3)."""
    coverage = cover(plate.packing, input_px)
    pictures = [
        recolour(coverage, with_contrast(plate.lms, plate.figure, axis, c, spec), spec=spec)
        for axis, c in colours
    ]
    return np.stack(pictures)


def _accuracy(
    place: tuple[Axis, int, float], answers: NDArray[np.int64], labels: NDArray[np.int64]
) -> Accuracy:
    axis, rung, contrast = place
    n, hits = len(labels), int((answers == labels).sum())
    answered, true = (np.bincount(values, minlength=DIGITS) / n for values in (answers, labels))
    interval = binomtest(hits, n).proportion_ci(method="wilson")
    return Accuracy(
        axis=axis,
        rung=rung,
        contrast=contrast,
        accuracy=hits / n,
        ci_low=float(interval.low),
        ci_high=float(interval.high),
        chance=float((answered * true).sum()),
        n=n,
    )
