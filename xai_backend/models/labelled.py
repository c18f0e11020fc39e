"""Pictures with their classes, on which networks for pictures are trained and tested.

During training, pictures vary by small random changes that keep their class.
"""

import hashlib
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from stimuli.errors import UserError
from stimuli.io.canonical import canonical_json
from xai_backend.models.image_model import as_images


@dataclass(frozen=True, slots=True)
class Augmentation:
    """How far pictures vary while a network learns; each value is drawn evenly from ±.

    Attributes
    ----------
    rotation_deg
        Turn about the centre, degrees.
    scale_share
        Change of size, as a share of it.
    shift_share
        Shift along each side, as a share of the side.
    shear_share
        Slant, as a share of the height.
    mirrored
        Whether half of the pictures are mirrored left to right.
    """

    rotation_deg: float = 10.0
    scale_share: float = 0.1
    shift_share: float = 0.06
    shear_share: float = 0.1
    mirrored: bool = False

    def __post_init__(self) -> None:
        shares = (self.rotation_deg, self.shift_share, self.shear_share)
        if min(shares) < 0 or not 0 <= self.scale_share < 1:
            raise ValueError("an augmentation's ranges start at 0, and scale_share ends below 1")


def varied(images: Tensor, augmentation: Augmentation, generator: torch.Generator) -> Tensor:
    """Return images (n, 3, H, W), each turned, scaled, slanted, shifted and mirrored at random.

    Pixels from beyond the edge repeat the edge. Pixels are interpolated bilinearly.

    Parameters
    ----------
    images
        On the CPU.
    augmentation
        Ranges of the variation.
    generator
        Random generator of the draws, on the CPU.
    """
    count = len(images)
    draws = 2 * torch.rand(6, count, generator=generator) - 1
    angle = draws[0] * math.radians(augmentation.rotation_deg)
    scale = 1 / (1 + draws[1] * augmentation.scale_share)
    shear = draws[2] * augmentation.shear_share
    turn = torch.stack([angle.cos(), -angle.sin(), angle.sin(), angle.cos()]).T.view(count, 2, 2)
    slant = torch.eye(2).repeat(count, 1, 1)
    slant[:, 0, 1] = shear
    shift = 2 * augmentation.shift_share * draws[3:5].T
    linear = scale[:, None, None] * turn @ slant
    if augmentation.mirrored:
        linear[draws[5] < 0, :, 0] *= -1
    grid = functional.affine_grid(
        torch.cat([linear, shift[:, :, None]], dim=2), list(images.shape), align_corners=False
    )
    return functional.grid_sample(images, grid, padding_mode="border", align_corners=False)


Rows = NDArray[np.int64]

HASHED_AT_ONCE = 256


class Codes(Protocol):
    """RGB codes of n pictures: an array, or an object that reads them when they are indexed."""

    def __len__(self) -> int:
        """Return how many pictures there are."""

    def __getitem__(self, rows: Rows, /) -> NDArray[np.uint8]:
        """Return the codes (k, H, W, 3) of some pictures."""


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """Pictures in a network's frame, each of one class.

    Attributes
    ----------
    codes
        uint8 (n, H, W, 3), all of one size.
    labels
        int64 (n,): indices into ``classes``.
    classes
        The classes' ids, in the order of a network's outputs.
    names
        A name for each picture, by which it is found again; if empty, their numbers.

    Raises
    ------
    UserError
        If codes, labels, classes and names don't fit together, or a class has no picture.
    """

    codes: Codes
    labels: NDArray[np.int64]
    classes: tuple[str, ...]
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        count = len(self.labels)
        if len(self.codes) != count or (self.names and len(self.names) != count):
            raise UserError(f"{len(self.codes)} pictures, {count} labels, {len(self.names)} names")
        if count and not 0 <= self.labels.min() <= self.labels.max() < len(self.classes):
            raise UserError(f"a label is none of {len(self.classes)} classes")
        empty = set(range(len(self.classes))) - set(self.labels.tolist())
        if empty:
            raise UserError(f"there is no picture of class {self.classes[min(empty)]}")

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def side_px(self) -> int:
        """Width and height of every picture, pixels; UserError if they aren't square."""
        height, width = self.codes[np.zeros(1, dtype=np.int64)].shape[1:3]
        if height != width:
            raise UserError(f"pictures of {width}×{height} px: a network's frame is square")
        return height

    def name(self, row: int) -> str:
        """Return a picture's name."""
        return self.names[row] if self.names else str(row)

    def images(self, rows: Tensor) -> Tensor:
        """Return images (k, 3, H, W), float32 0…1, of some pictures (int64)."""
        return as_images(torch.from_numpy(np.ascontiguousarray(self.codes[rows.numpy()])))

    def targets(self, rows: Tensor) -> Tensor:
        """Return the labels, int64 (k,), of some pictures."""
        return torch.from_numpy(self.labels[rows.numpy()])

    def content_sha256(self) -> str:
        """Return a hash of codes, labels and classes: they determine what a network learns."""
        digest = hashlib.sha256(canonical_json([self.labels.tolist(), list(self.classes)]))
        for start in range(0, len(self), HASHED_AT_ONCE):
            rows = np.arange(start, min(start + HASHED_AT_ONCE, len(self)))
            codes = np.ascontiguousarray(self.codes[rows])
            digest.update(canonical_json(codes.shape) + codes.tobytes())
        return digest.hexdigest()


def shuffled_batches(
    pictures: Labelled, size: int, augmentation: Augmentation, seed: int
) -> Iterator[tuple[Tensor, Tensor]]:
    """Yield varied images and their labels; each picture once, in an order drawn by the seed.

    Parameters
    ----------
    pictures
        The pictures to draw from.
    size
        Pictures in a batch; the last one may have fewer.
    augmentation
        How images vary.
    seed
        Seed of the order and of the variation.
    """
    generator = torch.Generator().manual_seed(seed)
    for rows in torch.randperm(len(pictures), generator=generator).split(size):
        yield varied(pictures.images(rows), augmentation, generator), pictures.targets(rows)
