"""Photographs, and the frame in which a network sees them."""

from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError
from torch import Tensor, nn

from stimuli.errors import UserError
from stimuli.images.pictures import read_rgb

SUFFIXES = frozenset({".bmp", ".gif", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"})
"""Of files that are taken for photographs, in lower case."""

PREPROCESSING = "codes/255"
"""What is done to a picture before a network whose weights hold all the rest."""

IMAGENET_MEAN = (0.485, 0.456, 0.406)
IMAGENET_STD = (0.229, 0.224, 0.225)


RESAMPLING = MappingProxyType(
    {"bilinear": Image.Resampling.BILINEAR, "bicubic": Image.Resampling.BICUBIC}
)


class Normalise(nn.Module):
    """(image − mean) / std, channel by channel: pointwise, as `ImageModel` demands."""

    mean: Tensor
    std: Tensor

    def __init__(self, mean: tuple[float, ...], std: tuple[float, ...]) -> None:
        super().__init__()
        self.register_buffer("mean", torch.tensor(mean).view(1, -1, 1, 1), persistent=False)
        self.register_buffer("std", torch.tensor(std).view(1, -1, 1, 1), persistent=False)

    def forward(self, images: Tensor) -> Tensor:
        """Return the network's input (n, 3, H, W) of images (n, 3, H, W), fractions 0…1."""
        return (images - self.mean) / self.std


@dataclass(frozen=True, slots=True)
class InputFrame:
    """Which part of a photograph a network sees, and at which size.

    The shorter side is resized, then the centre is cut out (as torchvision's presets do, to
    the pixel). A photograph smaller than the crop is framed in black.

    Attributes
    ----------
    resize_px
        Shorter side after resizing.
    crop_px
        Width and height of the centre that is cut out.
    interpolation
        ``bilinear`` or ``bicubic``, antialiased.
    """

    resize_px: int = 256
    crop_px: int = 224
    interpolation: str = "bilinear"

    def __post_init__(self) -> None:
        if min(self.resize_px, self.crop_px) < 1:
            raise ValueError(f"a frame of {self.resize_px} and {self.crop_px} px is impossible")
        if self.interpolation not in RESAMPLING:
            raise ValueError(f"interpolation is {self.interpolation!r}, not bilinear or bicubic")

    def picture(self, photo: Image.Image) -> Image.Image:
        """Return what the network sees of a photo, in the photo's mode (L, RGB or F)."""
        shorter = min(photo.size)
        size = [int(self.resize_px * side / shorter) for side in photo.size]
        shrunk = photo.resize(size, RESAMPLING[self.interpolation])
        # Black is added below and to the right where the number of pixels is odd, and what is
        # left over is cut off as Python rounds: both as torchvision does.
        left, top = (_start(side, self.crop_px) for side in size)
        return shrunk.crop((left, top, left + self.crop_px, top + self.crop_px))

    def codes(self, photo: Image.Image) -> NDArray[np.uint8]:
        """Return the same as RGB codes, uint8 (crop_px, crop_px, 3)."""
        return np.asarray(self.picture(photo.convert("RGB")), dtype=np.uint8)


def _start(side: int, crop_px: int) -> int:
    """Return where the centre of a side begins; below zero where the side is shorter."""
    return -((crop_px - side) // 2) if crop_px > side else round((side - crop_px) / 2)


def in_frame(
    picture: NDArray[np.uint8], side_px: int, interpolation: str = "bilinear"
) -> NDArray[np.uint8]:
    """Return the whole of a picture at the side that a network takes, so that maps cover it."""
    return InputFrame(side_px, side_px, interpolation).codes(Image.fromarray(picture))


def read_photo(path: Path) -> Image.Image:
    """Return a photograph as RGB, turned the way its camera says.

    Raises
    ------
    UserError
        If the file isn't a whole picture.
    """
    try:
        return read_rgb(path)
    except UnidentifiedImageError:
        raise UserError(f"{path.name}: is not a picture") from None
    except OSError as fault:
        raise UserError(f"{path.name}: can't be read ({fault.strerror or fault})") from None
    except (Image.DecompressionBombError, SyntaxError, ValueError) as fault:
        raise UserError(f"{path.name}: can't be read ({fault})") from None


def photos_in(folder: Path) -> list[Path]:
    """Return a folder's photographs by name; hidden files and other files are left alone.

    Raises
    ------
    UserError
        If there is no such folder, no photograph in it, or two have the same stem.
    """
    if not folder.is_dir():
        raise UserError(f"{folder}: is no folder of images")
    paths = sorted(
        path
        for path in folder.iterdir()
        if path.suffix.lower() in SUFFIXES and path.name[0] != "." and path.is_file()
    )
    if not paths:
        raise UserError(f"{folder}: contains no image ({', '.join(sorted(SUFFIXES))})")
    by_stem: dict[str, Path] = {}
    for path in paths:
        other = by_stem.setdefault(path.stem.casefold(), path)
        if other != path:
            raise UserError(
                f"{folder}: {other.name} and {path.name} would share one name; rename one"
            )
    return paths
