"""The small network for pictures, digits say: trained on a CPU in seconds.

Four convolutions shrink a picture to an eighth of its side, 56 pixels to 7×7 places, each of
which sees a part of 31 pixels; then a mean over all places, and one linear layer.
"""

from torch import nn

from stimuli.errors import UserError
from xai_backend.models.frame import Normalise
from xai_backend.models.image_model import ImageModel

ARCHITECTURE = "picture_cnn"
VERSION = 1
"""Raised by hand whenever the same settings would make other weights."""

INPUT_PX = 56
STRIDE_PX = 8
WIDTHS = (16, 32, 64, 64)
STRIDES = (2, 2, 2, 1)
LAST_FEATURES = str(3 * len(WIDTHS) - 1)
"""The last convolution's rectified output."""

GREY = (0.5, 0.5, 0.5)


def picture_cnn(classes: int) -> ImageModel:
    """Return the untrained network for so many classes; weights from torch's generator."""
    layers: list[nn.Module] = []
    for before, width, stride in zip((3, *WIDTHS[:-1]), WIDTHS, STRIDES, strict=True):
        convolution = nn.Conv2d(before, width, 3, stride, padding=1, bias=False)
        layers += [convolution, nn.BatchNorm2d(width), nn.ReLU()]
    head = [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(WIDTHS[-1], classes)]
    return ImageModel(Normalise(GREY, GREY), nn.Sequential(*layers, *head), LAST_FEATURES)


def check_side(side_px: int) -> None:
    """Refuse pictures whose side isn't a multiple of 8 pixels."""
    if side_px < STRIDE_PX or side_px % STRIDE_PX:
        raise UserError(f"{ARCHITECTURE}: a side of {side_px} px is not a multiple of {STRIDE_PX}")
