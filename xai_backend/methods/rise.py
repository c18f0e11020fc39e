"""RISE: the mean of random masks, weighted by what the network says of the masked image."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from xai_backend.methods.method import Execution, OneByOne, generator_for
from xai_backend.models.image_model import ImageModel

MASKS_AT_ONCE = 32
"""Masks that are drawn together, however many go through the network together."""


@dataclass(frozen=True, slots=True)
class Rise(OneByOne):
    """Randomized input sampling (Petsiuk, Das & Saenko 2018, equation 6 and section 3.2).

    A mask is a grid of cells that are shown with a given probability, enlarged bilinearly and
    shifted by up to a cell. The published map is the target's mean probability of the masked
    images that show a pixel. From it the mean probability of all masked images is subtracted, so
    that 0 means that showing the pixel changes nothing. What is hidden is black.

    Attributes
    ----------
    masks
        How many masks.
    cells
        Cells of a mask in a row, and in a column.
    shown
        Probability that a cell is shown.
    """

    masks: int = 4000
    cells: int = 7
    shown: float = 0.5

    name: ClassVar[str] = "rise"
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        for name in ("masks", "cells"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}, must be 1 or more")
        if not 0 < self.shown < 1:
            raise ValueError(f"shown is {self.shown}, must lie between 0 and 1")

    @torch.no_grad()
    def map_of(self, model: ImageModel, image: Tensor, target: int, execution: Execution) -> Tensor:
        """Return a map (H, W); see `OneByOne.map_of`."""
        at_once = execution.at_once or MASKS_AT_ONCE
        generator = generator_for(self.name, image, target)
        picture = image.to(model.device)
        # In double precision: what is left of two nearly equal means is small.
        total, mean = picture[0].double() * 0, 0.0
        for start in range(0, self.masks, MASKS_AT_ONCE):
            count = min(MASKS_AT_ONCE, self.masks - start)
            drawn = self.drawn(generator, count, image.shape[1:])
            for masks in drawn.to(picture).split(at_once):
                logits = model(picture * masks[:, None]).double()
                scores = logits.softmax(dim=1)[:, target]
                total += torch.einsum("n,nhw->hw", scores, masks.double())
                mean += float(scores.sum()) / self.masks
        return total / (self.masks * self.shown) - mean

    def drawn(self, generator: np.random.Generator, count: int, size: tuple[int, ...]) -> Tensor:
        """Return masks (count, H, W), 0…1, for images of a size."""
        cell = [-(-side // self.cells) for side in size]
        whole = [(self.cells + 1) * side for side in cell]
        grids = generator.random((count, 1, self.cells + 1, self.cells + 1)) < self.shown
        shifts = np.stack([generator.integers(side, size=count) for side in cell], axis=1)
        fine = functional.interpolate(
            torch.from_numpy(grids.astype(np.float32)), tuple(whole), mode="bilinear",
            align_corners=False,
        )[:, 0]  # fmt: skip
        rows, columns = size
        return torch.stack(
            [
                mask[down : down + rows, right : right + columns]
                for mask, (down, right) in zip(fine, shifts.tolist(), strict=True)
            ]
        )
