"""Images as a pack holds them: one square size, no metadata, files of one length."""

import io
from collections.abc import Mapping
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps

from stimuli.errors import UserError

Rgb = tuple[int, int, int]
LARGEST_16_BIT = 65535
OF_16_BITS = ("PNG", "PPM")


def read_rgb(file: Path | IO[bytes]) -> Image.Image:
    """Return an image file as 8-bit RGB, in the orientation that its camera recorded.

    Grey images of 16 bits are scaled to 8; Pillow itself would clip them at 255.

    Raises
    ------
    OSError, ValueError, SyntaxError, Image.DecompressionBombError
        If it isn't a whole image, or one whose values have no stated range.
    """
    with Image.open(file) as opened:
        image = ImageOps.exif_transpose(opened)
        # Pillow's mode for 16-bit grey depends on its version and the file's format.
        if image.mode.startswith("I;16") or (image.mode == "I" and opened.format in OF_16_BITS):
            values = np.asarray(image, dtype=np.int64) * (255 / LARGEST_16_BIT)
            image = Image.fromarray(np.rint(values).astype(np.uint8))
        elif image.mode in ("I", "F"):
            raise ValueError("has values of 32 bits; save it with 8 or 16")
        return image.convert("RGB")


def framed(image: Image.Image, size_px: int, ground: Rgb) -> bytes:
    """Return an image as a PNG, fitted into a square with a ground around it.

    Only pixels are kept: no name, no date, no place, no colour profile.

    Parameters
    ----------
    image
        Any image; its longer side becomes the square's.
    size_px
        Side of the square.
    ground
        sRGB codes of the area that the image doesn't cover.
    """
    scale = size_px / max(image.size)
    width, height = (max(1, round(side * scale)) for side in image.size)
    resized = image.convert("RGB").resize((width, height), Image.Resampling.LANCZOS)
    canvas = Image.new("RGB", (size_px, size_px), ground)
    canvas.paste(resized, ((size_px - width) // 2, (size_px - height) // 2))
    stream = io.BytesIO()
    canvas.save(stream, "PNG")
    return stream.getvalue()


def of_one_length(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return files padded with zeros to the length of the longest.

    A PNG marks its end, and later bytes aren't read. So the length of a file reveals nothing about
    its content.
    """
    longest = max(map(len, files.values()), default=0)
    return {path: data.ljust(longest, b"\0") for path, data in files.items()}


def pixels_of(data: bytes, where: str) -> NDArray[np.uint8]:
    """Return an image's sRGB codes, uint8 (size, size, 3); UserError if it isn't an image."""
    try:
        return np.asarray(read_rgb(io.BytesIO(data)), dtype=np.uint8)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        raise UserError(f"{where}: is not an image; copy the pack again") from None
