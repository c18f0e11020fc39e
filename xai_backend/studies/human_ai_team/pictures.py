"""Pictures as people and the network see them: through a JPEG, whichever they are.

The published study saved attacked images as JPEG. Here all images go that way, so that the
traces of the format tell nobody which were attacked.
"""

import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Codes = NDArray[np.uint8]
"""RGB codes (side, side, 3)."""


def through_jpeg(codes: Codes, quality: int) -> Codes:
    """Return what a JPEG of this quality leaves of a picture, without subsampled colours."""
    return codes_of(jpeg_of(codes, quality))


def jpeg_of(codes: Codes, quality: int) -> bytes:
    """Return a picture as a JPEG of this quality, without subsampled colours."""
    stream = io.BytesIO()
    Image.fromarray(codes).save(stream, "JPEG", quality=quality, subsampling=0)
    return stream.getvalue()


def codes_of(jpeg: bytes) -> Codes:
    """Return the picture that a JPEG holds."""
    with Image.open(io.BytesIO(jpeg)) as image:
        return np.asarray(image.convert("RGB"), dtype=np.uint8)


def png_of(codes: Codes) -> bytes:
    """Return a picture as a PNG without metadata."""
    stream = io.BytesIO()
    Image.fromarray(codes).save(stream, "PNG")
    return stream.getvalue()
