"""Small random changes that leave a picture's class as it is."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional


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

    What comes in from beyond the edge repeats the edge. Pixels are interpolated bilinearly.

    Parameters
    ----------
    images
        On the CPU.
    augmentation
        Ranges.
    generator
        Of the draws, on the CPU.
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
