"""How much is there in a map?"""

import io
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from xai_backend.metrics.localisation import binarised

THRESHOLD = 0.05
JPEG_QUALITY = 75


def covered_area(maps: NDArray[np.floating], threshold: float = THRESHOLD) -> NDArray[np.float64]:
    """Return the share of pixels with more than a share of the map's maximum, 0…1 (n,)."""
    return binarised(maps, threshold).mean(axis=(1, 2))


def compressed_size(
    maps: NDArray[np.floating], codec: Literal["png", "jpeg"] = "png"
) -> NDArray[np.float64]:
    """Return the bytes of each map as a compressed grey picture (n,).

    A measure of complexity: Samek et al. 2021 print it for occlusion and LRP (in Dawoud et
    al. 2023, table I), where neither states the format. Here the map is divided by the
    largest |relevance|, −1…1 becomes 8-bit codes 0…255, and the picture is compressed
    without loss (png) or at quality 75 (jpeg).
    """
    return np.array([float(len(_picture(values, codec))) for values in maps])


def _picture(values: NDArray[np.floating], codec: str) -> bytes:
    size = float(np.abs(values).max())
    scaled = values / size if size > 0 else np.zeros_like(values)
    picture = Image.fromarray(np.round((scaled + 1) * 127.5).astype(np.uint8))
    stream = io.BytesIO()
    if codec == "png":
        picture.save(stream, format="PNG", optimize=True)
    else:
        picture.save(stream, format="JPEG", quality=JPEG_QUALITY)
    return stream.getvalue()
