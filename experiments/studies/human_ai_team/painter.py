"""A pack's images, heatmaps and examples, drawn for one display.

A heatmap has a red scale from 0 to 1, and shows the image's edges faintly.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy import ndimage

from experiments.engine.picture import Pixels
from experiments.pages.settings import Painter, display_codes
from stimuli.studies.human_ai_team.protocol import HumanAiTeam
from stimuli.studies.human_ai_team.stimulus import TeamStimulus

REDS: Final = np.array(
    [
        (255, 245, 240), (254, 224, 210), (252, 187, 161), (252, 146, 114), (251, 106, 74),
        (239, 59, 44), (203, 24, 29), (165, 15, 21), (103, 0, 13),
    ]
)  # fmt: skip
"""ColorBrewer's nine reds (Harrower & Brewer 2003), from no relevance to the most; sRGB."""

SMOOTHING_SHARE: Final = 1 / 160
"""SD of the Gaussian before edge detection, as a share of the image's side: 1.4 of 224 pixels."""

WEAK, STRONG = 100.0, 200.0
"""Gradients of grey values 0…255 under Sobel's filter, as usual in OpenCV."""

ACROSS: Final = ((0, 1), (1, 1), (1, 0), (1, -1))
"""Steps (row, column) across an edge, by the gradient's direction in eighths of a circle."""


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
        The map's image, uint8 (height, width, 3). Edges are found in its original pixels, so
        that they are the same on every screen.
    edge_share
        Weight of the edges' black.
    side_px
        Side of the result, a square.

    Returns
    -------
    uint8 (side_px, side_px, 3)
        sRGB codes.
    """
    reds = in_reds(_scaled(relevance, side_px) / 255)
    drawn_edges = _scaled(255 * edges(image).astype(np.uint8), side_px) / 255
    return np.round(reds * (1 - edge_share * drawn_edges[..., None])).astype(np.uint8)


def red_scale(width_px: int, height_px: int) -> Pixels:
    """Return the colour scale, 1 at the top, uint8 (height_px, width_px, 3)."""
    reds = in_reds(np.linspace(1, 0, height_px))
    return np.repeat(np.round(reds).astype(np.uint8)[:, None], width_px, axis=1)


def _scaled(grey: Pixels, side_px: int) -> Pixels:
    size = (side_px, side_px)
    return np.asarray(Image.fromarray(grey).resize(size, Image.Resampling.BICUBIC))


def edges(pixels: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return a mask of an image's edges, one pixel wide.

    Parameters
    ----------
    pixels
        uint8 (height, width, 3).

    Returns
    -------
    bool (height, width)
    """
    grey = pixels @ np.array([0.299, 0.587, 0.114])
    return canny(ndimage.gaussian_filter(grey, SMOOTHING_SHARE * len(grey)))


def canny(grey: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return the edges of grey values 0…255 that need no more smoothing.

    A pixel is on an edge if the gradient has a maximum along its direction, exceeds `WEAK`, and is
    connected with a pixel where it exceeds `STRONG`.
    """
    down, right = (ndimage.sobel(grey, axis=axis, mode="nearest") for axis in (0, 1))
    strength = np.hypot(down, right)
    thin = _is_ridge(strength, down, right)
    weak = thin & (strength > WEAK)
    parts, count = ndimage.label(weak, structure=np.ones((3, 3)))
    kept = np.zeros(count + 1, dtype=bool)
    kept[parts[weak & (strength > STRONG)]] = True
    kept[0] = False
    return kept[parts]


def _is_ridge(
    strength: NDArray[np.float64], down: NDArray[np.float64], right: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Return where the gradient isn't weaker than its neighbours along its own direction."""
    eighth = np.round(np.arctan2(down, right) / (np.pi / 4)).astype(int) % 4
    high, wide = strength.shape
    padded = np.pad(strength, 1)
    ridge = np.zeros(strength.shape, dtype=bool)
    for number, (row, column) in enumerate(ACROSS):
        before = padded[1 - row : 1 - row + high, 1 - column : 1 - column + wide]
        behind = padded[1 + row : 1 + row + high, 1 + column : 1 + column + wide]
        # Keeps one of two equal neighbours, so that a line is one pixel wide.
        ridge |= (eighth == number) & (strength > before) & (strength >= behind)
    return ridge


class TeamPainter(Painter[HumanAiTeam]):
    """Draws a pack's pictures as pixels for one display."""

    @property
    def size_deg(self) -> float:
        """Side of an image on screen in degrees of visual angle."""
        return self.protocol.images.size_deg

    def heatmap(self, stimulus: TeamStimulus, side_px: int) -> Pixels:
        """Return the heatmap that helps to judge an image, uint8 (side_px, side_px, 3)."""
        relevance = self.stored(stimulus.help_files[0])[..., 0]
        image = self.stored(stimulus.image_file)
        share = self.protocol.help.edge_share
        return display_codes(heatmap(relevance, image, share, side_px), self.display)

    def scale(self, width_px: int, height_px: int) -> Pixels:
        """Return the scale of heatmaps, 1 at the top, uint8 (height_px, width_px, 3)."""
        return display_codes(red_scale(width_px, height_px), self.display)

    def images(self, files: Sequence[str], side_px: int) -> list[Pixels]:
        """Return several images, as `image` does."""
        return [self.image(file, side_px) for file in files]
