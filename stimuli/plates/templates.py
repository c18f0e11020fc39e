"""The digits that observers have in mind, and how they are carried in a pack."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from stimuli.colour.spaces import Floats
from stimuli.errors import UserError
from stimuli.images.smoothing import smooth
from stimuli.plates.masks import digit_mask, pixel_columns, pixel_rows
from stimuli.plates.packing import Packing
from stimuli.plates.spec import PlateSpec

LABELS = 11
NO_NUMERAL = 10
"""Where "no numeral" stands in a posterior, after the digits."""

TEMPLATE_PX = 64
TEMPLATE_BLUR_PX = 1.5
FORMAT = "plainsight-templates-1"
INK_STEPS = 255


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
    """

    ink: NDArray[np.float32]
    labels: NDArray[np.int64]

    @classmethod
    def from_images(
        cls,
        images: NDArray[np.floating],
        labels: NDArray[np.integer],
        per_label: int = 100,
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

    def pooled(self, log_likelihood: Floats) -> Floats:
        """Return the mean likelihood of each digit's exemplars, as logarithms (E, …) → (10, …)."""
        starts = np.searchsorted(self.labels, np.arange(NO_NUMERAL))
        counts = np.bincount(self.labels, minlength=NO_NUMERAL)
        peak = np.maximum.reduceat(log_likelihood, starts, axis=0)
        spread = np.exp(log_likelihood - np.repeat(peak, counts, axis=0))
        mean = np.add.reduceat(spread, starts, axis=0)
        return peak + np.log(mean) - np.log(counts).reshape(-1, *[1] * (mean.ndim - 1))


def _template(image: NDArray[np.floating], spec: PlateSpec) -> NDArray[np.float32]:
    mask = digit_mask(image, spec, TEMPLATE_PX)
    return smooth(mask, TEMPLATE_BLUR_PX).astype(np.float32).ravel()


def templates_bytes(templates: DigitTemplates) -> bytes:
    """Return templates as safetensors, ink in 255ths: equal templates, equal bytes."""
    tensors = {
        "ink": np.round(templates.ink * INK_STEPS).astype(np.uint8),
        "labels": templates.labels,
    }
    # One entry only: safetensors writes several in an order that changes from run to run.
    return save(tensors, {"format": FORMAT})


def templates_from_bytes(data: bytes) -> DigitTemplates:
    """Read what `templates_bytes` made; UserError if it is something else."""
    try:
        tensors = load(data)
        ink = tensors["ink"].astype(np.float32) / INK_STEPS
        return DigitTemplates(ink, tensors["labels"])
    except (SafetensorError, KeyError, ValueError, TypeError) as fault:
        raise UserError(f"these are not digit templates ({fault}); build the pack again") from None
