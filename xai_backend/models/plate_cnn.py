"""The network that reads plates.

Its front does what an eye's red–green channel does: light is decoded, turned into the
difference of L and M cone signals (zero at the plate's base colour, above it for figure
dots on either confusion axis), scaled to the plate's own contrast, and rectified. Luminance
and S noise, which carry nothing, never reach the trained layers, and a black patch is "no
figure here", not a shape of its own. Then five small convolutions and a mean over the plate.
"""

import numpy as np
import torch
from torch import Tensor, nn

from stimuli.colour.display import linear_to_lms
from stimuli.colour.spaces import srgb_decode
from stimuli.plates.spec import PlateSpec, base_lms
from xai_backend.models.image_model import ImageModel

ARCHITECTURE = "plate_cnn"
VERSION = 1
"""Raised by hand whenever the same settings would make other weights."""

DIGITS = 10
CONTRAST_FLOOR = 0.005
"""RMS red–green signal (relative cone contrast) below which a plate isn't scaled up further:
a third of that of the lowest rung, so that rounding to 8 bits isn't made into a pattern."""

WIDTHS = (16, 32, 64, 64, 128)
LAST_FEATURES = str(3 * len(WIDTHS))
"""The last convolution's rectified output."""


class RedGreen(nn.Module):
    """Red–green cone signal of sRGB images: L/L₀ − M/M₀, with the plate's base colour as zero.

    Pointwise; black gives 0.
    """

    weights: Tensor
    table: Tensor

    def __init__(self, spec: PlateSpec) -> None:
        super().__init__()
        self.spec = spec
        base_l, base_m, _ = base_lms(spec)
        guns = linear_to_lms(np.eye(3))
        weights = guns[:, 0] / base_l - guns[:, 1] / base_m
        table = srgb_decode(np.arange(256) / 255)[None, :] * weights[:, None]
        self.register_buffer("weights", torch.from_numpy(weights).to(torch.float32))
        self.register_buffer("table", torch.from_numpy(table).to(torch.float32), persistent=False)

    def forward(self, images: Tensor) -> Tensor:
        """Return the signal (n, 1, H, W) of images (n, 3, H, W), RGB codes as fractions."""
        linear = torch.where(
            images <= 0.04045, images / 12.92, ((images.clamp(min=0) + 0.055) / 1.055) ** 2.4
        )
        return (linear * self.weights.view(1, 3, 1, 1)).sum(dim=1, keepdim=True)

    def of_codes(self, codes: Tensor) -> Tensor:
        """Return the same (n, 1, H, W) of 8-bit codes, uint8 (n, H, W, 3), by table."""
        guns = [self.table[gun][codes[..., gun].long()] for gun in range(3)]
        return (guns[0] + guns[1] + guns[2])[:, None]


class PlateContrast(nn.Module):
    """Scale a signal (n, 1, H, W) by its RMS over the plate, then rectify it."""

    def forward(self, signal: Tensor) -> Tensor:
        """Return the scaled signal, ≥ 0."""
        power = signal.square().mean(dim=(1, 2, 3), keepdim=True)
        return torch.relu(signal / (power + CONTRAST_FLOOR**2).sqrt())


def plate_cnn(spec: PlateSpec = PlateSpec()) -> ImageModel:
    """Return the untrained network for plates of a look; weights from torch's generator."""
    return ImageModel(RedGreen(spec), plate_layers(), LAST_FEATURES)


def plate_layers() -> nn.Sequential:
    """Return its layers after the front, untrained."""
    first, second, third, fourth, fifth = WIDTHS
    return nn.Sequential(
        PlateContrast(),
        # Dots are 1 to 3 pixels wide: the first layer sums them over a stroke's width.
        *_block(1, first, kernel=8, stride=4, padding=2),
        *_block(first, second, stride=2),
        *_block(second, third),
        *_block(third, fourth, stride=2),
        *_block(fourth, fifth),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(fifth, DIGITS),
    )


def _block(
    channels_in: int, channels_out: int, kernel: int = 3, stride: int = 1, padding: int = 1
) -> list[nn.Module]:
    convolution = nn.Conv2d(channels_in, channels_out, kernel, stride, padding, bias=False)
    return [convolution, nn.BatchNorm2d(channels_out), nn.ReLU()]
