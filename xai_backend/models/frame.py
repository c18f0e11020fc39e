"""Photographs, and the frame in which a network sees them: as pixels, and in words.

`upright` returns the part of a frame that shows the photograph, in the photograph's proportions.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Literal, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError
from torch import Tensor, nn
from torch.nn import functional

from stimuli.errors import UserError
from stimuli.images.pictures import read_rgb

SUFFIXES = frozenset({".bmp", ".gif", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"})
"""Suffixes of photographs' files, in lower case."""

PREPROCESSING = "codes/255"
"""Preprocessing for a network whose weights include all the rest."""

IMAGENET_MEAN = (0.485, 0.456, 0.406)
IMAGENET_STD = (0.229, 0.224, 0.225)


RESAMPLING = MappingProxyType(
    {
        "bilinear": Image.Resampling.BILINEAR,
        "bicubic": Image.Resampling.BICUBIC,
        "lanczos": Image.Resampling.LANCZOS,
    }
)

Fit = Literal["crop", "squash", "pad"]
OddPx = Literal["even", "down"]
Resizer = Literal["pillow", "torch"]
Size = tuple[int, int]
Plane = TypeVar("Plane", NDArray[np.uint8], NDArray[np.float32])


class Normalise(nn.Module):
    """(image − mean) / std, channel by channel: pointwise, as `ImageModel` demands.

    Parameters
    ----------
    mean, std
        Mean and standard deviation of red, green and blue, as fractions 0…1.
    bgr
        Whether the network takes blue first.
    """

    mean: Tensor
    std: Tensor

    def __init__(
        self, mean: tuple[float, ...], std: tuple[float, ...], *, bgr: bool = False
    ) -> None:
        super().__init__()
        self.register_buffer("mean", torch.tensor(mean).view(1, -1, 1, 1), persistent=False)
        self.register_buffer("std", torch.tensor(std).view(1, -1, 1, 1), persistent=False)
        self.bgr = bgr

    def forward(self, images: Tensor) -> Tensor:
        """Return the network's input (n, 3, H, W) for images (n, 3, H, W), fractions 0…1."""
        normalised = (images - self.mean) / self.std
        return normalised.flip(1) if self.bgr else normalised


@dataclass(frozen=True, slots=True)
class Placed:
    """How a frame lies on a whole picture.

    Attributes
    ----------
    size
        Width and height of the whole picture after resizing, pixels.
    left, top
        Where the frame begins in it, pixels; negative where a border comes first.
    """

    size: Size
    left: int
    top: int

    def visible(self, crop_px: int) -> tuple[int, int, int, int]:
        """Return the part of a frame that isn't border: left, top, right and lower edge."""
        return (
            max(0, -self.left),
            max(0, -self.top),
            min(crop_px, self.size[0] - self.left),
            min(crop_px, self.size[1] - self.top),
        )


