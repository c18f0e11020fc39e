"""How pictures are stored: as small as they can be without a visible loss."""

from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from analysis.report.style import WIDTH_IN

PICTURES: Final = Path(__file__).parents[2] / "docs" / "pictures"
COLOURS: Final = 128
MOST_COLOURS: Final = 5000
MOST_BYTES: Final = 30_000
"""A screen with more colours or bytes than letters and lines need shows a photograph or a plate."""
QUALITY: Final = 72
FIGURE_PX: Final = 900
PHOTOGRAPH_PX: Final = 960
"""Such a screen is stored no wider."""


def save(pixels: NDArray[np.uint8] | Image.Image, path: Path, *, photograph: bool = False) -> None:
    """Write a picture as WebP, which takes few bytes.

    Screens of text are smallest without loss in few colours, photographs narrower and with loss.

    Parameters
    ----------
    pixels
        sRGB codes (height, width, 3).
    path
        Ends with ``.webp``; its folder is made.
    photograph
        Whether it is a photograph though it may have few colours: a grey one has.
    """
    image = Image.fromarray(pixels) if isinstance(pixels, np.ndarray) else pixels
    image = image.convert("RGB")
    path.parent.mkdir(parents=True, exist_ok=True)
    if not photograph and image.getcolors(MOST_COLOURS) is not None:
        few = image.quantize(COLOURS, dither=Image.Dither.NONE).convert("RGB")
        few.save(path, "webp", method=4, lossless=True)
        if image.width <= PHOTOGRAPH_PX or path.stat().st_size <= MOST_BYTES:
            return
    _narrower(image, PHOTOGRAPH_PX).save(path, "webp", method=4, quality=QUALITY)


def save_narrower(path: Path, out: Path, width_px: int, *, photograph: bool = False) -> None:
    """Write a picture file at most so many pixels wide, on white; see `save`."""
    with Image.open(path) as image:
        whole = image.convert("RGBA")
    white = Image.new("RGBA", whole.size, "white")
    flat = Image.alpha_composite(white, whole).convert("RGB")
    save(_narrower(flat, width_px), out, photograph=photograph)


def save_figure(path: Path, out: Path) -> None:
    """Write a report's figure: one as wide as a page has `FIGURE_PX`, narrower ones their share."""
    with Image.open(path) as image:
        width_in = image.width / image.info["dpi"][0]
    save_narrower(path, out, round(FIGURE_PX * width_in / WIDTH_IN))


def _narrower(image: Image.Image, width_px: int) -> Image.Image:
    if image.width <= width_px:
        return image
    height_px = round(image.height * width_px / image.width)
    return image.resize((width_px, height_px), Image.Resampling.LANCZOS)
