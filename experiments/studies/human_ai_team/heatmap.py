"""A heatmap as it is shown: a red scale from 0 to 1, the image's edges faintly in it."""

from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from experiments.engine.picture import Pixels
from experiments.studies.human_ai_team.edges import edges

REDS: Final = np.array(
    [
        (255, 245, 240), (254, 224, 210), (252, 187, 161), (252, 146, 114), (251, 106, 74),
        (239, 59, 44), (203, 24, 29), (165, 15, 21), (103, 0, 13),
    ]
)  # fmt: skip
"""ColorBrewer's nine reds (Harrower & Brewer 2003), from no relevance to the most; sRGB."""


def in_reds(values: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return the colours of values 0…1 on the red scale.

    Returns
    -------
    float64 (…, 3)
        sRGB codes, 0…255.
    """
    at = np.linspace(0, 1, len(REDS))
    channels = [np.interp(values, at, REDS[:, channel]) for channel in range(3)]
    return np.stack(channels, axis=-1)


def heatmap(relevance: Pixels, image: Pixels, edge_share: float, side_px: int) -> Pixels:
    """Return a heatmap, with the image's edges drawn into it in black.

    Parameters
    ----------
    relevance
        uint8 (height, width), 0…255 for 0…1.
    image
        uint8 (height, width, 3): what the map belongs to. Edges are found in its own pixels, so
        that they are the same on every screen.
    edge_share
        Weight of the edges' black.
    side_px
        Of the result, a square.

    Returns
    -------
    uint8 (side_px, side_px, 3)
        sRGB codes.
    """
    reds = in_reds(_scaled(relevance, side_px) / 255)
    found = _scaled(255 * edges(image).astype(np.uint8), side_px) / 255
    return np.round(reds * (1 - edge_share * found[..., None])).astype(np.uint8)


def red_scale(width_px: int, height_px: int) -> Pixels:
    """Return the scale itself, 1 on top, uint8 (height_px, width_px, 3)."""
    reds = in_reds(np.linspace(1, 0, height_px))
    return np.repeat(np.round(reds).astype(np.uint8)[:, None], width_px, axis=1)


def _scaled(grey: Pixels, side_px: int) -> Pixels:
    size = (side_px, side_px)
    return np.asarray(Image.fromarray(grey).resize(size, Image.Resampling.BICUBIC))