@dataclass(frozen=True, slots=True)
class InputFrame:
    """Which part of a photograph a network sees, and at which size.

    The photograph is resized, then the centre is cut out. If it is smaller than the frame, it gets
    a border. The result is exactly that of torchvision, timm and Transformers.

    Attributes
    ----------
    resize_px
        Side after resizing; ``fit`` says which.
    crop_px
        Width and height of the centre that is cut out.
    interpolation
        A name of `RESAMPLING`; antialiased.
    fit
        ``crop``: the shorter side becomes ``resize_px``. ``pad``: the longer side does.
        ``squash``: both do, and the proportions change.
    odd_px
        Where an odd number of pixels is cut off: the half pixel is rounded to the ``even`` number,
        as torchvision does, or ``down``, as Transformers does.
    border
        RGB codes of the border.
    resizer
        Who resizes: ``pillow``, as torchvision and timm do, or ``torch``, as Transformers does.
        They differ by one code, rarely by two. On CPUs of different kinds torch's bilinear
        results differ; its others don't.
    """

    resize_px: int = 256
    crop_px: int = 224
    interpolation: str = "bilinear"
    fit: Fit = "crop"
    odd_px: OddPx = "even"
    border: tuple[int, int, int] = (0, 0, 0)
    resizer: Resizer = "pillow"

    def __post_init__(self) -> None:
        if min(self.resize_px, self.crop_px) < 1:
            raise ValueError(f"a frame of {self.resize_px} and {self.crop_px} px is impossible")
        if self.interpolation not in RESAMPLING:
            raise ValueError(f"interpolation is {self.interpolation!r}, not {_one_of(RESAMPLING)}")

    @property
    def of_squares(self) -> "InputFrame":
        """The frame that shows the centre of a photograph as this one shows a square picture.

        It shows people what the network sees, neither squashed nor bordered.
        """
        return replace(self, fit="crop")

    def placed(self, size: Size) -> Placed:
        """Return how this frame lies on a whole picture of a width and height."""
        sides = [max(1, side) for side in self._whole(size)]
        left, top = (self._start(side) for side in sides)
        return Placed((sides[0], sides[1]), left, top)

    def picture(self, photo: Image.Image) -> Image.Image:
        """Return the part of a photo that the network sees, in the photo's mode (L, RGB or F).

        The border has its colour in RGB only; in maps it is 0.
        """
        at, side = self.placed(photo.size), self.crop_px
        resized = self._resized(photo, at.size)
        if photo.mode != "RGB" or not any(self.border):
            return resized.crop((at.left, at.top, at.left + side, at.top + side))
        framed = Image.new("RGB", (side, side), self.border)
        framed.paste(resized, (-at.left, -at.top))
        return framed

    def codes(self, photo: Image.Image) -> NDArray[np.uint8]:
        """Return the part that the network sees as RGB codes, uint8 (crop_px, crop_px, 3)."""
        return np.asarray(self.picture(photo.convert("RGB")), dtype=np.uint8)

    def cut_share(self, size: Size) -> float:
        """Return the share of a photograph's area, 0…1, that the network doesn't see."""
        at = self.placed(size)
        left, top, right, lower = at.visible(self.crop_px)
        return 1 - (right - left) * (lower - top) / (at.size[0] * at.size[1])

    def _whole(self, size: Size) -> Sequence[int]:
        """Return width and height after resizing, each rounded as its library does."""
        if self.fit == "squash":
            return self.resize_px, self.resize_px
        if self.fit == "pad":
            ratio = max(size) / self.resize_px
            return [round(side / ratio) for side in size]
        return [int(self.resize_px * side / min(size)) for side in size]

    def _resized(self, photo: Image.Image, size: Size) -> Image.Image:
        if self.resizer == "pillow" or photo.mode != "RGB" or photo.size == size:
            return photo.resize(size, RESAMPLING[self.interpolation])
        pixels = torch.from_numpy(np.array(photo)).permute(2, 0, 1)[None].contiguous()
        resized = functional.interpolate(
            pixels, (size[1], size[0]), mode=self.interpolation, antialias=True
        )
        return Image.fromarray(resized[0].permute(1, 2, 0).contiguous().numpy())

    def _start(self, side: int) -> int:
        """Return where the centre of a side begins; negative if the side is shorter than the frame.

        A border that can't be the same on both sides is wider on the right and below.
        """
        if self.crop_px > side:
            return -((self.crop_px - side) // 2)
        spare = side - self.crop_px
        return spare // 2 if self.odd_px == "down" else round(spare / 2)


def _one_of(names: Iterable[str]) -> str:
    """Return names as an enumeration: a, b or c."""
    *others, last = names
    return f"{', '.join(others)} or {last}"


def in_frame(picture: NDArray[np.uint8], frame: InputFrame) -> NDArray[np.uint8]:
    """Return a whole square picture at the side of a frame, so that maps cover all of it."""
    whole = replace(frame.of_squares, resize_px=frame.crop_px)
    return whole.codes(Image.fromarray(picture))


def read_photo(path: Path) -> Image.Image:
    """Return a photograph as RGB, turned the way its camera says.

    Raises
    ------
    UserError
        If the file isn't a complete picture.
    """
    try:
        return read_rgb(path)
    except UnidentifiedImageError:
        raise UserError(f"{path.name}: is not a picture") from None
    except OSError as fault:
        raise UserError(f"{path.name}: can't be read ({fault.strerror or fault})") from None
    except (SyntaxError, ValueError) as fault:
        raise UserError(f"{path.name}: can't be read ({fault})") from None


def photos_in(folder: Path) -> list[Path]:
    """Return a folder's photographs, sorted by name; hidden files and other files are ignored.

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


def seen_line(who: str, frame: InputFrame, sizes: Sequence[Size]) -> str:
    """Return a line that says how photographs are resized and how much of them is cut off.

    Parameters
    ----------
    who
        Names who sees them, such as a network.
    frame
        Which part of a photograph is seen.
    sizes
        Widths and heights of the photographs, pixels; one or more.
    """
    cut = [frame.cut_share(size) for size in sizes]
    most = f"{max(cut):.0%}"
    if not max(cut) > 0:
        lost = "Nothing is cut off"
    elif len(cut) == 1:
        lost = f"{most} of its area is cut off"
    else:
        lost = f"{np.mean(cut):.0%} of their area is cut off, {most} of one at most"
    return f"what {who} sees of photographs: {_resizing(frame)}. {lost}"


def cut_line(who: str, frame: InputFrame, sizes: Sequence[Size]) -> str | None:
    """Return `seen_line` if anything is cut off; None otherwise."""
    if not any(frame.cut_share(size) > 0 for size in sizes):
        return None
    return seen_line(who, frame, sizes)


def _resizing(frame: InputFrame) -> str:
    """Return how a photograph is fitted into a frame, in words."""
    side, resized = f"{frame.crop_px} × {frame.crop_px} px", f"{frame.resize_px} px"
    first = {
        "crop": f"the shorter side is resized to {resized}",
        "pad": f"the longer side is resized to {resized}",
        "squash": f"they are squashed to {frame.resize_px} × {resized}",
    }[frame.fit]
    if frame.crop_px > frame.resize_px:
        return f"{first}, and a border makes them {side}"
    if frame.fit == "crop" or frame.crop_px < frame.resize_px:
        return f"{first}, and the central {side} are cut out"
    return f"{first}, and a border makes them {side}" if frame.fit == "pad" else first


def upright(plane: Plane, frame: InputFrame, size: Size) -> Plane:
    """Return the part of a frame that shows the photograph, in the photograph's proportions.

    Borders are cut off, and a squashed picture is stretched again.

    Parameters
    ----------
    plane
        A picture, uint8 (crop_px, crop_px, 3), or a map, float32 (crop_px, crop_px).
    frame
        The frame of the plane.
    size
        Width and height of the whole photograph, pixels.
    """
    at = frame.placed(size)
    left, top, right, lower = at.visible(frame.crop_px)
    part = plane[top:lower, left:right]
    if frame.fit != "squash":
        return part
    across, down = (old / new for old, new in zip(size, at.size, strict=True))
    scale = min(across, down)
    stretched = (round((right - left) * across / scale), round((lower - top) * down / scale))
    return np.asarray(Image.fromarray(part).resize(stretched, Image.Resampling.BILINEAR))
