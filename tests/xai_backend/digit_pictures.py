"""Digits as pictures for the small network: white on black, 56 pixels."""

import numpy as np
from PIL import Image

from xai_backend.models.labelled import Labelled

TEN = tuple(str(digit) for digit in range(10))


def digit_pictures(digits, indices, classes=TEN, side_px=56):
    """The digits of some indices, enlarged bicubically."""
    grey = [Image.fromarray((255 * digits.images[k]).astype(np.uint8)) for k in indices]
    size = (side_px, side_px)
    sheets = np.stack([np.asarray(one.resize(size, Image.Resampling.BICUBIC)) for one in grey])
    names = tuple(f"digit{k}" for k in indices)
    return Labelled(np.repeat(sheets[..., None], 3, axis=3), digits.labels[indices], classes, names)
