"""Images as a pack holds them: one square size, no metadata, files of one length."""

import io
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps

from stimuli.errors import UserError

Rgb = tuple[int, int, int]
LARGEST_16_BIT = 65535
LARGEST_OF_12 = 16
"""What 12 of 16 bits make of 8 at most."""
OPAQUE = 255
LONGEST = 32
"""Most times that a picture is as long as wide."""
OF_16_BITS = ("PNG", "PPM")


def read_rgb(file: Path | IO[bytes]) -> Image.Image:
    """Return an image file as 8-bit RGB, in the orientation that its camera recorded.

    Grey images of 16 bits are scaled to 8; Pillow itself would clip them at 255.

    Raises
    ------
    OSError, ValueError, SyntaxError
        If it isn't a whole image, or one that can be shown in several ways: ValueError says why.
    """
    with _opened(file) as opened:
        _refuse_odd(opened)
        deep = "16" in str(opened.tile)
        image = ImageOps.exif_transpose(opened)
        # Pillow's mode for 16-bit grey depends on its version and the file's format.
        if image.mode.startswith("I;16") or (image.mode == "I" and opened.format in OF_16_BITS):
            codes = np.asarray(image, dtype=np.int64)
            image = Image.fromarray(np.rint(codes * (255 / LARGEST_16_BIT)).astype(np.uint8))
            deep = True
        elif image.mode in ("I", "F"):
            raise ValueError("has values of 32 bits; save it with 8 or 16")
        rgb = image.convert("RGB")
    if deep and 0 < np.asarray(rgb).max() <= LARGEST_OF_12:
        raise ValueError(
            "is nearly black: of its 16 bits only 12 or fewer are used, as by many sensors; scale "
            f"its values to {LARGEST_16_BIT}"
        )
    return rgb


def _opened(file: Path | IO[bytes]) -> Image.Image:
    with warnings.catch_warnings():
        warnings.simplefilter("error", Image.DecompressionBombWarning)
        try:
            return Image.open(file)
        except (Image.DecompressionBombWarning, Image.DecompressionBombError):
            most = f"{(Image.MAX_IMAGE_PIXELS or 0) // 10**6} million pixels"
            raise ValueError(f"has more than {most}; make it smaller") from None


def _refuse_odd(image: Image.Image) -> None:
    """Refuse an image that is a line, or that can be shown in several ways."""
    width, height = image.size
    if min(width, height) == 1 or max(width, height) > LONGEST * min(width, height):
        raise ValueError(f"is {width} × {height} pixels, more a line than a picture")
    # A camera's MPO has a smaller picture of the same scene beside the first.
    frames = getattr(image, "n_frames", 1)
    if frames > 1 and image.format != "MPO":
        raise ValueError(f"has {frames} frames; save the one to show")
    codes = np.asarray(image.convert("RGBA")) if image.has_transparency_data else None
    if codes is not None and codes[:, :, 3].min() < OPAQUE:
        raise ValueError("has transparent pixels; save it on the ground that people should see")


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
    except (OSError, ValueError, SyntaxError):
        raise UserError(f"{where}: is not an image; copy the pack again") from None
