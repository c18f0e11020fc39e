"""The light of codes: the inverse of what the product does."""

import numpy as np
from numpy.typing import ArrayLike

from stimuli.colour.display import SRGB, DisplayProfile
from stimuli.colour.spaces import Floats, srgb_decode


def decode8(codes: ArrayLike, display: DisplayProfile = SRGB) -> Floats:
    """Return the linear RGB (…, 3) that the display makes of 8-bit codes (…, 3)."""
    share = np.asarray(codes, dtype=np.float64) / 255
    if display.gamma is None:
        return srgb_decode(share)
    return share ** np.asarray(display.gamma)
