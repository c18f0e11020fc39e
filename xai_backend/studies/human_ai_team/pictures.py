"""Pictures as people and the network see them: through a JPEG, whichever they are.

The published study saved attacked images as JPEG. Here all images go that way, so that the
traces of the format tell nobody which were attacked.
"""

import io
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from stimuli.studies.human_ai_team.protocol import Attack, Subsampling

Codes = NDArray[np.uint8]
"""RGB codes (side, side, 3)."""


@dataclass(frozen=True, slots=True)
class Jpeg:
    """A way to save pictures as JPEG.

    Attributes
    ----------
    quality
        1…100.
    subsampling
        How much of the colours' resolution is kept: ``4:4:4`` all of it, ``4:2:0`` half of it in
        both directions.
    """

    quality: int = 75
    subsampling: Subsampling = "4:2:0"

    @classmethod
    def of(cls, attack: Attack) -> "Jpeg":
        """Return the JPEG that a protocol asks for."""
        return cls(attack.jpeg_quality, attack.jpeg_subsampling)

    @property
    def block_px(self) -> int:
        """Side of the blocks that are compressed together, pixels."""
        return 8 if self.subsampling == "4:4:4" else 16

    def saved(self, codes: Codes) -> bytes:
        """Return a picture as a JPEG."""
        stream = io.BytesIO()
        picture = Image.fromarray(codes)
        picture.save(stream, "JPEG", quality=self.quality, subsampling=self.subsampling)
        return stream.getvalue()

    def through(self, codes: Codes) -> Codes:
        """Return what the JPEG leaves of a picture."""
        return codes_of(self.saved(codes))


def codes_of(jpeg: bytes) -> Codes:
    """Return the picture that a JPEG holds."""
    with Image.open(io.BytesIO(jpeg)) as image:
        return np.asarray(image.convert("RGB"), dtype=np.uint8)


def png_of(codes: Codes) -> bytes:
    """Return a picture as a PNG without metadata."""
    stream = io.BytesIO()
    Image.fromarray(codes).save(stream, "PNG")
    return stream.getvalue()
