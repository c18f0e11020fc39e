"""How pictures are stored: as small as they can be without a visible loss."""

from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

PICTURES: Final = Path(__file__).parents[2] / "docs" / "pictures"
COLOURS: Final = 128
MOST_COLOURS: Final = 5000
"""A screen with more colours than letters and lines have shows a photograph."""
QUALITY: Final = 72


def save(pixels: NDArray[np.uint8] | Image.Image, path: Path) -> None:
    """Write a picture as WebP, which takes few bytes.

    Screens of text are smallest without loss in few colours, photographs with loss.

    Parameters
    ----------
    pixels
        sRGB codes (height, width, 3).
    path
        Ends with ``.webp``; its folder is made.
    """
    image = Image.fromarray(pixels) if isinstance(pixels, np.ndarray) else pixels
    image = image.convert("RGB")
    path.parent.mkdir(parents=True, exist_ok=True)
    if image.getcolors(MOST_COLOURS) is None:
        image.save(path, "webp", method=4, quality=QUALITY)
    else:
        few = image.quantize(COLOURS, dither=Image.Dither.NONE).convert("RGB")
        few.save(path, "webp", method=4, lossless=True)


def save_narrower(path: Path, out: Path, width_px: int) -> None:
    """Write a picture file at most so many pixels wide, on white."""
    with Image.open(path) as image:
        whole = image.convert("RGBA")
    white = Image.new("RGBA", whole.size, "white")
    picture = Image.alpha_composite(white, whole).convert("RGB")
    height_px = round(picture.height * width_px / picture.width)
    if picture.width > width_px:
        picture = picture.resize((width_px, height_px), Image.Resampling.LANCZOS)
    save(picture, out)
